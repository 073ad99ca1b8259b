package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FreshnessTest {
    private static final Freshness MINUTE =
            new Freshness(
                    NOW,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(30),
                    false);

    @Test
    void lifetimeThatEqualsTheAgeIsOver() {
        assertThat(MINUTE.isFreshAt(NOW.plusSeconds(50).minusNanos(1))).isTrue();
        assertThat(MINUTE.isFreshAt(NOW.plusSeconds(50))).isFalse();
    }

    @Test
    void windowThatEqualsTheStalenessIsOver() {
        var end = NOW.plusSeconds(55);

        assertThat(MINUTE.isStaleWithin(MINUTE.grace(), end.minusNanos(1))).isTrue();
        assertThat(MINUTE.isStaleWithin(MINUTE.grace(), end)).isFalse();
    }

    @Test
    void remainingLifetimeTurnsNegative() {
        assertThat(MINUTE.remainingAt(NOW)).hasSeconds(50);
        assertThat(MINUTE.remainingAt(NOW.plusSeconds(53))).hasSeconds(-3);
    }

    @Test
    void clockBeforeTheArrivalMakesNothingYounger() {
        assertThat(MINUTE.ageAt(NOW.minusSeconds(100))).hasSeconds(10);
        assertThat(MINUTE.ageAt(NOW.minusNanos(5_000_000))).hasSeconds(10);
        assertThat(MINUTE.ageAt(Instant.MIN)).hasSeconds(10);
    }

    @Test
    void farFutureIsStaleAndDoesNotOverflow() {
        assertThat(MINUTE.isFreshAt(Instant.MAX)).isFalse();
        assertThat(MINUTE.ageAt(Instant.MAX)).isGreaterThan(Duration.ofDays(20_000));
    }

    @Test
    void itIsOfUseUntilItsLongestWindowEnds() {
        assertThat(MINUTE.uselessAfter()).isEqualTo(NOW.plusSeconds(80));
    }

    @Test
    void itIsNeverUselessBeforeItArrived() {
        var old = freshness(Duration.ofSeconds(100), Duration.ofSeconds(60));

        assertThat(old.uselessAfter()).isEqualTo(NOW);
    }

    @Test
    void expiringKeepsTheWindows() {
        var expired = MINUTE.expiredAt(NOW.plusSeconds(20));

        assertThat(expired.isFreshAt(NOW.plusSeconds(20))).isFalse();
        assertThat(expired.isStaleWithin(expired.grace(), NOW.plusSeconds(24))).isTrue();
        assertThat(expired.isStaleWithin(expired.grace(), NOW.plusSeconds(25))).isFalse();
    }

    @Test
    void expiringWhatIsStaleChangesNothing() {
        assertThat(MINUTE.expiredAt(NOW.plusSeconds(51))).isEqualTo(MINUTE);
    }

    @Test
    void timesAreBounded() {
        var huge = freshness(Duration.ofDays(100_000), Duration.ofSeconds(Long.MAX_VALUE));

        assertThat(huge.initialAge()).hasSeconds(1L << 31);
        assertThat(huge.lifetime()).hasSeconds(1L << 31);
        assertThat(huge.isFreshAt(NOW)).isFalse();
    }

    @Test
    void negativeTimeIsRefused() {
        assertThatThrownBy(() -> freshness(Duration.ZERO, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lifetime");
    }

    private static Freshness freshness(Duration initialAge, Duration lifetime) {
        return new Freshness(
                NOW, initialAge, lifetime, Duration.ZERO, Duration.ZERO, Duration.ZERO, false);
    }
}
