package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EdgeArchitectureSurrogateCapabilityTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "abc=\"Surrogate/1.0 ESI/1.0\" | true",
                "abc=\"ESI/1.0\" | true",
                "abc=ESI/1.0 | true",
                "a=\"Surrogate/1.0\", b=\"Surrogate/1.0 ESI/1.0\" | true",
                "abc=\"Surrogate/1.0\" | false",
                "abc=\"ESI/1.1\" | false",
                "abc=\"ESI/1.0x\" | false",
                "abc=\"esi/1.0\" | false",
                "ESI/1.0 | false",
                "abc= | false",
                "abc=\" | false",
                "abc=\"ESI/1.0 | false",
                "'' | false"
            })
    void surrogateThatAssemblesSaysSo(String value, boolean announces) {
        assertThat(SurrogateCapability.announcesEsi(Fields.of("Surrogate-Capability", value)))
                .isEqualTo(announces);
    }

    @Test
    void misspelledFieldCountsToo() {
        var request = Fields.of("surrogate-capabilities", "a=\"ESI/1.0\"");

        assertThat(SurrogateCapability.announcesEsi(request)).isTrue();
    }

    @Test
    void everyLineCounts() {
        var request =
                Fields.of(
                        "Surrogate-Capability", "a=\"Surrogate/1.0\"",
                        "Surrogate-Capability", "b=\"Surrogate/1.0 ESI/1.0\"");

        assertThat(SurrogateCapability.announcesEsi(request)).isTrue();
    }

    @Test
    void silenceAnnouncesNothing() {
        assertThat(SurrogateCapability.announcesEsi(Fields.EMPTY)).isFalse();
    }
}
