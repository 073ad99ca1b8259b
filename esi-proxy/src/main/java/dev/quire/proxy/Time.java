package dev.quire.proxy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The two times a cache needs. Socket deadlines are none of its business: those stay on the event
 * loop's own clock.
 */
public interface Time {

    /** Monotonic time, for ages and lifetimes; only differences mean anything. */
    Instant now();

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

    /** The machine's own clocks. */
    static Time system() {
        Instant base = Clock.systemUTC().instant();
        long nanosAtBase = System.nanoTime();
        return new Time() {
            @Override
            public Instant now() {
                return base.plus(Duration.ofNanos(System.nanoTime() - nanosAtBase));
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
