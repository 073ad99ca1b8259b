package dev.quire.core.parse;

import static dev.quire.core.parse.Pages.page;
import static dev.quire.core.parse.ParsedText.parse;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Template;
import dev.quire.core.parse.EsiNode.Include;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.EsiNode.Text;
import dev.quire.core.parse.ParseOptions.SourceFormat;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/esi.md, Tags and Include, on pages fed whole and in pieces. */
class EsiParserTest {

    private static final int WHOLE = Integer.MAX_VALUE;

    /** A page, its output, and the number of errors. */
    private static Stream<Arguments> pages() {
        return Stream.of(
                        // text
                        page("", ""),
                        page("no ESI at all", "no ESI at all"),
                        page("<p>a < b && c > d</p>", "<p>a < b && c > d</p>"),
                        page("a< esi:include src='/f'/>b", "a< esi:include src='/f'/>b"),
                        page("a<ESI:include src='/f'/>b", "a<ESI:include src='/f'/>b"),
                        page("<a>   <esi/>   ", "<a>   <esi/>   "),
                        page("<esX>x</esX><esiX></esiX>", "<esX>x</esX><esiX></esiX>"),
                        page("a</>b</!-- x -->c", "a</>b</!-- x -->c"),
                        page("\n<f<esi?\n<esi:remove>bar</esi:remove>\n", "\n<f<esi?\n\n"),
                        page("foo <es", "foo <es"),
                        page("foo <esi", "foo <esi"),
                        page("foo </esi", "foo </esi"),
                        page("foo <!--es", "foo <!--es"),
                        page("foo <![CDATA", "foo <![CDATA"),
                        page("foo <", "foo <"),
                        page("a-->b--", "a-->b--"),
                        page("&amp; &lt; <esi:include src='/f'/>", "&amp; &lt; [/f]"),
                        page("Tøst ☃ 𝄞 <esi:include src='/f'/> ü", "Tøst ☃ 𝄞 [/f] ü"),
                        page("a\r\n<esi:include src='/f'/>\r\nb", "a\r\n[/f]\r\nb"),

                        // ESI anywhere in HTML
                        page("<a href=\"<esi:include src=\"/u\"/>\">", "<a href=\"[/u]\">"),
                        page(
                                "<script>x=<esi:include src='/n'/>;</script>",
                                "<script>x=[/n];</script>"),
                        page("<<esi:include src='/f'/>", "<[/f]"),
                        page("</<esi:include src='/f'/>", "</[/f]"),
                        page("<es<esi:include src='/f'/>", "<es[/f]"),
                        page("<!<esi:include src='/f'/>", "<![/f]"),
                        page("<!-<esi:include src='/f'/>", "<!-[/f]"),
                        page("<![CDAT<esi:include src='/f'/>", "<![CDAT[/f]"),

                        // the tag grammar
                        page("<esi:include src=\"/f\"/>", "[/f]"),
                        page("<esi:include src='/f'/>", "[/f]"),
                        page("<esi:include src=/f />", "[/f]"),
                        page("<esi:include src=/f/>", "[/f]"),
                        page("<esi:include src=/f/ />", "[/f/]"),
                        page("<esi:include src=/f>", "[/f]"),
                        page("<esi:include src=/f//>", "[/f/]"),
                        page("<esi:include src=/f?a=b alt=/g />", "[/f?a=b|/g]"),
                        page("<esi:include \n\n\tsrc \f=\r\n '/f' \n/>", "[/f]"),
                        page("<esi:include alt='/g' src='/f'/>", "[/f|/g]"),
                        page("<esi:include src='/f' x:y-z.9='1' _a data-x='1' sr='/g'/>", "[/f]"),
                        page("<esi:include alt='/g' alt='/h' src='/f'/>", "[/f|/g]", 1),
                        page("<esi:include src='/f?\"a > b\"'/>x", "[/f?\"a > b\"]x"),
                        page("<esi:include src=\"/f?'a' < b\"/>x", "[/f?'a' < b]x"),
                        page("<esi:include SRC='/g' src='/f'/>", "[/f]"),
                        page("<esi:include src='/f' onerror='continue'/>", "[/f|CONTINUE]"),
                        page("<esi:include src='/f' onerror='Continue'/>", "[/f]", 1),
                        page("<esi:include src='/f' onerror='continue '/>", "[/f]", 1),
                        page("<esi:include src='/f' onerror/>", "[/f]", 1),
                        page("<esi:include\fsrc='/f'/>", "[/f]"),

                        // bytes outside of the grammar are skipped and counted
                        page("<esi:include src='/f' / >x", "[/f]x", 1),
                        page("<esi:include / src='/f'/>x", "[/f]x", 1),
                        page("<esi:include src='/f'alt='/g'/>x", "[/f|/g]x", 1),
                        page("<esi:include src='/f' , \"alt='/g'/>x", "[/f|/g]x", 1),
                        page("<esi:include src=/f\"alt=/g/>x", "[/f|/g]x", 1),
                        page("<esi:include <b src='/f'/>x", "[/f]x", 1),

                        // references in attribute values
                        page("<esi:include src='/q?&amp;'/>", "[/q?&]"),
                        page("<esi:include src='/f?a=1&copy=2&lt'/>", "[/f?a=1&copy=2&lt]"),
                        page("<esi:include src='/f?x=&amp;lt;'/>", "[/f?x=&lt;]"),
                        page("<esi:include src='&lt;&gt;&quot;&apos;&#65;&#x2f;'/>", "[<>\"'A/]"),
                        page("<esi:include src=&quot;/f&quot; />", "[\"/f\"]"),
                        page("<esi:include src='/f' alt='/&amp;'/>", "[/f|/&]"),

                        // empty or container
                        page("a<esi:include src='/f'></esi:include>b", "a[/f]b"),
                        page("a<esi:include src='/f'> \r\n\t\f</esi:include >b", "a[/f]b"),
                        page("a<esi:include src='/f'></esi:include x='>'>b", "a[/f]b"),
                        page("a<esi:include src='/f'>b", "a[/f]b"),
                        page("a<esi:include src='/f'> \n b", "a[/f] \n b"),
                        page("a<esi:include src='/f'> \n ", "a[/f] \n "),
                        page("a<esi:include src='/f'> <b>", "a[/f] <b>"),
                        page(
                                "a<esi:include src='/f'> <!-- </esi:include> -->b",
                                "a[/f] <!-- </esi:include> -->b"),
                        page("<esi:include src='/f'> <esi:include src='/g'/>", "[/f] [/g]"),
                        page(
                                "<esi:include src='/f'> <esi:include src='/g'> </esi:include>",
                                "[/f] [/g]"),
                        page("<esi:include src='/f'> x</esi:include>b", "[/f] xb", 1),
                        page("<esi:include src='/f'/> </esi:include>b", "[/f] b", 1),
                        page(
                                "<esi:include src='/f'> <esi:param name='a' value='b'/> </esi:include>b",
                                "[/f|param a=b]b"),
                        page(
                                "<esi:include src='/f'><esi:param name='a'></esi:param></esi:include>b",
                                "[/f|param a=]b",
                                1),
                        page(
                                "<esi:include src='/f'><esi:request_header name='a'/>\n"
                                        + "<esi:request_body value='b'/></esi:include>c",
                                "[/f|POST|body b|=a: ]c"),
                        page(
                                "<esi:include src='/f'><esi:replace fragment='r'>NEW<esi:include src='/g'/></esi:replace> </esi:include>b",
                                "[/f|replace r: NEW[/g]]b"),
                        page(
                                "<esi:include src='/f'><esi:replace fragment='r'>NEW</esi:include>b",
                                "[/f|replace r: NEW]b",
                                1),
                        page("<esi:include src='/f'><esi:replace/></esi:include>b", "[/f]b", 1),
                        page("<esi:include src='/f'> <esi:param/> b", "[/f] b", 2),
                        page(
                                "<esi:include src='/f'> <esi:param/> <p><esi:include src='/g'/>",
                                "[/f] <p>[/g]",
                                2),
                        page(
                                "<esi:include src='/f'> <esi:param/> <esi:include src='/g'/>",
                                "[/f] [/g]",
                                2),
                        page("<esi:include> </esi:include>b", "b", 1),

                        // malformed includes
                        page("a<esi:include src/>b", "ab", 1),
                        page("a<esi:include src=/>b", "ab", 1),
                        page("a<esi:include src=>b", "ab", 1),
                        page("a<esi:include src=''/>b", "ab", 1),
                        page("a<esi:include/>b", "ab", 1),
                        page("a<esi:include src='/f' src='/g'/>b", "ab", 1),
                        page("a<esi:include src='/f' src='/f'/>b", "ab", 1),
                        page("a<esi:include src='/f' alt=''/>b", "a[/f]b", 1),

                        // remove
                        page("begin <esi:remove>gone</esi:remove> end", "begin  end"),
                        page("1\n<esi:remove>\n2\n</esi:remove>\n3", "1\n\n3"),
                        page("a<esi:remove>x<esi:include src='/f'/>y</esi:remove>b", "ab"),
                        page("a<esi:remove>x<esi:include></esi:foo>y</esi:remove>b", "ab"),
                        page("a<esi:remove>x<!--esi z -->y</esi:remove>b", "ab"),
                        page("a<esi:remove>x<!-- </esi:remove> -->y</esi:remove>b", "ab"),
                        page("a<esi:remove>\n<![CDATA[</esi:remove>]]>\n</esi:remove>b", "ab"),
                        page("a<esi:remove>b<esi:remove>c</esi:remove>d</esi:remove>e", "ade", 1),
                        page("a</esi:remove>b", "ab", 1),
                        page("a<esi:remove/>b", "ab", 1),
                        page("a<esi:remove / >b", "ab", 2),
                        page("a<esi:remove>b<esi:include src='/f'/>", "a", 1),
                        page("a<esi:remove>b</esi:remove", "a", 2),

                        // comment
                        page("1<esi:comment text='x' /> 2<esi:comment text=\"x > y\"/>", "1 2"),
                        page("a<esi:comment text=bleh />b", "ab"),
                        page("a<esi:comment>x</esi:comment>b", "axb", 1),
                        page("a<esi:comment / >b", "ab", 1),

                        // wrappers
                        page("foo<!--esi <p>x</p>-->bar", "foo <p>x</p>bar"),
                        page("<!--esi1-->\n2\n<!--esi\n3\n-->", "1\n2\n\n3\n"),
                        page("B<!--esi 1<!--esi 2-->M-->A", "B 1 2MA"),
                        page("a<!--esi x<!-- keep -->y-->b", "a x<!-- keep -->yb"),
                        page("a<!--esi x--->b-->c", "a x-b-->c"),
                        page("a<!--esi x-y- ->--z-->b", "a x-y- ->--zb"),
                        page("a<!--esi<![CDATA[-->]]>-->b", "a<![CDATA[-->]]>b"),
                        page("a<!--esi--><!--esi-->b", "ab"),
                        page("<!--esi <esi:include src='/f'/>-->b", " [/f]b"),
                        page(
                                "<!--esi<esi:include src='/t'>--> c <!--esi</esi:include>--> d",
                                "[/t] c  d",
                                1),
                        page("<!--esi a<esi:remove>b-->c</esi:remove>d", " ad"),
                        page("<!--esi a-<esi:remove>b</esi:remove>->c-->d", " a-->cd"),
                        page("<!--esi a", " a", 1),

                        // opaque
                        page(
                                "<!--[if IE]><p>x</p><![endif]--><esi:include src='/f'/>",
                                "<!--[if IE]><p>x</p><![endif]-->[/f]"),
                        page(
                                "<!--[if !IE]><!--><esi:include src='/f'/><!--<![endif]-->",
                                "<!--[if !IE]><!-->[/f]<!--<![endif]-->"),
                        page(
                                "<!-- <esi:include src='/f'/> <!--esi --><esi:include src='/g'/>",
                                "<!-- <esi:include src='/f'/> <!--esi -->[/g]"),
                        page("<!----><esi:include src='/f'/>", "<!---->[/f]"),
                        page("<!-- ---><esi:include src='/f'/>", "<!-- --->[/f]"),
                        page(
                                "<!-- -- > - -> <esi:x --><esi:include src='/f'/>",
                                "<!-- -- > - -> <esi:x -->[/f]"),
                        page("<!--es--><esi:include src='/f'/>", "<!--es-->[/f]"),
                        page("<!-- <esi:include src='/f'/>", "<!-- <esi:include src='/f'/>"),
                        page(
                                "<![CDATA[<esi:x/>]] ]>]]]><esi:include src='/f'/>",
                                "<![CDATA[<esi:x/>]] ]>]]]>[/f]"),

                        // unknown and misplaced
                        page("foo<esi:blah/>bar", "foobar", 1),
                        page("a<esi:blah>b</esi:blah>c", "abc", 2),
                        page("a<esi:when test='1==1'>b</esi:when>c", "abc", 1),
                        page("a<esi:Include src='/f'/>b", "ab", 1),
                        page("a<esi:include2 src='/f'/>b", "ab", 1),
                        page("a<esi:>b</esi:>c", "abc", 2),
                        page("a<esi:param name='x'/>b", "ab", 1),
                        page("a</esi:include>b", "ab", 1),

                        // a missing quote or >
                        page(
                                "a<esi:include src=\"foofof />b<esi:include src=\"/f\"/>c",
                                "ab[/f]c",
                                1),
                        page("a<esi:include src='foofof />b</esi:remove>c", "abc", 2),
                        page("a<esi:include src='foofof />b<!--esi c-->d", "ab cd", 1),
                        page("a<esi:include src='/f />b > c", "ab > c", 1),
                        page("a<esi:include src='/f />b <es", "ab <es", 1),
                        page(
                                "a<esi:include src='/f />b<!-- <esi:include src='/g'/>-->c",
                                "ab<!-- <esi:include src='/g'/>-->c",
                                1),
                        page("<!--esi a<esi:include src='/f />b--><esi:comment/>c", " abc", 1),
                        page("a<esi:include src='/f", "a", 1),
                        page("a<esi:include src='<esi:include src='/f'/>b", "ab", 1),
                        page("a<esi:include <esi:include src='/f'/>b", "ab", 1),
                        page("a<esi:remove>b<esi:include src='/f />c</esi:remove>d", "ad", 1),
                        page(
                                "<esi:include src='/f'> <esi:x a='> <esi:include src='/g'/>",
                                "[/f]  [/g]",
                                1),

                        // the document ends inside a tag
                        page("a<esi:", "a", 1),
                        page("a<esi:inc", "a", 1),
                        page("a<esi:include src='/f' ", "a", 1),
                        page("a<esi:include src='/f>g' alt", "a", 1),
                        page("a</esi:remove", "a", 1))
                .flatMap(Pages::inPieces);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyRuleHoldsWhereverAPageIsCut(int piece, String document, String output, int errors) {
        var parsed = parse(document, piece);

        assertThat(parsed.output()).isEqualTo(output);
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
        assertThat(parsed.page().diagnostics()).hasSize(errors);
    }

    @InPieces
    void nodesCarryWhatTheTagSaysAndWhereItStands(int piece) {
        var document =
                "one\ntwo <esi:include src='/a'/>\n\n\t<esi:include\nalt='/c' onerror='continue'"
                        + " src=\"/b?x=1&amp;y=2\"/>end";

        var nodes = parse(document, piece).page().nodes();

        assertThat(nodes)
                .containsExactly(
                        new Text(new Span(0, 8)),
                        include("/a", new Position(2, 5, 8)),
                        new Text(new Span(31, 34)),
                        new Include(
                                Subrequest.of(
                                        Template.of("/b?x=1&y=2"),
                                        Optional.of(Template.of("/c")),
                                        OnError.CONTINUE),
                                new Position(4, 2, 34)),
                        new Text(new Span(97, 100)));
    }

    @InPieces
    void textThatNothingInterruptsIsOneNode(int piece) {
        var document = "a<b><!-- c --><![CDATA[d]]></es <esi/> </!-- --> <!- e";

        var nodes = parse(document, piece).page().nodes();

        assertThat(nodes).containsExactly(new Text(new Span(0, document.length())));
    }

    @InPieces
    void blanksBehindAnIncludeAreOneNodeWithTheTextBehindThem(int piece) {
        var nodes = parse("<esi:include src=/f> \n text", piece).page().nodes();

        assertThat(nodes)
                .containsExactly(include("/f", new Position(1, 1, 0)), new Text(new Span(20, 27)));
    }

    @InPieces
    void bytesThatAreNoUtf8PassAndAreOneCharEachInAttributes(int piece) {
        var document =
                "\u00e9\u0000\u00ff<esi:include src='/\u00e9\u00ff'/>\u0080".getBytes(ISO_8859_1);

        var nodes = parse(document, piece).page().nodes();

        assertThat(nodes)
                .containsExactly(
                        new Text(new Span(0, 3)),
                        include("/\u00e9\u00ff", new Position(1, 4, 3)),
                        new Text(new Span(27, 28)));
    }

    @InPieces
    void diagnosticsSayWhereWhatAndWhatWasDone(int piece) {
        var document =
                """
                <esi:remove/>
                  <esi:include alt="/x"/>
                <esi:include src="/a" src="/b"/> <esi:include src="/a" alt=""/>
                <esi:foo></esi:remove>
                <esi:comment>
                <esi:when/><esi:param/>
                <esi:include src="/a / >
                <esi:include src="/f"> <esi:param name="a"/>
                <esi:include src='/f' , />
                <!--esi
                <esi:remove> <esi:include src='/f'\
                """;

        var parsed = parse(document, piece);

        assertThat(parsed.diagnostics())
                .isEqualTo(
                        """
                        1:1 @0 <esi:remove> has no content to remove -> tag stripped
                        2:3 @16 <esi:include> has no src -> tag stripped
                        3:1 @40 <esi:include> has more than one src -> tag stripped
                        3:34 @73 alt is empty -> attribute ignored
                        4:1 @104 unknown element -> tag stripped
                        4:10 @113 </esi:remove> has no start tag -> tag stripped
                        5:1 @127 <esi:comment> must end in /> -> treated as if it did
                        6:1 @141 <esi:when> must be inside <esi:choose> -> tag stripped
                        6:12 @152 <esi:param> must be inside <esi:include> -> tag stripped
                        7:1 @165 an ESI tag begins inside another -> tag stripped up to its first >
                        8:1 @190 <esi:include> is not closed -> closed after its last child
                        9:1 @235 the tag contains something that is not an attribute -> skipped
                        10:1 @262 <!--esi is not closed -> closed at the end
                        11:1 @270 <esi:remove> is not closed -> closed at the end
                        11:14 @283 the document ends inside a tag -> tag dropped
                        """);
        assertThat(parsed.page().errors()).isEqualTo(15);
    }

    @InPieces
    void tagsWithoutABlankAfterTheNameAreNotRun(int piece) {
        var parsed =
                parse(
                        "a<esi:include/src='/f'/>b<esi:includesrc='/f'/>c<esi:include'/x' src='/f'/>d"
                                + "<esi:remove/x='1'>e</esi:remove>f<esi:include / src='/g'/>",
                        piece);

        assertThat(parsed.output()).isEqualTo("abcdef[/g]");
        assertThat(parsed.page().errors()).isEqualTo(6);
    }

    @InPieces
    void positionsStayRightBehindATagThatHadToBeReadAgain(int piece) {
        var document = "\n<esi:include src='/a\n>\n b\n<esi:include src='/f'/>";

        var nodes = parse(document, piece).page().nodes();

        assertThat(nodes)
                .containsExactly(
                        new Text(new Span(0, 1)),
                        new Text(new Span(23, 27)),
                        include("/f", new Position(5, 1, 27)));
    }

    @InPieces
    void diagnosticsBeyondTheLimitAreOnlyCounted(int piece) {
        var document = "<esi:foo/>".repeat(ParsedPage.MAX_DIAGNOSTICS + 7);

        var page = parse(document, piece).page();

        assertThat(page.diagnostics()).hasSize(ParsedPage.MAX_DIAGNOSTICS);
        assertThat(page.errors()).isEqualTo(ParsedPage.MAX_DIAGNOSTICS + 7);
    }

    @InPieces
    void aTagMayHaveAnyLengthUpToItsLimit(int piece) {
        var src = "/" + "x".repeat(Tag.MAX_BYTES - "<esi:include src='/'/>".length());

        var fitting = parse("a<esi:include src='" + src + "'/>b", piece);
        var tooLong = parse("a<esi:include src='" + src + "'y/>b<esi:include src='/f'/>", piece);

        assertThat(fitting.output()).isEqualTo("a[" + src + "]b");
        assertThat(fitting.page().errors()).isZero();
        assertThat(tooLong.output()).isEqualTo("ab[/f]");
        assertThat(tooLong.diagnostics())
                .isEqualTo(
                        "1:2 @1 a tag is longer than 65536 bytes"
                                + " -> tag stripped up to its first >\n");
    }

    @Test
    void aBufferOutsideTheHeapIsReadAsWell() {
        var document = "a\n<esi:include src='/f'/>b";
        var chunk = ByteBuffer.allocateDirect(document.length());
        chunk.put(document.getBytes(US_ASCII)).flip();
        var parser = new EsiParser();

        parser.feed(chunk.asReadOnlyBuffer());
        var page = parser.finish();

        assertThat(new ParsedText(document, page, parser.work()).output()).isEqualTo("a\n[/f]b");
    }

    @Test
    void aFinishedDocumentTakesNoMore() {
        var parser = new EsiParser();
        parser.finish();

        assertThatThrownBy(() -> parser.feed(ByteBuffer.allocate(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("finished");
    }

    /** Documents that make a naive parser quadratic, with different prefixes. */
    private static Stream<Arguments> hostile() {
        var known =
                Stream.of(
                        "<esi:", "<", "<!--esi", "<esi:try>", "<esi:include src=\"", "<esi:vars>");
        var further =
                Stream.of(
                                "</esi:",
                                "<!--esi -->",
                                "<esi:remove>",
                                "<esi:choose>",
                                "<esi:choose><esi:when test='1'>",
                                "<esi:assign name='a'>",
                                "<esi:replace>",
                                "</esi:vars>",
                                "</esi:try>",
                                "<esi:text>",
                                "<esi:inline name='i'>",
                                "<esi:include src=\">",
                                "<esi:include src='>' ",
                                "<esi:x a='>' <esi:x a='",
                                "<esi:include src=/f>",
                                "<esi:include src=/f> <esi:param/>",
                                "<esi:x ",
                                "<!-",
                                "<!--",
                                "<!---->",
                                "<![CDATA[",
                                "]]",
                                "--",
                                "$(",
                                "$(a)",
                                "$(a{",
                                "$lower(",
                                "$lower('",
                                "\\$",
                                "\\",
                                "\"",
                                "&",
                                " ")
                        .flatMap(seed ->
                                Stream.of(
                                                "",
                                                "<!--esi",
                                                "<esi:x a='",
                                                "<esi:remove>",
                                                "<esi:vars>",
                                                "<esi:vars>".repeat(BlockStack.MAX_DEPTH),
                                                "<esi:assign name='a'>",
                                                "<esi:include src='/f'>"
                                                        + "<esi:replace fragment='r'>")
                                        .map(before -> hostile(before, seed, 300_000)));
        return Stream.concat(known.map(seed -> hostile("", seed, 10_000_000)), further);
    }

    private static Arguments hostile(String before, String seed, int length) {
        return Arguments.of(before, seed, length);
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void workIsProportionalToLength(String before, String seed, int length) {
        var document = (before + seed.repeat(length / seed.length())).getBytes(US_ASCII);

        var parsed = parse(document, 8192);

        assertThat(parsed.work()).isLessThan(5L * document.length);
        assertThat(parsed.page().diagnostics().size())
                .isLessThanOrEqualTo(ParsedPage.MAX_DIAGNOSTICS);
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void workInJsonIsProportionalToLengthToo(String before, String seed, int length) {
        var json = new ParseOptions(SourceFormat.JSON, Dialect.STANDARD, false, Escape.MARKUP);
        var text = "\"" + before + seed.repeat(Math.min(length, 300_000) / seed.length());

        var parsed = parse(text, 8192, json);

        assertThat(parsed.work()).isLessThan(5L * text.length());
    }

    @Test
    void blocksBeyondTheDepthLimitAreStrippedAndTheirContentStays() {
        int depth = BlockStack.MAX_DEPTH;
        var document =
                "<esi:fragment name='r'>".repeat(depth)
                        + "<esi:vars>$(a)<esi:try><esi:attempt>b</esi:attempt></esi:try></esi:vars>"
                        + "</esi:fragment>".repeat(depth)
                        + "<esi:vars>$(c)</esi:vars>";

        var parsed = parse(document, WHOLE);

        assertThat(parsed.output())
                .isEqualTo("{region r: ".repeat(depth) + "$(a)b" + "}".repeat(depth) + "{$(c)}");
        assertThat(parsed.diagnostics())
                .isEqualTo(
                        "1:4601 @4600 blocks are nested more than 200 deep"
                                + " -> deeper tags stripped\n");
    }

    @Test
    void aChooseIsOpenedOnlyWhereItsBranchesMayStand() {
        var around = "<esi:fragment name='r'>".repeat(BlockStack.MAX_DEPTH - 1);
        var document = around + "<esi:choose><esi:when test='0'>a</esi:when></esi:choose>";

        var parsed = parse(document, WHOLE);

        assertThat(parsed.output()).doesNotContain("choose").contains("a");
    }

    @Test
    void aPageHasNoMoreNodesThanTheLimit() {
        var references = parse("<esi:vars>" + "$(a)".repeat(300_000) + "</esi:vars>b", WHOLE);
        var dollars = parse("<esi:vars>" + "\\$".repeat(300_000) + "</esi:vars>b", WHOLE);
        var includes = parse("<esi:include src=/f />".repeat(150_000) + "b", WHOLE);

        assertThat(references.page().nodes()).hasSizeLessThanOrEqualTo(TextRuns.MAX_NODES + 1);
        assertThat(dollars.page().nodes()).hasSizeLessThanOrEqualTo(TextRuns.MAX_NODES + 1);
        assertThat(includes.page().nodes()).hasSize(TextRuns.MAX_NODES + 1);
        assertThat(includes.output()).endsWith("b");
        for (var full : List.of(references, dollars, includes)) {
            assertThat(full.diagnostics()).contains("the page has more than 100000 nodes");
            assertThat(full.page().errors()).isEqualTo(1);
        }
    }

    @Test
    void anAttributeOfAMegabyteIsDroppedWithItsTag() {
        var document = "a<esi:include src='" + "x>".repeat(500_000) + "'/>b";

        var parsed = parse(document, 8192);

        assertThat(parsed.output()).isEqualTo("a" + "x>".repeat(499_999) + "'/>b");
        assertThat(parsed.work()).isLessThan(5L * document.length());
    }

    /** The pieces of the generated pages below. */
    private static final List<String> PARTS =
            List.of(
                    "<esi:choose>",
                    "</esi:choose>",
                    "<esi:when test='$(a)'>",
                    "</esi:when>",
                    "<esi:otherwise>",
                    "<esi:try>",
                    "<esi:attempt>",
                    "</esi:attempt>",
                    "</esi:try>",
                    "<esi:vars>",
                    "</esi:vars>",
                    "<esi:text>",
                    "</esi:text>",
                    "<esi:inline name='/i'>",
                    "</esi:inline>",
                    "<esi:assign name='a'>",
                    "</esi:assign>",
                    "<esi:foreach collection='$(a)'>",
                    "</esi:foreach>",
                    "<esi:break/>",
                    "<esi:function name='f'>",
                    "<esi:return value='1'/>",
                    "</esi:function>",
                    "<esi:fragment name='r'>",
                    "<esi:replace fragment='r'>",
                    "<esi:eval src='/e'>",
                    "$(a)",
                    "$f(",
                    ")",
                    "<esi:include src='/f'/>",
                    "<esi:include src=/g>",
                    "</esi:include>",
                    "<esi:param name='x'/>",
                    "<esi:replace>",
                    "</esi:replace>",
                    "<esi:remove>",
                    "</esi:remove>",
                    "<esi:comment text='>'/>",
                    "<esi:include src=\"",
                    "<esi:x a='",
                    "<!--esi",
                    "-->",
                    "<!--",
                    "<![CDATA[",
                    "]]>",
                    "<",
                    ">",
                    "'",
                    "-",
                    "]",
                    " ",
                    "\n",
                    "/>",
                    "text");

    @Test
    void whereAPageIsCutNeverMakesADifference() {
        var random = new Random(42);
        for (int round = 0; round < 20_000; round++) {
            var document = new StringBuilder();
            for (int i = random.nextInt(12); i >= 0; i--) {
                document.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            var bytes = document.toString().getBytes(US_ASCII);

            var whole = parse(bytes, WHOLE);

            assertThat(parse(bytes, 1).page()).as("%s", document).isEqualTo(whole.page());
            assertThat(parse(bytes, 1 + random.nextInt(20)).page()).isEqualTo(whole.page());
            assertInOrder(whole);
        }
    }

    /** Text is in document order, and one run is one node. */
    private static void assertInOrder(ParsedText parsed) {
        var last = new int[] {0, -1};
        parsed.page()
                .forEachText(span -> {
                    assertThat(span.start()).isGreaterThanOrEqualTo(last[0]);
                    assertThat(span.length()).isPositive();
                    last[0] = span.end();
                });
        assertThat(last[0]).isLessThanOrEqualTo(parsed.document().length());
        boolean textBefore = false;
        int end = 0;
        for (var node : parsed.page().nodes()) {
            if (node instanceof Text(Span span)) {
                assertThat(textBefore && span.start() == end).isFalse();
                end = span.end();
                textBefore = true;
            } else {
                textBefore = false;
            }
        }
    }

    private static Include include(String src, Position at) {
        return new Include(
                Subrequest.of(Template.of(src), Optional.empty(), OnError.PAGE_POLICY), at);
    }

    @Test
    void endTagInsideAReplacementClosesTheIncludeToo() {
        var parser = new EsiParser();
        var document =
                "<esi:vars>a<esi:include src='/f'><esi:replace fragment='r'>"
                        + "<esi:assign name='a'>b</esi:vars>c</esi:replace></esi:include>d";

        parser.feed(ByteBuffer.wrap(document.getBytes(ISO_8859_1)));
        var page = parser.finish();

        assertThat(page.nodes()).hasSize(4);
        assertThat(page.errors()).isEqualTo(5);
    }
}
