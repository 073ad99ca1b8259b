package dev.quire.test.wire;

import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.internal.TestLine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The clock of the proxy's cache in a test, which only the test advances. Both of the proxy's times
 * move together; {@link #jumpWallClock} moves the wall clock alone. Thread-safe.
 */
public final class TestClock implements InstantSource, Time {
    /**
     * A real server's {@code Date} has a resolution of one second, and its response takes some
     * time; this clock does not move meanwhile, so the difference would count as age.
     */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(5);

    private final AtomicReference<Times> times;

    /** Whether the origin's {@code Date} is the machine's time, not this clock's. */
    private final boolean hasRealOrigin;

    private final Set<Object> living = ConcurrentHashMap.newKeySet();
    private volatile boolean isRead;
    private volatile String idle;

    private record Times(Instant now, Instant wall) {
        static Times present() {
            var start = InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS);
            return new Times(start, start);
        }
    }

    private TestClock(boolean hasRealOrigin) {
        this.hasRealOrigin = hasRealOrigin;
        times = new AtomicReference<>(Times.present());
        idle =
                "no site, proxy or origin uses the clock created at %s (open the site with it: EsiSite.over(...).at(clock); or advance the site's own: site.clock())"
                        .formatted(TestLine.here());
    }

    /** A clock set to the present second; a scripted origin can use it too. */
    public static TestClock handSet() {
        return new TestClock(false);
    }

    /**
     * A clock set to the present second, in front of real servers. Their {@code Date} follows the
     * real time, so the time added by the test is subtracted when a response arrives, and a {@code
     * Date} in the last five seconds counts as age zero.
     */
    public static TestClock handSetBeforeRealServers() {
        return new TestClock(true);
    }

    public void connect(Object one) {
        living.add(one);
    }

    /**
     * Records that {@code one} no longer uses this clock.
     *
     * @param why the message if the clock is moved nevertheless, with the remedy
     */
    public void disconnect(Object one, String why) {
        living.remove(one);
        idle = why;
    }

    /** Restarts at the present second, unless an object other than {@code one} uses the clock. */
    public void restart(Object one) {
        if (living.stream().anyMatch(other -> !other.equals(one))) {
            return;
        }
        times.set(Times.present());
        isRead = false;
    }

    /**
     * Advances the time; stored responses age by as much.
     *
     * @throws IllegalArgumentException if {@code by} is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException(
                    "expected a time of zero or more, found %s (jumpWallClock moves the wall clock back)"
                            .formatted(by));
        }
        requireConnected("advance(" + by + ")");
        times.updateAndGet(at -> new Times(at.now().plus(by), at.wall().plus(by)));
    }

    /** Moves the wall clock alone, in either direction, as an administrator might. */
    public void jumpWallClock(Duration by) {
        requireConnected("jumpWallClock(" + by + ")");
        times.updateAndGet(at -> new Times(at.now(), at.wall().plus(by)));
    }

    private void requireConnected(String what) {
        if (living.isEmpty() && !isRead) {
            throw new AssertionError(what + " would have no effect: " + idle);
        }
    }

    @Override
    public Instant instant() {
        return wall();
    }

    @Override
    public Instant now() {
        return read().now();
    }

    @Override
    public Instant wall() {
        return read().wall();
    }

    /** The time for display only; does not count as use of the clock. */
    public Instant shown() {
        return times.get().now();
    }

    /** Reads the clock, which counts as use of it. */
    private Times read() {
        if (!isRead) {
            isRead = true;
        }
        return times.get();
    }

    @Override
    public Instant originWall() {
        return hasRealOrigin ? InstantSource.system().instant().minus(ON_THE_WAY) : wall();
    }

    @Override
    public Instant steadyWall() {
        return hasRealOrigin ? originWall() : now();
    }

    @Override
    public String toString() {
        return "a clock set by hand at " + times.get().wall();
    }
}
