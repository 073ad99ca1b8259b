package dev.quire.core.parse;

import static dev.quire.core.parse.Pages.page;
import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/esi.md, Try to Regions: choose, try, vars, inline, regions, and malformed ones. */
class CoreElementsTest {

    private static Stream<Arguments> pages() {
        return Stream.of(choose(), attempts(), vars(), inlines(), regions(), nesting())
                .flatMap(each -> each)
                .flatMap(Pages::inPieces);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyElementBecomesItsNode(int piece, String document, String output, int errors) {
        var parsed = parse(document, piece);

        assertThat(parsed.output()).isEqualTo(output);
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
    }

    private static Stream<Arguments> choose() {
        return Stream.of(
                page(
                        "a<esi:choose><esi:when test='$(a)==1'>x</esi:when></esi:choose>b",
                        "a{choose when $(a) EQUAL 1: x}b"),
                page(
                        "<esi:choose>\n\t<esi:when test=\"1==1\" matchname='m'>T</esi:when>\n"
                                + "<esi:otherwise>F</esi:otherwise>\n</esi:choose>",
                        "{choose when 1 EQUAL 1 as m: T otherwise: F}"),
                page(
                        "<esi:choose><esi:otherwise>o</esi:otherwise><esi:when test='1'>w</esi:when></esi:choose>",
                        "{choose when 1: w otherwise: o}"),
                page(
                        "<esi:choose><esi:otherwise>o</esi:otherwise></esi:choose>",
                        "{choose otherwise: o}",
                        1),
                page("a<esi:choose></esi:choose>b", "a{choose}b", 1),
                page(
                        "<esi:choose><esi:when test='1'>$(b) <esi:include src='/f'/></esi:when></esi:choose>",
                        "{choose when 1: {$(b)} [/f]}"),
                page(
                        "<esi:choose><esi:when test='1'/><esi:otherwise/></esi:choose>",
                        "{choose when 1: }"),
                // a malformed test
                page(
                        "<esi:choose><esi:when>A</esi:when><esi:otherwise>B</esi:otherwise></esi:choose>",
                        "{choose when never: A otherwise: B}",
                        1),
                page(
                        "<esi:choose><esi:when test=''>A</esi:when></esi:choose>",
                        "{choose when never: A}",
                        1),
                page(
                        "<esi:choose><esi:when test='(1'>A</esi:when></esi:choose>",
                        "{choose when never: A}",
                        1),
                page(
                        "<esi:choose><esi:when test='1 + 2 * 3'>A</esi:when></esi:choose>",
                        "{choose when 1 ADD 2 MULTIPLY 3: A}",
                        1),
                page(
                        "<esi:choose><esi:when test='1' matchname='1'>A</esi:when></esi:choose>",
                        "{choose when 1: A}",
                        1),
                // content that is not allowed there
                page(
                        "<esi:choose>x<esi:when test='1'>A</esi:when>y<!-- z --></esi:choose>",
                        "{choose when 1: A}",
                        2),
                page(
                        "<esi:choose><esi:include src='/f'/><esi:vars>v<esi:when test='1'>w</esi:when></esi:vars>"
                                + "<esi:when test='1'>A</esi:when></esi:choose>",
                        "{choose when 1: A}",
                        3),
                page(
                        "<esi:choose><esi:comment/><esi:remove>x</esi:remove><esi:when test='1'>A</esi:when></esi:choose>",
                        "{choose when 1: A}"),
                page(
                        "<esi:choose><esi:otherwise>1</esi:otherwise><esi:otherwise>2<esi:choose>"
                                + "<esi:otherwise>3</esi:otherwise></esi:choose></esi:otherwise>"
                                + "<esi:when test='0'>w</esi:when></esi:choose>",
                        "{choose when 0: w otherwise: 1}",
                        2),
                // misplaced
                page("a<esi:otherwise>b</esi:otherwise>c", "abc", 1),
                page(
                        "<esi:choose><esi:when test='1'>a<esi:when test='2'>b</esi:when>c</esi:when></esi:choose>d",
                        "{choose when 1: abc}d",
                        1),
                page(
                        "<esi:choose><esi:when test=\"1==1\">a</esi:otherwise></esi:when></esi:choose>b",
                        "{choose when 1 EQUAL 1: a}b",
                        1),
                page("a</esi:choose>b", "ab", 1),
                // not closed
                page("a<esi:choose><esi:when test='1'>b", "a{choose when 1: b}", 2),
                page("a<esi:choose><esi:when test='1'>b</esi:choose>c", "a{choose when 1: b}c", 1));
    }

    private static Stream<Arguments> attempts() {
        return Stream.of(
                page(
                        "<esi:try><esi:attempt>a <esi:include src='/f'/></esi:attempt>"
                                + "<esi:except>e</esi:except></esi:try>",
                        "{try attempt: a [/f] except: e}"),
                page(
                        "<esi:try> <esi:attempt>a</esi:attempt> <esi:attempt>b</esi:attempt>\n"
                                + "<esi:except code='404'>4</esi:except><esi:except>e</esi:except></esi:try>",
                        "{try attempt: a attempt: b except 404: 4 except: e}"),
                page(
                        "<esi:try><esi:attempt>a</esi:attempt><esi:except code='4xx'>e</esi:except></esi:try>",
                        "{try attempt: a except: e}",
                        1),
                page(
                        "<esi:try> invalid <esi:attempt>a</esi:attempt> invalid </esi:try>",
                        "{try attempt: a}",
                        2),
                page("<esi:try><esi:except>e</esi:except></esi:try>", "{try except: e}", 1),
                page("a<esi:attempt>b</esi:attempt><esi:except>c</esi:except>", "abc", 2),
                page(
                        "<esi:try><esi:attempt>1<esi:try><esi:attempt>2</esi:attempt></esi:try></esi:attempt></esi:try>",
                        "{try attempt: 1{try attempt: 2}}"),
                page("<esi:try><esi:attempt>$(a)", "{try attempt: {$(a)}}", 2));
    }

    private static Stream<Arguments> vars() {
        return Stream.of(
                page("p $(HTTP_HOST) \\$ q", "p $(HTTP_HOST) \\$ q"),
                page("a <esi:vars>$(HTTP_HOST)</esi:vars> b", "a {$(HTTP_HOST)} b"),
                page("<esi:vars>HTTP_HOST</esi:vars>", "HTTP_HOST"),
                page("a<esi:vars></esi:vars>b", "ab"),
                page("<esi:vars>$(A{k}|d)-$lower('X')</esi:vars>", "{$(A{k}|d)}-{$lower('X')}"),
                page("foo <esi:vars>$(HTTP_HOST</esi:vars> bar", "foo $(HTTP_HOST bar"),
                page("<esi:vars>\\$(a) \\n $('#x') $known</esi:vars>", "$(a) \\n $('#x') $known"),
                page("<esi:vars>$(a)<esi:include src='/f'/>$(b)</esi:vars>", "{$(a)}[/f]{$(b)}"),
                page(
                        "<esi:vars escape='json'>$(a)<esi:choose><esi:when test='1'>$(b)"
                                + "<esi:vars escape='none'>$(c)</esi:vars></esi:when></esi:choose></esi:vars><esi:vars>$(d)</esi:vars>",
                        "{$(a)|JSON}{choose when 1: {$(b)|JSON}{$(c)|NONE}}{$(d)}"),
                page("<esi:vars escape='css'>$(a)</esi:vars>", "{$(a)}", 1),
                page("a<esi:vars name=\"$(X)\"/>b", "a{$(X)}b"),
                page("<esi:vars name='$(X)$(Y)' escape='url'/>", "{'$(X)$(Y)'|URL}"),
                page("<esi:vars name='$(X)'>y</esi:vars>", "{$(X)}y", 1),
                page("<esi:vars/>a", "a", 1),
                page("a</esi:vars>b", "ab", 1),
                page("a<!--esi <esi:vars>blah</esi:var>-->b", "a blahb", 2),
                // opaque pieces
                page(
                        "<esi:vars>$(a)<!-- $(b) --><![CDATA[$(c)\\$]]>$(d)</esi:vars>",
                        "{$(a)}<!-- $(b) --><![CDATA[$(c)\\$]]>{$(d)}"),
                page("<esi:vars>a<!-- $(b", "a<!-- $(b", 1),
                page("<esi:vars>$(a<!-- ) -->)</esi:vars>", "$(a<!-- ) -->)"),
                page(
                        "<esi:vars>$(a)<esi:text>$(b)\\$<esi:x>-->]]>'</esi:text >$(c)</esi:vars>",
                        "{$(a)}$(b)\\$<esi:x>-->]]>'{$(c)}"),
                page("<!--esi<esi:vars>$(a)--> $(b)</esi:vars>", "{$(a)} {$(b)}"),
                // verbatim text
                page("<esi:text><esi:include src=\"</esi:text>\"", "<esi:include src=\"\""),
                page("<esi:text></esi:text a='>'>b", "'>b"),
                page("<esi:text></esi:texts></esi:tex</esi:text>b", "</esi:texts></esi:texb"),
                page("a<esi:text/>$(b)", "a$(b)"),
                page("a<esi:text>b", "ab", 1),
                page("a<esi:text>b</esi:te", "ab", 1),
                page("a<esi:text>b</es", "ab</es", 1),
                page("a<esi:text>b</esi:text", "ab", 1),
                page("a</esi:text>b", "ab", 1));
    }

    private static Stream<Arguments> inlines() {
        return Stream.of(
                page(
                        "<esi:inline name='/i' fetchable='yes'>a<esi:x>$(b)<!--</esi:inline>c",
                        "{inline /i|fetchable: a<esi:x>$(b)<!--}c"),
                page("<esi:inline name='/i?a&amp;b'></esi:inline>", "{inline /i?a&b: }"),
                page("<esi:inline name='/i'/>a", "{inline /i: }a"),
                page("<esi:inline name='/i' fetchable='1'>a</esi:inline>", "{inline /i: a}", 1),
                page("a<esi:inline>b</esi:inline>c", "ac", 1),
                page("a<esi:inline name='/i'>b", "a{inline /i: b}", 1));
    }

    private static Stream<Arguments> regions() {
        return Stream.of(
                page("a<esi:fragment name='x'>b</esi:fragment>c", "a{region x: b}c"),
                page("a<esi:fragment>$(b)</esi:fragment>c", "a$(b)c", 1),
                page(
                        "<esi:vars><esi:fragment name='x'>$(b)</esi:fragment></esi:vars>",
                        "{region x: {$(b)}}"),
                page(
                        "<esi:include src='/t'><esi:replace fragment='r'>$(N)<esi:vars>$(V)</esi:vars>"
                                + "</esi:replace> <esi:replace fragment='s'/></esi:include>$(a)",
                        "[/t|replace r: $(N){$(V)}|replace s: ]$(a)"),
                page(
                        "<esi:vars><esi:include src='/t'><esi:replace fragment='r'>$(N)</esi:replace></esi:include></esi:vars>",
                        "[/t|replace r: {$(N)}]"),
                page(
                        "<esi:include src='/t'><esi:replace regexp='r'>N</esi:replace></esi:include>a",
                        "[/t]a",
                        1),
                page(
                        "<esi:include src='/t'><esi:replace fragment='r'><esi:include src='/u'>"
                                + "<esi:param name='a' value='b'/></esi:include></esi:replace></esi:include>c",
                        "[/t|replace r: [/u|param a=b]]c"));
    }

    private static Stream<Arguments> nesting() {
        return Stream.of(
                page(
                        "<esi:vars><esi:choose><esi:when test='1'>x</esi:vars>y</esi:when>z",
                        "{choose when 1: x}yz",
                        3),
                page("<esi:blah><esi:vars>$(a)</esi:blah>$(b)</esi:vars>", "{$(a)}{$(b)}", 2),
                page("<esi:remove><esi:choose></esi:remove>a</esi:choose>", "a", 1));
    }
}
