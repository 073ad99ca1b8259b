package dev.quire.proxy.fetch;

/**
 * How many requests may be sent once more: a share of all that are sent, and a few in each second
 * however few there are. So an origin that fails is not asked twice for everything. Any thread; all
 * state is guarded by the object's own lock.
 */
final class RetryBudget {
    private static final double PER_SECOND = 3;
    // As many as it takes to find out that a server is gone, which is to be nobody's error.
    private static final double MOST_SPARE = 6;
    // What has been earned in quiet times must not come down on the origin at one time.
    private static final double MOST_EARNED = 20;
    private static final double NANOS = 1e9;

    private final double share;
    private double earned;
    private double spare = MOST_SPARE;
    private long spareAt;

    /**
     * @param percent of all requests; with none there are no retries at all
     */
    RetryBudget(int percent) {
        this.share = percent / 100.0;
    }

    /** A request is sent for the first time. */
    synchronized void sent() {
        earned = Math.min(MOST_EARNED, earned + share);
    }

    /** Whether one may be sent once more; if so it is paid for. {@code now} in nanoseconds. */
    synchronized boolean take(long now) {
        if (share == 0) {
            return false;
        }
        spare = Math.min(MOST_SPARE, spare + (now - spareAt) / NANOS * PER_SECOND);
        spareAt = now;
        // A share of a fifth, added up five times, is a little less than one.
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
