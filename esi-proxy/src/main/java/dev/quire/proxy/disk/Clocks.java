package dev.quire.proxy.disk;

import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Both clocks at one moment: times in a journal are wall times, those of this process are
 * monotonic.
 */
record Clocks(Instant now, Instant wall) {
    private static final long MICROS_A_SECOND = 1_000_000;
    private static final int NANOS_A_MICRO = 1_000;
    private static final int ROUNDING = NANOS_A_MICRO - 1;

    static Clocks of(Time time) {
        return new Clocks(time.now(), time.wall());
    }

    /** Returns the wall time of {@code since} in microseconds since 1970, rounded up. */
    long wallMicros(Instant since) {
        var then = wall.minus(Duration.between(since, now)).plusNanos(ROUNDING);
        return micros(then);
    }

    private static long micros(Instant wall) {
        return Math.addExact(
                Math.multiplyExact(wall.getEpochSecond(), MICROS_A_SECOND),
                wall.getNano() / NANOS_A_MICRO);
    }

    /**
     * Returns the monotonic time of a wall time; null if that is in the future: then the wall clock
     * was set back, and the time that has passed since is not known.
     */
    @Nullable Instant since(long wallMicros) {
        long passed = micros(wall) - wallMicros;
        return passed < 0 ? null : now.minus(passed, ChronoUnit.MICROS);
    }

    /** Returns these, or those at {@code wallMicros} if that is later by at most {@code bound}. */
    Clocks notBefore(long wallMicros, Duration bound) {
        long behind = wallMicros - micros(wall);
        return behind > 0 && behind <= bound.toNanos() / NANOS_A_MICRO
                ? new Clocks(now, wall.plus(behind, ChronoUnit.MICROS))
                : this;
    }
}
