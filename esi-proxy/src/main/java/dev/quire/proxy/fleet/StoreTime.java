package dev.quire.proxy.fleet;

import dev.quire.proxy.exchange.Time;
import java.time.Instant;

/** A time whose wall clock is that of the store, as it was measured last. Thread-safe. */
final class StoreTime implements Time {
    private static final long MOST_EXACT = 10;

    /** Clocks do not drift apart by more between two measurements. */
    private static final long DRIFT_MILLIS = 100;

    private final Time time;
    private volatile long offsetMillis;

    // Confined to the caller of measured.
    private long roundTrip = Long.MAX_VALUE;

    /** The number of measurements since, and the shortest of them. */
    private int measurements;

    private long shortest = Long.MAX_VALUE;
    private long offsetOfShortest;

    StoreTime(Time time) {
        this.time = time;
    }

    /**
     * Notes that the clock of the store was {@code millis} between two moments of this node. Of ten
     * measurements the shortest counts, unless a clock was set meanwhile.
     */
    void measured(Instant before, Instant after, long millis) {
        long passed = after.toEpochMilli() - before.toEpochMilli();
        measurements++;
        if (passed < 0) {
            return;
        }
        long offset = millis - before.toEpochMilli() - passed / 2;
        if (passed <= shortest) {
            shortest = passed;
            offsetOfShortest = offset;
        }
        long error = passed / 2 + roundTrip / 2 + DRIFT_MILLIS;
        boolean isSet = Math.abs(offset - offsetMillis) > error;
        if (passed <= roundTrip || isSet) {
            take(passed, offset);
        } else if (measurements >= MOST_EXACT) {
            take(shortest, offsetOfShortest);
        }
    }

    private void take(long passed, long offset) {
        roundTrip = passed;
        offsetMillis = offset;
        measurements = 0;
        shortest = Long.MAX_VALUE;
    }

    /** By how much the clock of the store is ahead, in milliseconds. */
    long offsetMillis() {
        return offsetMillis;
    }

    @Override
    public Instant now() {
        return time.now();
    }

    @Override
    public long ticks() {
        return time.ticks();
    }

    @Override
    public Instant wall() {
        return time.wall().plusMillis(offsetMillis);
    }
}
