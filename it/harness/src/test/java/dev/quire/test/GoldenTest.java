package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.EsiAssertions.assertThatThrownBy;
import static dev.quire.test.PageAssertTest.fails;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GoldenTest {
    private static final String FRONT =
            """
            <!doctype html><html lang=en><head><title>News</title><style> a { b: c } </style></head>
            <body><main id="m" class="x  y"><h1>Election <b>night</b>, live</h1><!-- build 7 -->
            <p>42 %<br>counted &amp; <i>sure</i><pre>
             two
               lines </pre><textarea> a
             b</textarea><img src=a.png alt="">
            <script>if (a < b && c) { d("</p>"); }</script></main></body></html>
            """;

    @TempDir Path directory;

    private Golden kept() {
        return new Golden(directory, false);
    }

    private static Page page(String html) {
        return MadePage.of("/home").html(html).made();
    }

    private void write(String name, String html) {
        assertThat(page(html)).matchesGolden(name, new Golden(directory, true));
    }

    @Test
    void pageLooksLikeTheFileItWasWrittenTo() {
        write("front", FRONT);

        assertThat(page(FRONT)).matchesGolden("front", kept());
    }

    @Test
    void fileIsTheSameHoweverOftenItIsWritten() throws IOException {
        write("front", FRONT);
        var once = Files.readString(directory.resolve("front.html"));
        write("front", once);

        assertThat(Files.readString(directory.resolve("front.html"))).isEqualTo(once);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<p class='a b' id=i>one two</p>",
                "<p id=i class=\" a  b\">\n  one\n  two\n</p>",
                "<html><body><!-- x --><p id=i class='a b'>one<!-- y --> two</p></body></html>\n"
            })
    void whatAReaderCannotTellApartIsTheSame(String html) {
        write("p", "<p class='a b' id=i>one two</p>");

        assertThat(page(html)).matchesGolden("p", kept());
    }

    @Test
    void firstDifferenceIsShownWithItsPlaceAndHowToUpdate() {
        write("front", FRONT);

        fails(
                () ->
                        assertThat(page(FRONT.replace("sure", "unsure")))
                                .matchesGolden("front", kept()),
                "expected /home to match " + directory.resolve("front.html"),
                "expected: \"sure\"",
                "seen:     \"unsure\"",
                "the text of html > body > main#m > p > i",
                "-Dquire.golden=update",
                ".ignoring(\"selector\")");
        fails(
                () ->
                        assertThat(page(FRONT.replace("lang=en", "lang=de")))
                                .matchesGolden("front", kept()),
                "expected: <html lang=\"en\">",
                "seen:     <html lang=\"de\">",
                "the attributes of html");
        fails(
                () ->
                        assertThat(page(FRONT.replace("<img src=a.png alt=\"\">", "")))
                                .matchesGolden("front", kept()),
                "expected: \"<img alt=\\\"\\\" src=\\\"a.png\\\">\"",
                "the content of html > body > main#m");
        fails(
                () ->
                        assertThat(page(FRONT.replace("lines ", "lines")))
                                .matchesGolden("front", kept()),
                "the text of html > body > main#m > pre");
        fails(
                () ->
                        assertThat(page(FRONT.replace("a < b", "a > b")))
                                .matchesGolden("front", kept()),
                "the content of html > body > main#m > script");
    }

    @Test
    void rowsOfATableAreComparedWithTheirAttributes() throws IOException {
        var rows = "<tr class=a><td title=x> 42 % </td></tr>\n<tr><td>7 %";
        write("rows", rows);

        var file = Files.readString(directory.resolve("rows.html"));
        assertThat(page(file)).matchesGolden("rows", kept());
        assertThat(page(rows)).matchesGolden("rows", kept());
        fails(
                () ->
                        assertThat(page(rows.replace("title=x", "title=y")))
                                .matchesGolden("rows", kept()),
                "expected: <td title=\"x\">",
                "seen:     <td title=\"y\">",
                "the attributes of tr[1] > td");
    }

    @Test
    void elementIsNumberedAmongItsLike() {
        var difference =
                FirstDifference.of(
                        NormalDom.of("<p>a</p><p>b</p>", List.of()),
                        NormalDom.of("<p>a</p><p>c</p>", List.of()));

        assertThat(difference)
                .contains(new FirstDifference("html > body > p[2]", "the text", "\"b\"", "\"c\""));
    }

    @Test
    void ignoredElementsDoNotCount() {
        write("clock", "<p>a</p><time>12:00</time>");

        assertThat(page("<p>a</p><time>12:01</time>"))
                .ignoring("time")
                .matchesGolden("clock", kept());
    }

    @Test
    void missingFileSaysHowToMakeIt() {
        fails(
                () -> assertThat(page(FRONT)).matchesGolden("other", kept()),
                "a file " + directory.resolve("other.html"),
                "seen:     none",
                "run this test once with -Dquire.golden=update");
    }

    @Test
    void namesStayInTheirDirectory() {
        assertThatThrownBy(() -> assertThat(page(FRONT)).matchesGolden("../x", kept()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'../x' is not a name for a golden page");
    }

    @Test
    void filesLieAmongTheResourcesOfTheTests() {
        assertThat(Golden.ofThisBuild().directory())
                .isEqualTo(Path.of("src/test/resources/golden"));
    }
}
