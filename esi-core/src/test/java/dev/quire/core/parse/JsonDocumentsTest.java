package dev.quire.core.parse;

import static dev.quire.core.parse.Pages.page;
import static dev.quire.core.parse.ParsedText.parse;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.parse.ParseOptions.SourceFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** ESI in JSON: tags with JSON's escapes inside of strings, as they are outside (RFC 8259 §7). */
class JsonDocumentsTest {

    private static final ParseOptions JSON =
            new ParseOptions(SourceFormat.JSON, Dialect.STANDARD, false, Escape.MARKUP);

    private static Stream<Arguments> pages() {
        return Stream.of(
                        page("{\"a\":\"b\\\"\\\\\",\"c\":[1]}", "{\"a\":\"b\\\"\\\\\",\"c\":[1]}"),
                        // outside of strings
                        page("{\"a\":1,\"b\":<esi:include src=\"/b\"/>}", "{\"a\":1,\"b\":[/b]}"),
                        page(
                                "{\"b\":<esi:include src=\"/b\\\" escape='json'/>}",
                                "{\"b\":[/b\\|escape JSON]}"),
                        page("[<esi:vars>$(A)</esi:vars>]", "[{$(A)|NONE}]"),
                        // inside of them
                        page(
                                "{\"a\":\"<esi:include src=\\\"http:\\/\\/x\\/b\\\"\\/>\"}",
                                "{\"a\":\"[http://x/b|escape JSON]\"}"),
                        page(
                                "{\"a\":\"<esi:include src=\\\"/b\\\" escape=\\\"none\\\"/>\"}",
                                "{\"a\":\"[/b|escape NONE]\"}"),
                        page(
                                "{\"a\":\"<esi:include\\n\\tsrc='/b'\\r\\n/>\"}",
                                "{\"a\":\"[/b|escape JSON]\"}"),
                        page(
                                "\"<esi:include src\\u003d\\u0022\\/f?a&amp;b\\u0022\\/\\u003e<esi:x/\\u003E\"",
                                "\"[/f?a&b|escape JSON]\"",
                                1),
                        page(
                                "\"<esi:include src='/\\u00e9\\ud83d\\ude00\\ud83dx\\ude00'/>\"",
                                "\"[/\u00e9\ud83d\ude00?x?|escape JSON]\""),
                        page(
                                "\"<esi:include src='/\\ud83d\\u0041\\u00g\\q'/>\"",
                                "\"[/?A\\u00g\\q|escape JSON]\""),
                        page(
                                "\"<esi:include src=\"/f\"/>\",\"<esi:include src='/g'/>\"",
                                "\"[/f|escape JSON]\",\"[/g|escape JSON]\""),
                        page(
                                "\"a\\\\\",<esi:include src='/f'/>,\"b\\\\\\\"<esi:include src='/g'/>\"",
                                "\"a\\\\\",[/f],\"b\\\\\\\"[/g|escape JSON]\""),
                        page(
                                "\"<esi:vars>$(A)<\\/esi:vars><esi:vars escape='url'>$(B)</esi:vars>\"",
                                "\"{$(A)|JSON}{$(B)|URL}\""),
                        page(
                                "<esi:choose><esi:when test=\"1\">{\"a\":\"$(X)\",\"b\":$(Y)}</esi:when></esi:choose>",
                                "{choose when 1: {\"a\":\"{$(X)|JSON}\",\"b\":{$(Y)|NONE}}}"),
                        page(
                                "\"<esi:text>$(a)\\\"<esi:x><\\/esi:text>\",<esi:include src='/f'/>",
                                "\"$(a)\\\"<esi:x>\",[/f]"),
                        page(
                                "\"<esi:inline name='/i'>\\\"a\\/\",\"b<\\/esi:inline>\"",
                                "\"{inline /i: \\\"a\\/\",\"b}\""),
                        page("\"<!--esi <esi:x/>-\\u002d\\u003ea-->b\"", "\" a-->b\"", 1),
                        page("\"<!--esi --\\u002d>b\"", "\" -b\""),
                        page(
                                "\"<esi:include src='/f'> \\n<\\/esi:include>\\u003c/p>\"",
                                "\"[/f|escape JSON]\\u003c/p>\""),
                        // comments and CDATA sections end with their string
                        page(
                                "\"<!-- <esi:x/> \\\" \",\"<esi:include src='/f'/>\"",
                                "\"<!-- <esi:x/> \\\" \",\"[/f|escape JSON]\""),
                        page(
                                "\"<esi:vars>$(a)<!-- $(b)\",\"<![CDATA[$(c)\",\"$(d)</esi:vars>\"",
                                "\"{$(a)|JSON}<!-- $(b)\",\"<![CDATA[$(c)\",\"{$(d)|JSON}\""),
                        // escaped angle brackets are text
                        page(
                                "\"\\u003cesi:include src='/f'/>\\u003Cesi:x/>\"",
                                "\"\\u003cesi:include src='/f'/>\\u003Cesi:x/>\""),
                        page(
                                "\"<esi:include src='/f?\\u003c'/>\\u003c/esi:vars>\"",
                                "\"[/f?<|escape JSON]\\u003c/esi:vars>\""),
                        // malformed
                        page(
                                "{\"a\":\"<esi:include src=\\\"/f />\",\"b\":\"<esi:include src='/g'/>\"}",
                                "{\"a\":\"\",\"b\":\"[/g|escape JSON]\"}",
                                1),
                        page(
                                "\"a<esi:include src='/f \\u003e<esi:include src='/g'/>\"",
                                "\"a[/g|escape JSON]\"",
                                1),
                        page("\"<esi:include src='/f", "\"", 1),
                        page("\"a\\", "\"a\\"),
                        page("\"a\\u003", "\"a\\u003"),
                        page("\"a\\ud83d", "\"a\\ud83d"),
                        page("\"<esi:vars>$(a)\\u00", "\"{$(a)|JSON}\\u00", 1))
                .flatMap(Pages::inPieces);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void tagsAreReadWhereverTheyStand(int piece, String document, String output, int errors) {
        var parsed = parse(document, piece, JSON);

        assertThat(parsed.output()).isEqualTo(output);
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
    }

    @InPieces
    void positionsAreThoseOfTheDocumentAsItIs(int piece) {
        var document = "{\n\"a\":\"\\n<esi:include src=\\\"\\/f\\\"\\/>\\n$\"}";

        var nodes = parse(document, piece, JSON).page().nodes();

        assertThat(nodes).hasSize(3);
        assertThat(nodes.get(0)).isEqualTo(new EsiNode.Text(new Span(0, 9)));
        assertThat(nodes.get(1))
                .isInstanceOfSatisfying(
                        EsiNode.Include.class,
                        include -> assertThat(include.at()).isEqualTo(new Position(2, 8, 9)));
        assertThat(nodes.get(2)).isEqualTo(new EsiNode.Text(new Span(36, document.length())));
    }

    private static final List<String> PARTS =
            List.of(
                    "<esi:include src=\\\"\\/f\\\"\\/>",
                    "<esi:include src='/g'>",
                    "<\\/esi:include>",
                    "\\u003cesi:vars>",
                    "<\\/esi:vars\\u003e",
                    "<esi:include src=\"",
                    "<esi:x a='",
                    "<esi:text>",
                    "</esi:text>",
                    "<esi:inline name='i'>",
                    "<\\/esi:inline>",
                    "<!--esi",
                    "-->",
                    "<!--",
                    "\"",
                    "\\\"",
                    "\\",
                    "\\u",
                    "\\u00",
                    "3c",
                    "\\ud83d",
                    "\\ude00",
                    "$(a)",
                    "$(",
                    ")",
                    "esi:",
                    "<",
                    ">",
                    "'",
                    " ",
                    "\n",
                    "text");

    @Test
    void whereADocumentIsCutNeverMakesADifference() {
        var random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            var document = new StringBuilder("\"".repeat(random.nextInt(2)));
            for (int i = random.nextInt(12); i >= 0; i--) {
                document.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            var bytes = document.toString().getBytes(US_ASCII);

            var whole = parse(bytes, Integer.MAX_VALUE, JSON);

            assertThat(parse(bytes, 1, JSON).page()).as("%s", document).isEqualTo(whole.page());
            assertThat(parse(bytes, 1 + random.nextInt(20), JSON).page())
                    .as("%s", document)
                    .isEqualTo(whole.page());
        }
    }
}
