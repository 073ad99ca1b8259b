package dev.quire.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {

    @ParameterizedTest
    @CsvSource({"a, a, 0", "'', abc, 3", "kitten, sitting, 3", "flaw, lawn, 2", "abc, '', 3"})
    void theDistanceCountsEdits(String a, String b, int edits) {
        assertThat(NearestName.distance(a, b)).isEqualTo(edits);
    }

    @Test
    void theNearestIsFoundHoweverLongTheNameIs() {
        var valid = List.of("memory", "max-object", "grace");

        assertThat(NearestName.to("max-objekt", valid)).isEqualTo("max-object");
        assertThat(NearestName.to("grace" + "e".repeat(1_000_000), valid)).isIn(valid);
    }
}
