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

    /** A clock that stands at the present second. */
    static HandSetClock handSet() {
        return new HandSetClock();
    }
}
