package dev.quire.proxy.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.quire.core.assemble.FragmentSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Elements extracted from whole documents as original bytes, as the application extracts them. */
class SelectionTest {

    @ParameterizedTest
    @CsvFileSource(
            files = "../esi-core/src/test/resources/select/cases.csv",
            delimiter = '|',
            nullValues = "nothing")
    void elementIsCutOutAsItStandsThere(
            String document, String selector, @Nullable String expected) {
        assertThat(first(document, selector)).isEqualTo(expected);
    }

    @Test
    void deepNestingAndLongSelectorsEnd() {
        var deep = "<div>".repeat(100_000) + "<p>x</p>";
        var longest = "p" + ",b".repeat(FragmentSource.MAX_SELECTOR / 2 - 1) + "b";

        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> {
                    assertThat(first(deep, "p")).isIn("<p>x</p>", null);
                    assertThat(first("<p>x</p>", longest)).isEqualTo("<p>x</p>");
                    assertThat(first("<p>x</p>", longest + "b")).isNull();
                    assertThat(first("<p>x</p>", ":has(".repeat(100_000))).isNull();
                });
    }

    private static @Nullable String first(String document, String selector) {
        var cut = Selection.first(document.getBytes(StandardCharsets.UTF_8), selector);
        return cut == null ? null : new String(cut, StandardCharsets.UTF_8);
    }
}
