package dev.quire.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long BEGIN = Long.MAX_VALUE - SECOND;

    private final FailedLogins logins = new FailedLogins();

    @Test
    void connectionsShareOneRefusalASecond() {
        for (int i = 0; i < 5; i++) {
            assertThat(logins.delayNanos(BEGIN)).hasValue(0);
        }

        for (int i = 1; i <= 60; i++) {
            assertThat(logins.delayNanos(BEGIN)).hasValue(i * SECOND);
        }
        assertThat(logins.delayNanos(BEGIN)).isEqualTo(OptionalLong.empty());
        assertThat(logins.delayNanos(BEGIN + SECOND)).hasValue(60 * SECOND);
    }

    @Test
    void afterAPauseSomeAreFreeAgain() {
        for (int i = 0; i < 10; i++) {
            logins.delayNanos(BEGIN);
        }

        long later = BEGIN + 10 * SECOND;

        for (int i = 0; i < 5; i++) {
            assertThat(logins.delayNanos(later)).hasValue(0);
        }
        assertThat(logins.delayNanos(later)).hasValue(SECOND);
    }
}
