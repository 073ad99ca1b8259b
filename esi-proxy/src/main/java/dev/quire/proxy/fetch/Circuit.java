package dev.quire.proxy.fetch;

import java.time.Duration;
import java.util.Arrays;

/**
 * The circuit breaker of one server. Thread-safe: all state is guarded by the object's own lock,
 * and the listener is called without it. Times are in nanoseconds of the loops' tickers.
 */
final class Circuit {

    /*
     * Closed: all requests pass and are counted. The circuit opens when at least half of at least
     * twenty requests in the last ten seconds have failed, or five consecutive connections. While
     * it is open no request passes. Then it is half-open: one trial request passes, and if it is
     * answered, five more. It closes if all are answered, and opens again if one fails. The circuit
     * of a server that fails its health checks stays open until they pass.
     *
     * Slow start after closing: requests are limited, from the rate before the circuit opened up to
     * twice that rate, and then no longer. Otherwise everything that became stale in the meantime
     * would be fetched at once. A circuit that opens again soon after it has closed stays open
     * twice as long, so that a flapping server does not cause constant changes.
     */

    /** Returned in place of a ticket if the request must not be sent. */
    static final int REFUSED = -1;

    static final Duration OPEN = Duration.ofSeconds(5);
    static final Duration LONGEST_OPEN = Duration.ofSeconds(40);
    private static final Duration SETTLED = Duration.ofMinutes(1);
    private static final int CONNECTS = 5;
    private static final int LEAST = 20;
    private static final int TRIALS = 5;
    private static final double LEAST_PER_SECOND = 5;
    private static final double COLD = 0.1;
    private static final double NANOS = 1e9;

    /**
     * Receives the state changes that matter outside. Called on the thread that caused the change.
     */
    interface Listener {
        /** Only trial requests pass from now on. */
        void opened(String why);

        /** All requests pass again. */
        void closed();
    }

    private final long slowStartNanos;
    private final Listener listener;
    private final Recent recent = new Recent();
    private ServerState.Circuit state = ServerState.Circuit.CLOSED;
    private boolean isSick;
    private int generation;
    private int failedConnects;
    private int trying;
    private int answered;
    private long openNanos = OPEN.toNanos();
    private long openUntil;
    private boolean hasRecovered;
    private long closedAt;
    private double perSecondBefore;
    private double tokens;
    private long tokensAt;

    /**
     * @param slowStart zero for none
     */
    Circuit(Duration slowStart, Listener listener) {
        this.slowStartNanos = slowStart.toNanos();
        this.listener = listener;
    }

    /**
     * Admits one request. Returns a ticket with which to report its outcome, or {@link #REFUSED}.
     */
    synchronized int enter(long now) {
        if (isSick || (state == ServerState.Circuit.OPEN && now - openUntil < 0)) {
            return REFUSED;
        }
        if (state == ServerState.Circuit.OPEN) {
            become(ServerState.Circuit.HALF_OPEN);
        }
        if (state == ServerState.Circuit.HALF_OPEN) {
            int most = answered == 0 ? 1 : 1 + TRIALS;
            if (answered + trying >= most) {
                return REFUSED;
            }
            trying++;
            return generation;
        }
        if (isEasedIn(now) && !spend(now)) {
            return REFUSED;
        }
        recent.entered(now);
        return generation;
    }

    /** Reports that the request of {@code ticket} was answered. */
    void answered(int ticket, long now) {
        boolean hasClosed = false;
        synchronized (this) {
            if (ticket != generation) {
                return;
            }
            if (state == ServerState.Circuit.HALF_OPEN) {
                trying--;
                answered++;
                hasClosed = answered > TRIALS;
                if (hasClosed) {
                    close(now);
                }
            } else {
                failedConnects = 0;
                recent.ended(now, false);
            }
        }
        if (hasClosed) {
            listener.closed();
        }
    }

    /**
     * Reports that the request of {@code ticket} failed, or was answered with a server error.
     *
     * @param isConnect whether no connection could be opened
     */
    void failed(int ticket, boolean isConnect, String detail, long now) {
        String why = null;
        synchronized (this) {
            if (ticket != generation) {
                return;
            }
            if (state == ServerState.Circuit.HALF_OPEN) {
                open(now);
                return;
            }
            failedConnects = isConnect ? failedConnects + 1 : 0;
            recent.ended(now, true);
            if (failedConnects >= CONNECTS) {
                why = CONNECTS + " consecutive connections failed, last: " + detail;
            } else if (recent.ended() >= LEAST && recent.failed() * 2 >= recent.ended()) {
                why =
                        recent.failed()
                                + " of "
                                + recent.ended()
                                + " requests failed, last: "
                                + detail;
            }
            if (why != null) {
                suspend(now);
            }
        }
        if (why != null) {
            listener.opened(why);
        }
    }

