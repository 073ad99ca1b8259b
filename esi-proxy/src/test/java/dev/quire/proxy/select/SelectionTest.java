package dev.quire.proxy.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<p>a</p><p class=b>b</p> | p | <p>a</p>",
                "<p>a</p><p class=b>b</p> | .b | <p class=b>b</p>",
                "<DIV  ID='x' >1 &lt; 2<BR>3</DIV >after | #x | <DIV  ID='x' >1 &lt; 2<BR>3</DIV >",
                "<ul><li>1<li>2</ul> | li:eq(1) | <li>2",
                "<ul><li>1<li>2</ul>x | ul | <ul><li>1<li>2</ul>",
                "<p>one<p>two | p | <p>one",
                "<p>one <b>two</b> | p | <p>one <b>two</b>",
                "<img src=a><p>x | img | <img src=a>",
                "<div><div>in</div></div> | div div | <div>in</div>",
                "<table><tr><td>c</td></tr></table> | td | <td>c</td>",
                "<main><!-- c -->x</main> | main | <main><!-- c -->x</main>",
                "<x-y>z</x-y> | x-y | <x-y>z</x-y>",
            })
    void elementIsCutOutAsItStandsThere(String document, String selector, String cut) {
        assertThat(first(document, selector)).isEqualTo(cut);
    }

    @ParameterizedTest
    @ValueSource(strings = {"p.none", "", " ", "p[", ">>", "p:nope", ":matches((", "p,,"})
    void nothingIsSelectedByWhatSelectsNothingOrCannotBeRead(String selector) {
        assertThat(first("<p>a</p>", selector)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tbody", "html", "body", "head"})
    void elementThatNobodyWroteIsNone(String selector) {
        assertThat(first("<table><tr><td>c</table>", selector)).isNull();
    }

    @Test
    void bytesOfEveryCharsetStayAsTheyAre() {
        var document =
                "<i>\u00e9\u4e2d</i><b>\u4e2d\ud83d\ude00\u00e9</b>"
                        .getBytes(StandardCharsets.UTF_8);

        var cut = Selection.first(document, "b");

        assertThat(cut)
                .isEqualTo("<b>\u4e2d\ud83d\ude00\u00e9</b>".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void deepNestingAndLongSelectorsEnd() {
        var deep = "<div>".repeat(100_000) + "<p>x</p>";

        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    assertThat(first(deep, "p")).isIn("<p>x</p>", null);
                    assertThat(first("<p>x</p>", ":has(".repeat(100_000))).isNull();
                });
    }

    private static @Nullable String first(String document, String selector) {
        var cut = Selection.first(document.getBytes(StandardCharsets.ISO_8859_1), selector);
        return cut == null ? null : new String(cut, StandardCharsets.ISO_8859_1);
    }
}
