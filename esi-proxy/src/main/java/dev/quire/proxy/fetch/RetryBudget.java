package dev.quire.proxy.fetch;

/**
 * Limits retries to a share of all requests plus a few per second, so that a failing origin does
 * not receive every request twice. Thread-safe: all state is guarded by the object's own lock.
 */
final class RetryBudget {
    private static final double PER_SECOND = 3;
    // Enough to detect that a server is down without failing a request.
    private static final double MOST_SPARE = 6;
    // Credit earned in quiet times must not cause a burst of retries.
    private static final double MOST_EARNED = 20;
    private static final double NANOS = 1e9;

    private final double share;
    private double earned;
    private double spare = MOST_SPARE;
    private long spareAt;

    /**
     * @param percent percentage of all requests; 0 disables retries
     */
    RetryBudget(int percent) {
        this.share = percent / 100.0;
    }

    /** Counts a request that is sent for the first time. */
    synchronized void sent() {
        earned = Math.min(MOST_EARNED, earned + share);
    }

    /**
     * Takes one retry from the budget. Returns false if it is exhausted. {@code now} in
     * nanoseconds.
     */
    synchronized boolean take(long now) {
        if (share == 0) {
            return false;
        }
        spare = Math.min(MOST_SPARE, spare + (now - spareAt) / NANOS * PER_SECOND);
        spareAt = now;
        // Five times a share of 0.2 adds up to slightly less than 1.
        if (earned > 1 - 1e-6) {
            earned--;
            return true;
        }
        if (spare >= 1) {
            spare--;
            return true;
        }
        return false;
    }
}
