package dev.quire.core.parse;

import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.parse.ParsedPage.Traits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A page as nodes of its text alone, and its traits. */
class ParsedPageTest {

    private static final int WHOLE = Integer.MAX_VALUE;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text",
                "<esi:comment text='c'/>",
                "<esi:include src='/a'/>",
                "a<esi:include src='/f'/><esi:include src='/g' alt='/h' onerror='continue'/>b",
                "a<esi:remove>no</esi:remove>b<esi:include src='/f'/><!--esi c<esi:x/>d-->e",
                "<esi:remove/>T\u00f8st <!--esi <esi:include src='/f'/>--> \u2603<esi:comment/>",
                "a<esi:choose><esi:otherwise>o<esi:x/>p</esi:otherwise>"
                        + "<esi:when test='1'>w$(v)x</esi:when></esi:choose>b",
                "a<esi:try><esi:attempt>b<esi:x/>c</esi:attempt><esi:except>d</esi:except></esi:try>e",
                "a<esi:foreach collection='$(c)'>b<esi:break/>c</esi:foreach>d",
                "a<esi:fragment name='r'>b<esi:include src='/f'/>c</esi:fragment>d",
                "a<esi:include src='/f'><esi:replace fragment='r'>b<esi:x/>c</esi:replace></esi:include>d",
                "a<esi:assign name='n'>b$(c)</esi:assign>d<esi:function name='f'>e</esi:function>g",
                "a<esi:inline name='/i'>b</esi:inline>c<esi:eval src='/e'/>d<esi:vars>\\$e</esi:vars>"
            })
    void outputIsTheSameFromTheTextAlone(String document) {
        var original = parse(document, WHOLE);

        var packed = packed(original);

        assertThat(packed.output()).isEqualTo(original.output());
        assertThat(packed.diagnostics()).isEqualTo(original.diagnostics());
        assertThat(packed.page().errors()).isEqualTo(original.page().errors());
        assertThat(packed.page().traits()).isEqualTo(original.page().traits());
        assertThat(packed.page().textBytes())
                .isEqualTo(original.page().textBytes())
                .isEqualTo(packed.document().length());
    }

    @Test
    void textThatNoIncludePartsIsOneNodeHoweverManyTagsStoodBetween() {
        var original = parse("<!--esi ".repeat(150_000), WHOLE);

        var packed = original.page().ofTextAlone();

        assertThat(original.page().nodes()).hasSize(150_000);
        assertThat(packed.nodes()).containsExactly(new EsiNode.Text(new Span(0, 150_000)));
    }

    @Test
    void includesKeepTheirPositionInTheDocumentAsItWasParsed() {
        var original = parse("<esi:comment/>\n<esi:include src='/f'/>", WHOLE);

        var packed = original.page().ofTextAlone();

        assertThat(packed.nodes()).hasSize(2);
        assertThat(packed.nodes().getLast())
                .isEqualTo(original.page().nodes().getLast())
                .extracting(include -> ((EsiNode.Include) include).at())
                .isEqualTo(new Position(2, 1, 15));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "text <!--esi <esi:comment/>--> ~ false ~ false ~ false ~ false",
                "<esi:include src='/f' alt='/g'/> ~ false ~ false ~ false ~ false",
                "<esi:fragment name='r'>a</esi:fragment> ~ false ~ false ~ false ~ false",
                "<esi:include src='/f?$(a)'/> ~ true ~ false ~ false ~ false",
                "<esi:include src='/f' alt='$(a)'/> ~ true ~ false ~ false ~ false",
                "<esi:include src='/f' setheader='A: $(a)'/> ~ true ~ false ~ false ~ false",
                "<esi:include src='/f'><esi:param name='a' value='$(a)'/></esi:include>"
                        + " ~ true ~ false ~ false ~ false",
                "<esi:include src='/f'><esi:replace fragment='r'/></esi:include>"
                        + " ~ true ~ false ~ false ~ false",
                "<esi:vars>text</esi:vars> ~ false ~ false ~ false ~ false",
                "<esi:vars>$(a)</esi:vars> ~ true ~ false ~ false ~ false",
                "<esi:assign name='a' value='1'/> ~ true ~ false ~ false ~ false",
                "<esi:inline name='/i'>a</esi:inline> ~ true ~ false ~ false ~ false",
                "<esi:include src='/f' onerror='fail'/> ~ false ~ false ~ true ~ false",
                "<esi:include src='/f' onerror='continue'/> ~ false ~ false ~ false ~ false",
                "<esi:include src='/f' primary='true'/> ~ false ~ false ~ false ~ true",
                "<esi:try><esi:attempt><esi:eval src='/f' onerror='fail'/></esi:attempt></esi:try>"
                        + " ~ true ~ false ~ true ~ false",
                "<esi:vars>$add_header('a', 'b')</esi:vars> ~ true ~ true ~ false ~ false",
                "<esi:choose><esi:when test='!$lower([1, $set_response_code(404)])'/></esi:choose>"
                        + " ~ true ~ true ~ false ~ false",
                "<esi:foreach collection='$(a)'><esi:assign name='b'>$set_redirect('/c')"
                        + "</esi:assign></esi:foreach> ~ true ~ true ~ false ~ false",
                "<esi:assign name='a' value='1 + $add_header($(b{$(c)}), {1: 2})'/>"
                        + " ~ true ~ true ~ false ~ false",
                "<esi:include src='/f?$add_header(1, 2)'/> ~ true ~ true ~ false ~ false",
                "<esi:function name='f'><esi:return value='$set_redirect(1) == 1 | 2 matches 3'/>"
                        + "</esi:function> ~ true ~ true ~ false ~ false"
            })
    void whatItAsksOfTheAssemblerIsKnownOfTheWholeTree(
            String document,
            boolean isEvaluated,
            boolean editsResponse,
            boolean mayFail,
            boolean hasPrimary) {
        var page = parse(document, WHOLE).page();

        assertThat(page.traits())
                .isEqualTo(new Traits(isEvaluated, editsResponse, mayFail, hasPrimary));
    }

    @Test
    void aSoundPageIsNoProblemInStrictMode() {
        var page = parse("a<esi:vars>$(b)</esi:vars>", WHOLE).page();

        assertThatCode(() -> page.requireSound("http://example.test/")).doesNotThrowAnyException();
    }

    @Test
    void strictModeNamesEveryDiagnosticWithItsPlace() {
        var page = parse("<esi:x/>\n <esi:include/>", WHOLE).page();

        assertThatThrownBy(() -> page.requireSound("http://example.test/"))
                .isInstanceOf(UnsoundPageException.class)
                .hasMessage(
                        "http://example.test/:1:1: unknown element (tag stripped)\n"
                                + "http://example.test/:2:2: <esi:include> has no src (tag stripped)");
    }

    @Test
    void strictModeSaysHowManyDiagnosticsWereNotKept() {
        var page = parse("<esi:x/>".repeat(ParsedPage.MAX_DIAGNOSTICS + 3), WHOLE).page();

        assertThatThrownBy(() -> page.requireSound("u")).hasMessageEndingWith("\nu: and 3 more");
    }

    /** The page over its text alone. */
    private static ParsedText packed(ParsedText original) {
        var text = new StringBuilder();
        original.page()
                .forEachText(span -> text.append(original.document(), span.start(), span.end()));
        return new ParsedText(text.toString(), original.page().ofTextAlone(), 0);
    }
}
