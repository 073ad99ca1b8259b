package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Stamp;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, Stamps: which tags are markup, and which surrogates announce a stamp. */
class StampStatusTest {
    private static final String NONCE = "AAAAAAAAAAAAAAAAAAAA-_";
    private static final Stamp SENT = new Stamp(NONCE);

    private static Fields control(String value) {
        return Fields.of("Surrogate-Control", value.replace("@", NONCE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "content=\"ESI/1.0\" | UNSTAMPED",
                "max-age=60 | UNSTAMPED",
                "stamp=\"@\";other | UNSTAMPED",
                "content=\"ESI/1.0\", stamp=\"@\" | STAMPED",
                "stamp=@ | STAMPED",
                "STAMP=\"@\" | STAMPED",
                "stamp=\"@\", stamp=\"@\" | STAMPED",
                "stamp=\"x\", stamp=\"@\";quire | STAMPED",
                "stamp=\"@\";quire | STAMPED",
                "stamp=\"x\";quire, stamp=\"@\" | INERT",
                "stamp=\"@\", stamp=\"x\" | INERT",
                "stamp=\"BBBBBBBBBBBBBBBBBBBB-_\" | INERT",
                "stamp | INERT",
                "stamp= | INERT",
                "stamp=\"\" | INERT",
                "stamp = \"@\" | INERT",
                "stamp=\"@@\" | INERT",
                "stamp=\"@ | INERT"
            })
    void onlyTheStampOfTheRequestMakesADocumentStamped(String value, StampStatus stampStatus) {
        assertThat(SurrogateControl.of(control(value), "quire").stampStatus(SENT))
                .isEqualTo(stampStatus);
    }

    @Test
    void stampThatNobodySentIsAnothers() {
        var control = SurrogateControl.of(control("content=\"ESI/1.0\", stamp=\"@\""), "quire");

        assertThat(control.stampStatus(null)).isEqualTo(StampStatus.INERT);
    }

    @Test
    void stampSaysNothingOfKeeping() {
        var with = SurrogateControl.of(control("max-age=60, stamp=\"@\""), "quire");
        var without = SurrogateControl.of(control("max-age=60"), "quire");

        assertThat(with.directives()).isEqualTo(without.directives());
        assertThat(with.maxAge()).contains(Duration.ofSeconds(60));
        assertThat(SurrogateControl.of(control("stamp=\"@\""), "quire").governs()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "max-age=60, content=\"ESI/1.0\", stamp=\"@\" | max-age=60, content=\"ESI/1.0\"",
                "stamp=\"@\";quire, max-age=60;quire | max-age=60;quire",
                "stamp = \"@\", no-store | no-store",
                "max-age=60 | max-age=60"
            })
    void whatIsKeptOfAHeadTellsNobodyTheStamp(String value, String kept) {
        var fields = new Fields.Builder().add("Vary", "Cookie").addAll(control(value)).build();

        var without = SurrogateControl.withoutStamps(fields);

        assertThat(without.all("Surrogate-Control")).containsExactly(kept);
        assertThat(without.first("Vary")).isEqualTo("Cookie");
    }

    @Test
    void fieldThatNamesAStampAloneIsNotKept() {
        var without = SurrogateControl.withoutStamps(control("stamp=\"@\""));

        assertThat(without.contains("Surrogate-Control")).isFalse();
    }

    @Test
    void lastSurrogateThatSendsAStampIsNearestTheOrigin() {
        var request =
                Fields.of(
                        "Surrogate-Capability",
                        "far=\"ESI/1.0 Stamp/1.BBBBBBBBBBBBBBBBBBBB-_\", near=\"Surrogate/1.0 Stamp/1.%s\""
                                .formatted(NONCE),
                        "Surrogate-Capability",
                        "nearest=\"ESI/1.0 Stamp/1.short\", other=\"ESI/1.0\"");

        assertThat(SurrogateCapability.stamp(request)).contains(SENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "quire=\"ESI/1.0\"",
                "quire=\"Stamp/1.\"",
                "quire=\"Stamp/1.AAAAAAAAAAAAAAAAAAAA-\"",
                "quire=\"Stamp/1.AAAAAAAAAAAAAAAAAAAA-_A\"",
                "quire=\"Stamp/1.AAAAAAAAAAAAAAAAAAAA/+\"",
                "quire=\"Stamp/2.AAAAAAAAAAAAAAAAAAAA-_\""
            })
    void whatIsNoStampIsNone(String capability) {
        assertThat(SurrogateCapability.stamp(Fields.of("Surrogate-Capability", capability)))
                .isEmpty();
    }

    @Test
    void capabilitiesGoOnWithoutTheirStamps() {
        var request =
                Fields.of(
                        "Surrogate-Capability",
                        "a=\"Surrogate/1.0 ESI/1.0 Stamp/1.%s\", b=ESI/1.0".formatted(NONCE),
                        "Surrogate-Capability",
                        "Stamp/1." + NONCE);

        assertThat(SurrogateCapability.forwarded(request))
                .isEqualTo("a=\"Surrogate/1.0 ESI/1.0\", b=ESI/1.0");
    }

    @Test
    void stampTellsNobodyWhatItIs() {
        assertThat(SENT.toString()).doesNotContain(NONCE);
        assertThatThrownBy(() -> new Stamp("short"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("22 characters");
        assertThat(Stamp.of(new byte[Stamp.BYTES]).text()).isEqualTo("A".repeat(Stamp.LENGTH));
    }
}
