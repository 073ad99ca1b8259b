package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FieldsTest {

    @Test
    void namesCompareWithoutRegardToCase() {
        var fields = Fields.of("Vary", "a", "vary", "b", "ETag", "\"1\"");

        assertThat(fields.first("VARY")).isEqualTo("a");
        assertThat(fields.all("vArY")).containsExactly("a", "b");
        assertThat(fields.contains("etag")).isTrue();
        assertThat(fields.first("Age")).isNull();
    }

    @Test
    void withoutKeepsTheOrderOfTheRest() {
        var fields = Fields.of("A", "1", "B", "2", "a", "3", "C", "4");

        assertThat(fields.without(name -> name.equalsIgnoreCase("a")))
                .isEqualTo(Fields.of("B", "2", "C", "4"));
    }

    @Test
    void whatWasBuiltDoesNotChangeLater() {
        var builder = new Fields.Builder().add("A", "1");

        var built = builder.build();
        builder.add("B", "2");

        assertThat(built).isEqualTo(Fields.of("A", "1"));
    }

    @Test
    void noLinesAreAlwaysTheSameValue() {
        assertThat(Fields.of()).isEqualTo(Fields.EMPTY);
        assertThat(Fields.of("A", "1").without(name -> true)).isEqualTo(Fields.EMPTY);
        assertThat(Fields.EMPTY.all("A")).isEmpty();
    }

    @Test
    void nameWithoutAValueIsRefused() {
        assertThatThrownBy(() -> Fields.of("A", "1", "B"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
