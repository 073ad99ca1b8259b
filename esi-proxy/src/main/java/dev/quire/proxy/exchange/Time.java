package dev.quire.proxy.exchange;

import java.time.Clock;
import java.time.Instant;

/**
 * The two times a cache needs. Socket deadlines are none of its business: those stay on the event
 * loop's own clock.
 */
public interface Time {
    /** Nanoseconds a second has. */
    long NANOS_A_SECOND = 1_000_000_000L;

    /** Monotonic time, for ages and lifetimes; only differences mean anything. */
    Instant now();

    /** The same clock in nanoseconds from any beginning; cheaper. */
    default long ticks() {
        var now = now();
        return now.getEpochSecond() * NANOS_A_SECOND + now.getNano();
    }

    /** The time of day, for {@code Date} and {@code Expires}. */
    Instant wall();

    /**
     * The time of day as origins have it, which is what their {@code Date} and {@code Expires} are
     * held against. Only a test's clock, set ahead of a real server, is another than {@link #wall}.
     */
    default Instant originWall() {
        return wall();
    }

    /**
     * {@link #originWall} as it would be if nobody had set the machine's clock since the start: a
     * second opinion on how old a response is that has just come.
     */
    default Instant steadyWall() {
        return originWall();
    }

    /** The machine's own clocks. A hit asks for the time more than once: it costs little. */
    static Time system() {
        Instant start = Clock.systemUTC().instant();
        long startSecond = start.getEpochSecond();
        // What the nanosecond clock shows at the beginning of that second.
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
