package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.kill.Visitors.Visit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartTest {
    private static final Restart.Limits LIMITS = new Restart.Limits(1.5, 99, 1);
    private static final Duration READY = Duration.ofMillis(1500);

    @Test
    void figuresAtTheirLimitsHold() {
        assertThat(LIMITS.hold(READY, new Visit(990, 0, 0), 10, 1000)).isTrue();
    }

    @Test
    void eachFigureBeyondItsLimitDoesNotHold() {
        assertThat(LIMITS.hold(READY.plusMillis(1), new Visit(990, 0, 0), 10, 1000)).isFalse();
        assertThat(LIMITS.hold(READY, new Visit(989, 0, 0), 10, 1000)).isFalse();
        assertThat(LIMITS.hold(READY, new Visit(990, 0, 0), 11, 1000)).isFalse();
        assertThat(LIMITS.hold(READY, new Visit(990, 1, 0), 10, 1000)).isFalse();
        assertThat(LIMITS.hold(READY, new Visit(990, 0, 1), 10, 1000)).isFalse();
    }
}
