package dev.quire.bench.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HitTimesTest {
    private final HitTimes times = new HitTimes();

    private void add(int count, Duration time) {
        for (int i = 0; i < count; i++) {
            times.add(time.toNanos());
        }
    }

    @Test
    void percentileIsTheEndOfItsStep() {
        add(98, Duration.ofNanos(95_000));
        add(1, Duration.ofNanos(1_001_000));
        add(1, Duration.ofMillis(30));

        assertThat(times.count()).isEqualTo(100);
        assertThat(times.percentile(50)).isEqualTo(0.1);
        assertThat(times.percentile(99)).isEqualTo(1.01);
        assertThat(times.percentile(100)).isEqualTo(30.01);
    }

    @Test
    void longTimesCountAsASecond() {
        add(1, Duration.ofSeconds(20));

        assertThat(times.percentile(99)).isEqualTo(1000);
    }

    @Test
    void percentileWithoutHitsIsZero() {
        assertThat(times.percentile(99)).isZero();
    }
}
