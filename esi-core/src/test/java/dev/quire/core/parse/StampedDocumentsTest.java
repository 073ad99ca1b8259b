package dev.quire.core.parse;

import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Stamp;
import dev.quire.core.parse.ParseOptions.SourceFormat;
import dev.quire.core.parse.ParseOptions.Tags;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, Stamps: only tags and references with the stamp are markup. */
class StampedDocumentsTest {
    private static final String NONCE = "AAAAAAAAAAAAAAAAAAAA-_";
    private static final String OTHER = "BBBBBBBBBBBBBBBBBBBB-_";
    private static final ParseOptions STAMPED = ParseOptions.STANDARD.stamped(new Stamp(NONCE));

    /** A page with {@code @} for the stamp and its colon, and its output. */
    private static Stream<Arguments> pages() {
        return IntStream.of(Integer.MAX_VALUE, 1, 2, 3, 7, 16)
                .boxed()
                .flatMap(piece -> cases().map(each -> Arguments.of(each[0], each[1], piece)));
    }

    private static Stream<String[]> cases() {
        return Stream.of(
                // with the stamp: a tag
                of("a<esi:@include src='/f'/>b", "a[/f]b"),
                of(
                        "<esi:@include src='/f'><esi:@param name='a' value='b'/></esi:@include>",
                        "[/f|param a=b]"),
                of(
                        "<esi:@try><esi:@attempt>a</esi:@attempt><esi:@except>b</esi:@except></esi:@try>",
                        "{try attempt: a except: b}"),
                of("<esi:@remove>x<esi:include src='/f'/></esi:@remove>y", "y"),
                of("<esi:@remove>x</esi:remove>y", ""),
                of("<esi:@comment text='x'/>y", "y"),
                of("<esi:@unheardof>y", "y"),

                // without it: text
                of("a<esi:include src='/f'/>b", "a<esi:include src='/f'/>b"),
                of("a<esi:~include src='/f'/>b", "a<esi:~include src='/f'/>b"),
                of("<esi:~:include src='/f'/>", "<esi:~:include src='/f'/>"),
                of("<!--esi <esi:include src='/f'/> -->", "<!--esi <esi:include src='/f'/> -->"),
                of("</esi:try></esi:choose>", "</esi:try></esi:choose>"),
                of("$(HTTP_HOST) \\$(X) \\\\", "$(HTTP_HOST) \\$(X) \\\\"),
                of(
                        "</esi: </esi:A </esi:AAAAAAAAAAAAAAAAAAAA-",
                        "</esi: </esi:A </esi:AAAAAAAAAAAAAAAAAAAA-"),
                of(
                        "<esi:AAAAAAAAAAAAAAAAAAAA-<esi:@include src='/f'/>",
                        "<esi:AAAAAAAAAAAAAAAAAAAA-[/f]"),
                of("<!--AAAA-->", "<!--AAAA-->"),

                // unstamped markup neither hides nor closes stamped tags
                of("<!-- <esi:@include src='/f'/>", "<!-- [/f]"),
                of("<![CDATA[<esi:@include src='/f'/>", "<![CDATA[[/f]"),
                of("<!--esi <esi:@include src='/f'/>-->", "<!--esi [/f]-->"),
                of(
                        "<esi:remove><esi:@include src='/f'/></esi:remove>",
                        "<esi:remove>[/f]</esi:remove>"),
                of("<esi:text><esi:@include src='/f'/>", "<esi:text>[/f]"),
                of("<esi:include src=\"<esi:@include src='/f'/>", "<esi:include src=\"[/f]"),
                of(
                        "<esi:@try><esi:@attempt>a</esi:attempt></esi:try><b></esi:@attempt></esi:@try>c",
                        "{try attempt: a</esi:attempt></esi:try><b>}c"),
                of("<esi:@text>a</esi:text>b<esi:@vars></esi:@text>c", "a</esi:text>b<esi:vars>c"),
                of("<esi:@include src='/a<esi:include x'/>b", "[/a<esi:include x]b"),
                of("<esi:@include src='/a</esi:include><!--esi'/>b", "[/a</esi:include><!--esi]b"),

                // references in text
                of("<esi:@vars>$@(HTTP_HOST)</esi:@vars>", "{$(HTTP_HOST)}"),
                of(
                        "<esi:@vars>$(HTTP_COOKIE)$@(HTTP_HOST)</esi:@vars>",
                        "$(HTTP_COOKIE){$(HTTP_HOST)}"),
                of("<esi:@vars>\\$@(HTTP_HOST)\\</esi:@vars>", "\\{$(HTTP_HOST)}\\"),
                of(
                        "<esi:@vars>$@url_encode($(HTTP_HOST))</esi:@vars>",
                        "{$url_encode($(HTTP_HOST))}"),
                of("<esi:@vars>$url_encode('x')</esi:@vars>", "$url_encode('x')"),
                of("<esi:@vars>$~(HTTP_HOST)</esi:@vars>", "$~(HTTP_HOST)"),
                of("<esi:@vars><!-- $@(HTTP_HOST) --></esi:@vars>", "<!-- {$(HTTP_HOST)} -->"),
                of(
                        "<esi:@choose><esi:@when test=\"$(HTTP_HOST)=='x'\">$@(A)$(B)</esi:@when></esi:@choose>",
                        "{choose when $(HTTP_HOST) EQUAL 'x': {$(A)}$(B)}"),
                of(
                        "<esi:@assign name='a'>x$@(HTTP_HOST)$(Y)</esi:@assign>",
                        "{assign a: {literal x}{$(HTTP_HOST)}{literal $(Y)}}"),
                of(
                        "<esi:@function name='f'>$(X)<esi:@return value='1'/></esi:@function><esi:@vars>$@f()$f()</esi:@vars>",
                        "{function f: {literal $(X)}{return 1}}{$f()}$f()"),

                // a stamp is never shown, and never part of an address
                of("a ! b", "a  b"),
                of("a $@(HTTP_HOST) b", "a $(HTTP_HOST) b"),
                of(
                        "<esi:@vars>$@(HTTP HOST) $@nosuch() ! $@</esi:@vars>",
                        "$(HTTP HOST) $nosuch()  $"),
                of("<esi:@text>a ! b</esi:@text>", "a  b"),
                of("<esi:@assign name='a'>!</esi:@assign>", "{assign a: }"),
                of("<esi:@include src='/f?!'/>", "[/f?]"),
                of("a<esi:@include src='/f", "a"),
                of("a<esi:@include src='/f><b> !", "a<b> "),
                of("a<esi:@tr", "a"),
                of("a<esi:AAAAAAAAAAAAAAAAAAAA-_", "a<esi:"));
    }

