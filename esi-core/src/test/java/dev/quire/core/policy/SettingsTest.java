package dev.quire.core.policy;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Duration NEGATIVE = Duration.ofMillis(-1);

    @Test
    void negativeTimesAreRefusedByTheNameOfTheirKey() {
        assertThatThrownBy(() -> new Settings(NEGATIVE, ZERO, ZERO, true, false, "quire"))
                .hasMessageContaining("grace must not be negative");
        assertThatThrownBy(() -> new Settings(ZERO, NEGATIVE, ZERO, true, false, "quire"))
                .hasMessageContaining("stale-if-error must not be negative");
        assertThatThrownBy(() -> new Settings(ZERO, ZERO, NEGATIVE, true, false, "quire"))
                .hasMessageContaining("stale-if-unreachable must not be negative");
        assertThatThrownBy(() ->
                        new Settings(
                                ZERO,
                                ZERO,
                                ZERO,
                                NEGATIVE,
                                true,
                                false,
                                "quire",
                                false,
                                OperatorLifetime.UNSAID))
                .hasMessageContaining("stale-if-slow must not be negative");
    }

    @Test
    void deviceWithoutANameIsRefused() {
        assertThatThrownBy(() -> new Settings(ZERO, ZERO, ZERO, true, false, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("device-token");
    }
}
