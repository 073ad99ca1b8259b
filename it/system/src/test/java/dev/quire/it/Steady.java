package dev.quire.it;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Waits until a value has stopped growing. */
final class Steady {
    /** Enough for every event loop and every thread of the test to continue many times. */
    private static final int REQUESTS = 100;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Steady() {}

    /**
     * Returns {@code value} once it is positive and has not changed during many requests.
     *
     * @param request sends one and awaits its response
     */
    static long value(LongSupplier value, Runnable request) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        long before = value.getAsLong();
        for (int same = 0; same < REQUESTS; same++) {
            request.run();
            long now = value.getAsLong();
            if (now != before || now <= 0) {
                same = -1;
                before = now;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("expected a steady value, found " + before + ", " + now);
            }
        }
        return before;
    }
}
