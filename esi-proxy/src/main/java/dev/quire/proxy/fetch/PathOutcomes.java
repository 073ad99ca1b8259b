package dev.quire.proxy.fetch;

import dev.quire.core.http.ClientNetwork;
import dev.quire.proxy.exchange.OriginRequest;
import java.time.Duration;

/**
 * The last outcome of each path asked of a server within ten seconds. Holds the hashes of the most
 * recent {@value #MOST} paths. Guarded by its circuit.
 */
final class PathOutcomes {
    static final Duration WINDOW = Duration.ofSeconds(10);
    static final int MOST = 128;

    /**
     * A request.
     *
     * @param path hash of the path
     */
    record Request(int path, ClientNetwork client) {

        /** Names the path of {@code request} without the query. */
        static Request of(OriginRequest request) {
            var target = request.head().target();
            int query = target.indexOf('?');
            var path = query < 0 ? target : target.substring(0, query);
            return new Request(path.hashCode(), request.client());
        }
    }

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

    private final Request[] requests = new Request[MOST];
    private final long[] endedAt = new long[MOST];
    private final Outcome[] outcomes = new Outcome[MOST];
    private int count;

    void clear() {
        count = 0;
    }

    /**
     * Replaces the outcome of the path of {@code request}; the least recent path gives way to a new
     * one.
     */
    void put(Request request, Outcome outcome, long now) {
        int at = 0;
        while (at < count && requests[at].path() != request.path()) {
            at++;
        }
        if (at == MOST) {
            at = leastRecent();
        } else if (at == count) {
            count++;
        }
        requests[at] = request;
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
            if (requests[i].path() == path) {
                return isRecent(i, now) && outcomes[i] != Outcome.ANSWERED;
            }
        }
        return false;
    }

    /** Whether all failed paths were last asked by one client, and others by other clients. */
    boolean isTroubleOfOneClient(long now) {
        ClientNetwork troubled = null;
        boolean hasOthers = false;
        for (int i = 0; i < count; i++) {
            if (isRecent(i, now) && outcomes[i] != Outcome.ANSWERED) {
                var client = requests[i].client();
                if (troubled != null && !client.equals(troubled)) {
                    return false;
                }
                troubled = client;
            }
        }
        for (int i = 0; i < count; i++) {
            hasOthers |= isRecent(i, now) && !requests[i].client().equals(troubled);
        }
        return hasOthers;
    }

    private boolean isRecent(int at, long now) {
        return now - endedAt[at] < WINDOW.toNanos();
    }
}
