package dev.quire.proxy.exchange;

import java.time.Clock;
import java.time.Instant;

/** The clocks of the cache. Socket deadlines use the event loop's own clock instead. */
public interface Time {
    /** Nanoseconds per second. */
    long NANOS_A_SECOND = 1_000_000_000L;

    /** Monotonic time, for ages and lifetimes; only differences are meaningful. */
    Instant now();

    /** The same clock in nanoseconds since an arbitrary origin; cheaper. */
    default long ticks() {
        var now = now();
        return now.getEpochSecond() * NANOS_A_SECOND + now.getNano();
    }

    /** The time of day, for {@code Date} and {@code Expires}. */
    Instant wall();

    /**
     * The time of day of the origins, to which their {@code Date} and {@code Expires} refer. It
     * differs from {@link #wall} only in tests that advance the clock in front of a real server.
     */
    default Instant originWall() {
        return wall();
    }

    /**
     * {@link #originWall}, but unaffected by changes of the machine's clock since startup: a second
     * estimate of the age of a new response.
     */
    default Instant steadyWall() {
        return originWall();
    }

    /** The machine's clocks. Cheap, since a hit reads the time more than once. */
    static Time system() {
        Instant start = Clock.systemUTC().instant();
        long startSecond = start.getEpochSecond();
        // The value of System.nanoTime() at the start of that second.
        long startNanos = System.nanoTime() - start.getNano();
        return new Time() {
            @Override
            public Instant now() {
                long nanos = System.nanoTime() - startNanos;
                return Instant.ofEpochSecond(
                        startSecond + nanos / NANOS_A_SECOND, nanos % NANOS_A_SECOND);
            }

            @Override
            public long ticks() {
                return System.nanoTime();
            }

            @Override
            public Instant wall() {
                return Clock.systemUTC().instant();
            }

            @Override
            public Instant steadyWall() {
                return now();
            }
        };
    }
}
