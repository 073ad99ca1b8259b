package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.expression.ResponseEdits.Field;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.ClientLifetime;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, Of the response, and {@code primary}. */
class PageAmendmentTest {

    @ParameterizedTest
    @CsvSource({
        "0,   0,   0,   0",
        "404, 0,   404, 0",
        "204, 0,   204, 0",
        "0,   503, 503, 0",
        "0,   204, 0,   0",
        "0,   304, 0,   0",
        "0,   416, 0,   0",
        "403, 503, 403, 0",
        "416, 0,   0,   1",
        "205, 503, 503, 1",
        "100, 0,   0,   1"
    })
    void statusIsTheFunctionsElseThePrimaryFragments(
            int function, int primary, int status, int refused) {
        var amendment = PageAmendment.of(edits(function), primary);

        assertThat(amendment.status()).isEqualTo(status);
        assertThat(amendment.refused())
                .hasSize(refused)
                .allMatch(each -> each.contains("status " + function));
        assertThat(amendment.changesHead()).isEqualTo(status != 0);
        assertThat(amendment.isError()).isEqualTo(status >= 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Via", "Content-Digest", "Accept-Ranges", "X-ESI-Level", "a b", ""})
    void fieldThatIsNotThePagesToSetIsRefused(String name) {
        var amendment = PageAmendment.of(edits(0, name, "x", "X-Kept", "y"), 0);

        assertThat(amendment.fields()).containsExactly(new Field("X-Kept", "y"));
        assertThat(amendment.refused()).singleElement().asString().contains("'" + name + "'");
    }

    @Test
    void fieldsAreBoundedTogether() {
        var half = "x".repeat(8 * 1024 - 1);
        var amendment = PageAmendment.of(edits(0, "A", half, "B", half, "C", ""), 0);

        assertThat(amendment.fields()).containsExactly(new Field("A", half), new Field("B", half));
        assertThat(amendment.refused())
                .containsExactly(
                        "field 'C' exceeds 16384 bytes, the limit for all fields set by a page");
    }

    @Test
    void cacheControlIsALifetimeAndNoLine() {
        var amendment = PageAmendment.of(edits(0, "cache-control", "max-age=9"), 0);
        var said = Fields.of("Cache-Control", "max-age=9");

        assertThat(amendment.fields()).isEmpty();
        assertThat(amendment.lifetime()).isEqualTo(ClientLifetime.of(said, Duration.ZERO));
    }

    @Test
    void fieldThatAResponseHasOnceReplacesTheDocuments() {
        var amendment = PageAmendment.of(edits(0, "location", "/x", "Link", "</y>"), 0);

        assertThat(amendment.replaces("Location")).isTrue();
        assertThat(amendment.replaces("Content-Type")).isFalse();
        assertThat(amendment.replaces("Link")).isFalse();
    }

    @Test
    void theLastOfAFieldThatAResponseHasOnceCounts() {
        var amendment = PageAmendment.of(edits(0, "Location", "/x", "X", "1", "location", "/y"), 0);

        assertThat(amendment.fields())
                .containsExactly(new Field("X", "1"), new Field("location", "/y"));
    }

    @Test
    void cookieMakesThePageOneClientsOwn() {
        assertThat(PageAmendment.of(edits(0, "set-cookie", "a=1"), 0).setsCookie()).isTrue();
        assertThat(PageAmendment.of(edits(0, "X", "a=1"), 0).setsCookie()).isFalse();
        assertThat(PageAmendment.of(ResponseEdits.NONE, 0)).isSameAs(PageAmendment.NONE);
    }

    private static ResponseEdits edits(int status, String... namesAndValues) {
        var fields = new ArrayList<Field>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(new Field(namesAndValues[i], namesAndValues[i + 1]));
        }
        return new ResponseEdits(status, fields, null);
    }
}
