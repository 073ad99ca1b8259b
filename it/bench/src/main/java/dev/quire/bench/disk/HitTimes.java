package dev.quire.bench.disk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** How long hits took, in steps of 10 µs up to a second. Thread-safe. */
final class HitTimes {
    private static final int MICROS_A_STEP = 10;
    private static final double STEPS_A_MILLISECOND = 100;
    private static final int STEPS = 100_000;
    private static final double PERCENT = 100;

    private final AtomicLongArray counts = new AtomicLongArray(STEPS);

    void add(long nanos) {
        long step = TimeUnit.NANOSECONDS.toMicros(nanos) / MICROS_A_STEP;
        counts.incrementAndGet((int) Math.min(step, STEPS - 1));
    }

    long count() {
        long count = 0;
        for (int step = 0; step < STEPS; step++) {
            count += counts.get(step);
        }
        return count;
    }

    /** Returns the milliseconds within which {@code percent} of the hits were; 0 without hits. */
    double percentile(double percent) {
        double wanted = count() * percent / PERCENT;
        long count = 0;
        int step = 0;
        while (count < wanted) {
            count += counts.get(step);
            step++;
        }
        return step / STEPS_A_MILLISECOND;
    }
}