    private static String[] of(String document, String expected) {
        return new String[] {written(document), written(expected)};
    }

    private static String written(String text) {
        return text.replace("@", NONCE + ":").replace("!", "\0").replace("~", OTHER);
    }

    @ParameterizedTest(name = "{0} in pieces of {2} bytes")
    @MethodSource("pages")
    void onlyWhatBearsTheStampIsMarkup(String document, String expected, int piece) {
        var parsed = parse(withComments(document).replace("\0", NONCE), piece, STAMPED);

        assertThat(parsed.output()).isEqualTo(withComments(expected).replace("\0", NONCE));
    }

    /** The exclamation mark of markup declarations is one. */
    private static String withComments(String text) {
        return text.replace("<\0", "<!");
    }

    @InPieces
    void withoutTagsAllIsText(int piece) {
        var document = "<esi:include src='/f'/><!--esi $(HTTP_HOST) --><esi:vars>$(A)</esi:vars>";

        var parsed = parse(document, piece, ParseOptions.STANDARD.of(Tags.Unstamped.NONE));

        assertThat(parsed.output()).isEqualTo(document);
        assertThat(parsed.page().traits().isEvaluated()).isFalse();
    }

    @InPieces
    void tagsInJsonStringsBearTheStampToo(int piece) {
        var json =
                new ParseOptions(SourceFormat.JSON, Dialect.STANDARD, false, Escape.MARKUP)
                        .stamped(new Stamp(NONCE));
        var document =
                "{\"a\":\"<esi:%s:include src=\\\"\\/f\\\"\\/>\",\"b\":\"<esi:include src='/g'/><!--\",\"c\":<esi:%s:include src=\"/h\"/>}"
                        .formatted(NONCE, NONCE);

        var parsed = parse(document, piece, json);

        assertThat(parsed.output())
                .isEqualTo(
                        "{\"a\":\"[/f|escape JSON]\",\"b\":\"<esi:include src='/g'/><!--\",\"c\":[/h]}");
    }

    /** The content of an inline is parsed later, with the same stamp. */
    @InPieces
    void inlineEndsWithItsStampAlone(int piece) {
        var document =
                "<esi:@inline name='/i'></esi:inline><esi:@include src='/f'/></esi:@inline>x"
                        .replace("@", NONCE + ":");

        var parsed = parse(document, piece, STAMPED);

        assertThat(parsed.output())
                .isEqualTo(
                        "{inline /i: </esi:inline><esi:@include src='/f'/>}x"
                                .replace("@", NONCE + ":"));
    }

