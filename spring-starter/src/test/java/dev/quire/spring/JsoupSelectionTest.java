package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.FragmentSource;
import dev.quire.spring.internal.assemble.FragmentSelection;
import dev.quire.spring.internal.assemble.JsoupSelection;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Elements cut out of complete documents, byte for byte, as in the proxy. */
class JsoupSelectionTest {

    private static @Nullable String first(String document, String selector) {
        var found = new JsoupSelection().first(document.getBytes(StandardCharsets.UTF_8), selector);
        return found == null ? null : new String(found, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvFileSource(
            files = "../esi-core/src/test/resources/select/cases.csv",
            delimiter = '|',
            nullValues = "nothing")
    void anElementIsCutOutAsItStands(String document, String selector, @Nullable String expected) {
        assertThat(first(document, selector)).isEqualTo(expected);
    }

    @Test
    void aSelectorIsBounded() {
        var longest = "p" + ",b".repeat(FragmentSource.MAX_SELECTOR / 2 - 1) + "b";

        assertThat(first("<p>x</p>", longest)).isEqualTo("<p>x</p>");
        assertThat(first("<p>x</p>", longest + "b")).isNull();
        assertThat(first("<p>x</p>", ":has(".repeat(100_000))).isNull();
    }

    @Test
    void deepAndBrokenDocumentsAreRead() {
        assertThat(first("<div>".repeat(100_000) + "<i>x</i>", "i")).isEqualTo("<i>x</i>");
        assertThat(first("</p></b><table><i>x</i><tr>", "i")).isEqualTo("<i>x</i>");
    }

    @Test
    void withoutJsoupNothingIsSelected() {
        assertThat(FragmentSelection.NONE.first(new byte[] {'x'}, "p")).isNull();
    }
}
