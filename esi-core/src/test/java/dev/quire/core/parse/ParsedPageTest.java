package dev.quire.core.parse;

import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page as nodes of its text alone. */
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
                "<esi:remove/>T\u00f8st <!--esi <esi:include src='/f'/>--> \u2603<esi:comment/>"
            })
    void outputIsTheSameFromTheTextAlone(String document) {
        var original = parse(document, WHOLE);

        var packed = packed(original);

        assertThat(packed.output()).isEqualTo(original.output());
        assertThat(packed.diagnostics()).isEqualTo(original.diagnostics());
        assertThat(packed.page().errors()).isEqualTo(original.page().errors());
        assertThat(packed.page().textBytes())
                .isEqualTo(original.page().textBytes())
                .isEqualTo(packed.document().length());
    }

    @Test
    void textThatNoIncludePartsIsOneNodeHoweverManyTagsStoodBetween() {
        var original = parse("<!--esi ".repeat(100_000), WHOLE);

        var packed = original.page().ofTextAlone();

        assertThat(original.page().nodes()).hasSize(100_000);
        assertThat(packed.nodes()).containsExactly(new EsiNode.Text(new Span(0, 100_000)));
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

    /** The page of the text alone, over that text. */
    private static ParsedText packed(ParsedText original) {
        var text = new StringBuilder();
        for (var node : original.page().nodes()) {
            if (node instanceof EsiNode.Text(Span span)) {
                text.append(original.document(), span.start(), span.end());
            }
        }
        return new ParsedText(text.toString(), original.page().ofTextAlone(), 0);
    }
}