    private static final List<String> PAGE =
            List.of(
                    "<p>",
                    "<esi:@include src='/a'/>",
                    "<esi:@try>",
                    "<esi:@attempt>",
                    "<esi:@include src='/b'/>",
                    "</esi:@attempt>",
                    "<esi:@except>",
                    "sorry",
                    "</esi:@except>",
                    "</esi:@try>",
                    "<esi:@vars>",
                    "$@(HTTP_HOST)",
                    "</esi:@vars>",
                    "<esi:@choose>",
                    "<esi:@when test='1'>",
                    "<esi:@include src='/c'/>",
                    "</esi:@when>",
                    "</esi:@choose>",
                    "<esi:@text>",
                    "raw",
                    "</esi:@text>",
                    "<esi:@include src='/d'/>",
                    "</p>");

    private static final List<String> CRUMBS =
            List.of(
                    "<",
                    ">",
                    "/",
                    "\"",
                    "'",
                    "=",
                    " ",
                    "\n",
                    "-",
                    "--",
                    "-->",
                    "<!--",
                    "<!--esi",
                    "<![CDATA[",
                    "]]>",
                    "<e",
                    "<esi:",
                    "</esi:",
                    "<esi:include src='/evil'/>",
                    "</esi:try>",
                    "</esi:attempt>",
                    "</esi:vars>",
                    "</esi:text>",
                    "<esi:remove>",
                    "<esi:text>",
                    "$",
                    "$(",
                    "$(HTTP_COOKIE)",
                    "\\",
                    "\\$",
                    "<esi:" + OTHER + ":include src='/evil'/>",
                    "</esi:" + OTHER + ":try>",
                    "$" + OTHER + ":(HTTP_COOKIE)",
                    ":",
                    "AAAA",
                    "\u00e9",
                    "\0");

    /**
     * Text without the stamp, between any two tags, does not change the tags and is itself
     * unchanged.
     */
    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 1, 2, 7})
    void textOfOthersChangesNothingThatRuns(int piece) {
        var random = new Random(20261122);
        for (int round = 0; round < 1500; round++) {
            var page = new StringBuilder();
            var expected = new StringBuilder();
            for (var part : PAGE) {
                page.append(part);
                expected.append(rendered(part));
                // Text between branches is dropped anyway.
                boolean isShown = !part.contains("try>") && !part.contains("choose>");
                boolean isInside =
                        part.startsWith("</esi:@attempt")
                                || part.startsWith("</esi:@except")
                                || part.startsWith("</esi:@when");
                if (isShown && !isInside && random.nextInt(3) == 0) {
                    var text = text(random);
                    page.append(text);
                    expected.append(text);
                }
            }
            var document = page.toString().replace("@", NONCE + ":");

            var parsed = parse(document, piece, STAMPED);

            assertThat(parsed.output()).as(document).isEqualTo(expected.toString());
        }
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        int crumbs = 1 + random.nextInt(6);
        for (int i = 0; i < crumbs; i++) {
            text.append(CRUMBS.get(random.nextInt(CRUMBS.size())));
        }
        return text.toString();
    }

    /** The output of {@link RenderedNodes} for one part of {@link #PAGE}. */
    private static String rendered(String part) {
        if (part.contains("@include")) {
            return "[" + part.substring(part.indexOf('\'') + 1, part.lastIndexOf('\'')) + "]";
        }
        return switch (part) {
            case "<esi:@try>" -> "{try";
            case "<esi:@attempt>" -> " attempt: ";
            case "<esi:@except>" -> " except: ";
            case "<esi:@choose>" -> "{choose";
            case "<esi:@when test='1'>" -> " when 1: ";
            case "</esi:@try>", "</esi:@choose>" -> "}";
            case "$@(HTTP_HOST)" -> "{$(HTTP_HOST)}";
            default -> part.startsWith("<esi:@") || part.startsWith("</esi:@") ? "" : part;
        };
    }

    @InPieces
    void workIsLinearInTheLengthOfTheDocument(int piece) {
        var hostile = ("<esi:" + NONCE + "<esi:" + NONCE + ":a b=\"$" + NONCE + ":(").repeat(2000);

        var parsed = parse(hostile, piece, STAMPED);

        assertThat(parsed.work()).isLessThan(6L * hostile.length());
    }
}
