package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.DurationText;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {

    @ParameterizedTest
    @CsvSource({
        "0s, 0",
        "200ms, 200",
        "15s, 15000",
        "90s, 90000",
        "5m, 300000",
        "1h, 3600000",
        "36h, 129600000"
    })
    void timeIsWrittenAsItIsRead(String text, long millis) {
        assertThat(TimeText.read(text)).contains(Duration.ofMillis(millis));
        assertThat(DurationText.of(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @Test
    void daysAreWrittenAsHours() {
        assertThat(TimeText.read("7d")).contains(Duration.ofDays(7));
        assertThat(DurationText.of(Duration.ofDays(7))).isEqualTo("168h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-1s", "1.5s", "1 s", "1w", "366d", "9999999h"})
    void anythingElseIsNoTime(String text) {
        assertThat(TimeText.read(text)).isEmpty();
    }
}
