package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextDurationTest {

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "200ms, PT0.2S",
        "5m, PT5M",
        "1h, PT1H",
        "2d, PT48H",
        "0s, PT0S",
        "PT30S, PT30S",
        "pt1m, PT1M"
    })
    void timesAreNumbersWithAUnit(String text, Duration expected) {
        assertThat(TextDuration.of(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "30",
                "s",
                "30 s",
                "30sec",
                "-30s",
                "PT-30S",
                "1.5s",
                "99999999999999999999s"
            })
    void whatIsNoTimeIsToldWhatWouldBe(String text) {
        assertThatThrownBy(() -> TextDuration.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "'%s' is not a duration (expected for example '30s', '200ms', '5m', '1h' or 'PT30S')",
                        text);
    }

    @ParameterizedTest
    @CsvSource({
        "PT30S, 30s",
        "PT1M, 60s",
        "PT1H, 1h",
        "PT1H30M, 5400s",
        "PT0.2S, 200ms",
        "PT0S, 0s",
        "PT29.999S, 29.999s",
        "PT1.5S, 1.5s",
        "PT0.0000001S, under 1ms",
        "PT-2S, -2s"
    })
    void timesAreShownAsCachesCount(Duration time, String expected) {
        assertThat(TextDuration.text(time)).isEqualTo(expected);
    }

    @Test
    void aDayIsShownInHours() {
        assertThat(TextDuration.text(Duration.ofDays(1))).isEqualTo("24h");
    }
}
