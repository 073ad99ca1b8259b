package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.exchange.Time;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StoreTimeTest {
    private static final Instant START = Instant.ofEpochMilli(1_000_000);

    private final Time own = Time.system();
    private final StoreTime time = new StoreTime(own);

    /** The clock of the store is ahead by {@code offset} in the middle of the call. */
    private void measure(Instant before, long millis, long offset) {
        time.measured(
                before, before.plusMillis(millis), before.toEpochMilli() + millis / 2 + offset);
    }

    @Test
    void shortestCallCounts() {
        measure(START, 10, 500);
        measure(START, 200, 450);

        assertThat(time.offsetMillis()).isEqualTo(500);
    }

    /** Such as one during which this process was stopped. */
    @Test
    void longCallDoesNotCountAmongShorterOnes() {
        measure(START, 10, 500);
        for (int i = 1; i < 10; i++) {
            measure(START.plusSeconds(i), 20, 505);
        }
        measure(START.plusSeconds(10), 8_000, -3_500);
        assertThat(time.offsetMillis()).isEqualTo(505);

        for (int i = 20; i < 30; i++) {
            measure(START.plusSeconds(i), 40, 510);
        }
        assertThat(time.offsetMillis()).isEqualTo(510);
    }

    @Test
    void ticksAreThoseOfTheNode() {
        long before = own.ticks();

        assertThat(time.ticks()).isBetween(before, own.ticks());
    }

    @Test
    void clockThatIsSetIsNoticedAtOnce() {
        measure(START, 10, 500);
        measure(START.minusSeconds(3600), 20, 3_600_500);

        assertThat(time.offsetMillis()).isEqualTo(3_600_500);
    }
}
