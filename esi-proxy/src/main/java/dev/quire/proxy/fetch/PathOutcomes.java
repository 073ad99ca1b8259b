package dev.quire.proxy.fetch;

import java.time.Duration;

/**
 * The last outcome of each path asked of a server within ten seconds. Holds the hashes of the most
 * recent {@value #MOST} paths. Guarded by its circuit.
 */
final class PathOutcomes {
    static final Duration WINDOW = Duration.ofSeconds(10);
    static final int MOST = 128;

    /** How a request ended. */
    enum Outcome {
        ANSWERED,
        /** Answered 502, 503 or 504. */
        STATUS,
        /** A time-out, or a response that broke off or was malformed. */
        BROKEN,
        /** No connection could be opened. */
        UNREACHABLE
    }

    private final int[] paths = new int[MOST];
    private final long[] endedAt = new long[MOST];
    private final Outcome[] outcomes = new Outcome[MOST];
    private int count;

    void clear() {
        count = 0;
    }

    /** Replaces the outcome of {@code path}; the least recent path gives way to a new one. */
    void put(int path, Outcome outcome, long now) {
        int at = 0;
        while (at < count && paths[at] != path) {
            at++;
        }
        if (at == MOST) {
            at = leastRecent();
        } else if (at == count) {
            count++;
        }
        paths[at] = path;
        endedAt[at] = now;
        outcomes[at] = outcome;
    }

    private int leastRecent() {
        int oldest = 0;
        for (int i = 1; i < MOST; i++) {
            if (endedAt[i] - endedAt[oldest] < 0) {
                oldest = i;
            }
        }
        return oldest;
    }

    /** Paths with any outcome. */
    int asked(long now) {
        int asked = 0;
        for (int i = 0; i < count; i++) {
            asked += isRecent(i, now) ? 1 : 0;
        }
        return asked;
    }

    /** Paths whose last outcome is a failure, with or without {@link Outcome#STATUS}. */
    int failed(boolean withStatus, long now) {
        int failed = 0;
        for (int i = 0; i < count; i++) {
            boolean isFailure =
                    switch (outcomes[i]) {
                        case ANSWERED -> false;
                        case STATUS -> withStatus;
                        case BROKEN, UNREACHABLE -> true;
                    };
            failed += isFailure && isRecent(i, now) ? 1 : 0;
        }
        return failed;
    }

    /** Whether the last outcome of {@code path} is a failure. */
    boolean hasFailed(int path, long now) {
        for (int i = 0; i < count; i++) {
            if (paths[i] == path) {
                return isRecent(i, now) && outcomes[i] != Outcome.ANSWERED;
            }
        }
        return false;
    }

    private boolean isRecent(int at, long now) {
        return now - endedAt[at] < WINDOW.toNanos();
    }
}
