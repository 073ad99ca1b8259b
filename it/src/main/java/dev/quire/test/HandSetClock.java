package dev.quire.test;

import dev.quire.proxy.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The clock the proxy's cache lives by in a test. Both of the proxy's times move together; a jump
 * of the wall clock alone is a test of its own. Any thread.
 */
public final class HandSetClock implements TestClock, Time {
    private final AtomicReference<Reading> reading;
    private final OriginTime originTime;

    /** What the origin's {@code Date} is read from. */
    enum OriginTime {
        /** This clock. */
        SAME,
        /** The machine's. */
        REAL
    }

    /** Both times of one moment. */
    private record Reading(Instant now, Instant wall) {}

    HandSetClock(OriginTime originTime) {
        this.originTime = originTime;
        var start = InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS);
        reading = new AtomicReference<>(new Reading(start, start));
    }

    @Override
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException(
                    "time only goes on: " + by + " (jumpWallClock moves the wall clock back)");
        }
        reading.updateAndGet(at -> new Reading(at.now().plus(by), at.wall().plus(by)));
    }

    /** Moves the wall clock alone, in either direction, as when a machine's clock is set. */
    public void jumpWallClock(Duration by) {
        reading.updateAndGet(at -> new Reading(at.now(), at.wall().plus(by)));
    }

    @Override
    public Instant instant() {
        return wall();
    }

    @Override
    public Instant now() {
        return reading.get().now();
    }

    @Override
    public Instant wall() {
        return reading.get().wall();
    }

    @Override
    public Instant originWall() {
        return switch (originTime) {
            case SAME -> wall();
            case REAL -> InstantSource.system().instant();
        };
    }

    @Override
    public Instant steadyWall() {
        return switch (originTime) {
            case SAME -> now();
            case REAL -> originWall();
        };
    }

    @Override
    public String toString() {
        return "a clock set by hand at " + wall();
    }
}
