package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Elements cut out of whole documents, byte for byte. */
class JsoupSelectionTest {

    private static @Nullable String first(String document, String selector) {
        var found = new JsoupSelection().first(document.getBytes(StandardCharsets.UTF_8), selector);
        return found == null ? null : new String(found, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <div id=x>a</div>b              | #x   | <div id=x>a</div>
                    <p ID='x' >a<br/>b</P  >c       | #x   | <p ID='x' >a<br/>b</P  >
                    <body><img id=x>y               | #x   | <img id=x>
                    <ul><li>a<li id=x>b<b>c</ul>d   | #x   | <li id=x>b<b>c
                    x<p id=x>one<p>two              | #x   | <p id=x>one
                    <div id=x>never <b>closed       | #x   | <div id=x>never <b>closed
                    <script>a='<p>'</script><p>b</p> | p   | <p>b</p>
                    서울<i>인천</i>                 | i    | <i>인천</i>
                    <p>1</p><p>2</p>                | p    | <p>1</p>
                    """)
    void anElementIsCutOutAsItStands(String document, String selector, String expected) {
        assertThat(first(document, selector)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"h1", "head", "body", "", " ", "p[", "::", ":nth-child(", "p:matches(*)"})
    void whatSelectsNothingOrCannotBeReadIsNothing(String selector) {
        assertThat(first("<p>text</p>", selector)).isNull();
    }

    @Test
    void deepAndBrokenDocumentsAreRead() {
        assertThat(first("<div>".repeat(100_000) + "<i>x</i>", "i")).isEqualTo("<i>x</i>");
        assertThat(first("</p></b><table><i>x</i><tr>", "i")).isEqualTo("<i>x</i>");
    }

    @Test
    void withoutJsoupNothingIsSelected() {
        assertThat(Selection.NONE.first(new byte[] {'x'}, "p")).isNull();
    }
}