    /** Reports that the request of {@code ticket} ended without an outcome. */
    synchronized void left(int ticket) {
        if (ticket == generation && state == ServerState.Circuit.HALF_OPEN) {
            trying--;
        }
    }

    /** Reports that the server fails its health checks. */
    void unhealthy(String why, long now) {
        boolean hasOpened;
        synchronized (this) {
            isSick = true;
            hasOpened = state == ServerState.Circuit.CLOSED;
            if (hasOpened) {
                suspend(now);
            } else {
                open(now);
            }
        }
        if (hasOpened) {
            listener.opened(why);
        }
    }

    /** Reports that the server passes its health checks: trial requests may pass now. */
    synchronized void healthy(long now) {
        isSick = false;
        if (state == ServerState.Circuit.OPEN) {
            openUntil = now;
        }
    }

    /**
     * The share of its weight that the server gets, up to 1. Trial requests are limited elsewhere.
     */
    synchronized double warmth(long now) {
        boolean isCold = state == ServerState.Circuit.CLOSED && isEasedIn(now);
        return isCold ? Math.max(COLD, progress(now)) : 1;
    }

    synchronized ServerState.Circuit state() {
        return state;
    }

    private void suspend(long now) {
        boolean isFlapping = hasRecovered && now - closedAt < SETTLED.toNanos();
        openNanos = isFlapping ? Math.min(openNanos * 2, LONGEST_OPEN.toNanos()) : OPEN.toNanos();
        if (!isEasedIn(now)) {
            // During slow start the rate is lower than it was before.
            perSecondBefore = recent.perSecond(now);
        }
        open(now);
    }

    private void open(long now) {
        become(ServerState.Circuit.OPEN);
        openUntil = now + openNanos;
    }

    private void close(long now) {
        become(ServerState.Circuit.CLOSED);
        hasRecovered = true;
        closedAt = now;
        tokens = 1;
        tokensAt = now;
        recent.clear();
    }

    private void become(ServerState.Circuit next) {
        state = next;
        // Outcomes of requests sent before the change no longer count.
        generation++;
        trying = 0;
        answered = 0;
        failedConnects = 0;
    }

    private boolean isEasedIn(long now) {
        return hasRecovered && now - closedAt < slowStartNanos;
    }

    private double progress(long now) {
        return (double) (now - closedAt) / slowStartNanos;
    }

    private boolean spend(long now) {
        double perSecond = Math.max(LEAST_PER_SECOND, perSecondBefore) * (1 + progress(now));
        // Bursts of up to a tenth of a second's requests are allowed.
        double most = Math.max(1, perSecond / 10);
        tokens = Math.min(most, tokens + (now - tokensAt) / NANOS * perSecond);
        tokensAt = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** Counters of the last ten seconds, one slot per second. */
    private static final class Recent {
        private static final int SECONDS = 10;

        private final int[] entered = new int[SECONDS];
        private final int[] ended = new int[SECONDS];
        private final int[] failed = new int[SECONDS];
        private boolean hasBegun;
        private long since;
        private long second;

        void clear() {
            hasBegun = false;
            Arrays.fill(entered, 0);
            Arrays.fill(ended, 0);
            Arrays.fill(failed, 0);
        }

        void entered(long now) {
            entered[slot(now)]++;
        }

        void ended(long now, boolean hasFailed) {
            int slot = slot(now);
            ended[slot]++;
            if (hasFailed) {
                failed[slot]++;
            }
        }

        int ended() {
            return Arrays.stream(ended).sum();
        }

        int failed() {
            return Arrays.stream(failed).sum();
        }

        double perSecond(long now) {
            slot(now);
            double seconds = Math.clamp((now - since) / NANOS, 1.0, SECONDS);
            return Arrays.stream(entered).sum() / seconds;
        }

        /** Returns the slot of the current second, and clears expired ones. */
        private int slot(long now) {
            if (!hasBegun) {
                hasBegun = true;
                since = now;
                second = 0;
            }
            // Each loop reads its own ticker, so one may be slightly behind another.
            long next = Math.max(second, (now - since) / (long) NANOS);
            for (long each = Math.max(second + 1, next - SECONDS + 1); each <= next; each++) {
                int slot = (int) (each % SECONDS);
                entered[slot] = 0;
                ended[slot] = 0;
                failed[slot] = 0;
            }
            second = next;
            return (int) (next % SECONDS);
        }
    }
}
