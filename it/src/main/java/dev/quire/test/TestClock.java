package dev.quire.test;

import java.time.Duration;
import java.time.InstantSource;

/** The time a test lives in: it stands still until the test moves it. */
public interface TestClock extends InstantSource {

    /**
     * Moves the time on; what is kept ages by as much.
     *
     * @throws IllegalArgumentException if {@code by} is negative: nothing grows younger
     */
    void advance(Duration by);

    /** A clock that stands at the present second; a scripted origin can live by it too. */
    static HandSetClock handSet() {
        return new HandSetClock(HandSetClock.OriginTime.SAME);
    }

    /**
     * A clock that stands at the present second, in front of real servers: their {@code Date} goes
     * on by itself, so the time the test adds is left out of account when a response comes in, and
     * a {@code Date} of the last five seconds is no age.
     */
    static HandSetClock handSetBeforeRealServers() {
        return new HandSetClock(HandSetClock.OriginTime.REAL);
    }
}
