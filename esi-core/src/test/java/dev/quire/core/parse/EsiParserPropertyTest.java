package dev.quire.core.parse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Properties of every document: a page never fails, and never leaks a tag. */
class EsiParserPropertyTest {

    /** A document, and its output if every include is empty. */
    record Written(String document, String text) {}

    @Provide
    Arbitrary<String> soup() {
        return Soup.documents();
    }

    @Provide
    Arbitrary<Written> pages() {
        return pages(3);
    }

    @Property
    void anyDocumentIsReadTheSameHoweverItIsCut(
            @ForAll("soup") String text,
            @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 40) Integer> cuts) {
        var document = new CutDocument(text.getBytes(ISO_8859_1));

        var page = document.parse();

        document.check(page);
        assertThat(document.parse(cuts.stream().mapToInt(Integer::intValue).toArray()))
                .isEqualTo(page);
        assertThat(document.parse(1)).isEqualTo(page);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void tagsVanishAndEverythingElseStaysInOrder(@ForAll("pages") Written written) {
        var document = new CutDocument(written.document().getBytes(ISO_8859_1));

        var page = document.parse();

        assertThat(document.text(page)).isEqualTo(written.text());
        assertThat(page.diagnostics()).isEmpty();
    }

    private static Arbitrary<Written> pages(int depth) {
        var flat = Arbitraries.oneOf(texts(), includes(), comments(), opaques());
        var pieces =
                depth == 0
                        ? flat
                        : Arbitraries.frequencyOf(
                                Tuple.of(4, flat),
                                Tuple.of(1, removed(pages(depth - 1))),
                                Tuple.of(2, containers(pages(depth - 1))),
                                Tuple.of(1, choices(pages(depth - 1))));
        return pieces.list().ofMaxSize(5).map(EsiParserPropertyTest::joined);
    }

    /** Text without markup; a tag may begin after it. */
    private static Arbitrary<Written> texts() {
        return Arbitraries.of(
                        "a",
                        "some words",
                        "\n",
                        "\r\n",
                        " ",
                        "<p class=\"b\">",
                        "</p>",
                        "<br/>",
                        "1 < 2",
                        "- -- ->",
                        "]]>",
                        "&amp;",
                        "\u00e9\u00ff",
                        "\u0000",
                        "<ESI:x>",
                        "<esi/>",
                        "<em>",
                        "</em>",
                        "$5",
                        "'",
                        "\"")
                .map(text -> new Written(text, text));
    }

    private static Arbitrary<Written> includes() {
        return Arbitraries.of(
                        "<esi:include src=\"/a\"/>",
                        "<esi:include src='/a' alt='/b' onerror='continue' />",
                        "<esi:include\n src=\"/a?b=1&amp;c=2\"\n></esi:include>")
                .map(tag -> new Written(tag, ""));
    }

    private static Arbitrary<Written> comments() {
        return Arbitraries.of("<esi:comment text=\"a > b\"/>", "<esi:comment/>")
                .map(tag -> new Written(tag, ""));
    }

    private static Arbitrary<Written> opaques() {
        return Combinators.combine(
                        Arbitraries.of(
                                List.of("<!-- ", " -->", "kept"),
                                List.of("<![CDATA[", "]]>", "kept"),
                                List.of("<esi:text>", "</esi:text>", "dropped")),
                        Arbitraries.of(
                                "x", "<esi:include src=\"/no\"/>", "<esi:remove>", "<!--esi", "$"))
                .as((around, inside) ->
                        new Written(
                                around.get(0) + inside + around.get(1),
                                around.get(2).equals("kept")
                                        ? around.get(0) + inside + around.get(1)
                                        : inside));
    }

    /** The first end tag ends it, even inside raw text. */
    private static Arbitrary<Written> removed(Arbitrary<Written> pages) {
        return pages.map(Written::document)
                .map(inside -> inside.matches("(?s).*esi:(remove|text).*") ? "" : inside)
                .map(inside -> new Written("<esi:remove>" + inside + "</esi:remove>", ""));
    }

    private static Arbitrary<Written> containers(Arbitrary<Written> pages) {
        return Combinators.combine(
                        Arbitraries.of(
                                List.of("<!--esi", "-->"),
                                List.of("<esi:fragment name=\"r\">", "</esi:fragment>"),
                                List.of("<esi:try><esi:attempt>", "</esi:attempt></esi:try>"),
                                List.of("<esi:foreach collection=\"[1]\">", "</esi:foreach>")),
                        pages)
                .as((around, inside) ->
                        new Written(
                                around.get(0) + inside.document() + around.get(1), inside.text()));
    }

    /** White space and text between the branches is dropped. */
    private static Arbitrary<Written> choices(Arbitrary<Written> pages) {
        return Combinators.combine(pages, pages)
                .as((one, other) ->
                        new Written(
                                "<esi:choose> <esi:when test=\"1\">"
                                        + one.document()
                                        + "</esi:when>\n<esi:otherwise>"
                                        + other.document()
                                        + "</esi:otherwise> </esi:choose>",
                                one.text() + other.text()));
    }

    private static Written joined(List<Written> pieces) {
        return new Written(
                pieces.stream().map(Written::document).collect(Collectors.joining()),
                pieces.stream().map(Written::text).collect(Collectors.joining()));
    }
}
