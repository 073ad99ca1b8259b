package dev.quire.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.MeasuredLimits;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
    private static final int REQUESTS = 1000;
    private static final int BYTES = 1_000_000;

    /** Rates of a thousand requests for a million bytes. */
    private static HitRate rate(int hits, int bytesOfHits) {
        var rate = new HitRate(0);
        for (int i = 0; i < REQUESTS; i++) {
            boolean isHit = i < hits;
            int bytes = isHit ? bytesOfHits / hits : (BYTES - bytesOfHits) / (REQUESTS - hits);
            rate.count(isHit, bytes);
        }
        return rate;
    }

    private static int status(boolean isHeavy, HitRate rate, HitRate allAdmitted) {
        var limits = new MeasuredLimits();
        RateLimits.check(isHeavy, rate, allAdmitted, limits);
        return limits.ended();
    }

    @Test
    void usualWorkloadNeedsARate() {
        assertThat(status(false, rate(605, 500_000), rate(590, 500_000))).isZero();
        assertThat(status(false, rate(604, 500_000), rate(590, 500_000))).isEqualTo(1);
    }

    @Test
    void heavyTailNeedsAGain() {
        assertThat(status(true, rate(570, 500_000), rate(500, 500_000))).isZero();
        assertThat(status(true, rate(555, 500_000), rate(500, 500_000))).isEqualTo(1);
    }

    @Test
    void bytesMayBeLostUpToAPoint() {
        for (boolean isHeavy : new boolean[] {false, true}) {
            assertThat(status(isHeavy, rate(700, 495_000), rate(600, 500_000))).isZero();
            assertThat(status(isHeavy, rate(700, 485_000), rate(600, 500_000))).isEqualTo(1);
        }
    }

    @Test
    void limitsAreThoseOfTheUsualWorkloads() {
        var drifting = new Workload(2_000_000, 10_000_000, 512, 0.9, 4096, false, 0.05);

        assertThat(drifting.isUsual()).isFalse();
        assertThat(Workload.usual(false).isUsual()).isTrue();
        assertThat(Workload.usual(true).isUsual()).isTrue();
    }
}
