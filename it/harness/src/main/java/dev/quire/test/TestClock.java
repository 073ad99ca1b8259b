package dev.quire.test;

import java.time.Duration;
import java.time.InstantSource;

/** The time in a test, which only the test advances. */
public interface TestClock extends InstantSource {

    /**
     * Advances the time; stored responses age by as much.
     *
     * @throws IllegalArgumentException if {@code by} is negative
     */
    void advance(Duration by);

    /** A clock set to the present second; a scripted origin can use it too. */
    static HandSetClock handSet() {
        return new HandSetClock(HandSetClock.OriginTime.SAME);
    }

    /**
     * A clock set to the present second, in front of real servers. Their {@code Date} follows the
     * real time, so the time added by the test is subtracted when a response arrives, and a {@code
     * Date} in the last five seconds counts as age zero.
     */
    static HandSetClock handSetBeforeRealServers() {
        return new HandSetClock(HandSetClock.OriginTime.REAL);
    }
}
