package dev.quire.proxy.fetch;

import dev.quire.proxy.fetch.PathOutcomes.Outcome;
import dev.quire.proxy.fetch.PathOutcomes.Request;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of one server. Thread-safe: all state is guarded by the object's own lock,
 * and the listener is called without it. Times are in nanoseconds of the loops' tickers.
 */
final class Circuit {

    /*
     * Closed: all requests pass, and their outcomes are noted by path. The circuit opens when five
     * consecutive connections have failed, whatever the path, or when at least five paths that are
     * at least half of the paths asked in the last ten seconds have failed. A path counts once: one
     * bad URL does not open the circuit, however often it is requested. Statuses count only while
     * another server of the origin is closed: they never leave clients without a server. Paths do
     * not open it while they fail for one client only and others have asked too.
     *
     * While the circuit is open one request a second passes, so that good URLs are not entirely
     * lost; its outcome does not count. Then the circuit is half-open: one trial request passes,
     * and if it is answered, five more. It closes if all are answered, and opens again if one
     * fails, unless its path has failed in the last ten seconds. The circuit of a server that fails
     * its health checks stays open until they pass, and no request passes.
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
    private static final int PATHS = 5;
    private static final Duration TRICKLE = Duration.ofSeconds(1);
    private static final int TRIALS = 5;
    private static final double LEAST_PER_SECOND = 5;
    private static final double COLD = 0.1;
    private static final double NANOS = 1e9;

    /**
     * Receives the state changes that matter outside. Called on the thread that caused the change.
     */
    interface Listener {
        /** Only a request a second and trial requests pass from now on. */
        void opened(String why);

        /** All requests pass again. */
        void closed();
    }

    private final long slowStartNanos;
    private final ClosedCircuits closedCircuits;
    private final Listener listener;
    private final PathOutcomes paths = new PathOutcomes();
    private final Recent recent = new Recent();
    private ServerState.Circuit state = ServerState.Circuit.CLOSED;
    private boolean isSick;
    private int generation;
    private int failedConnects;
    private int trying;
    private int answered;
    private long openNanos = OPEN.toNanos();
    private long openUntil;
    private long passedAt;
    private boolean hasRecovered;
    private long closedAt;
    private double perSecondBefore;
    private double tokens;
    private long tokensAt;

    /**
     * @param slowStart zero for none
     * @param closedCircuits of all servers of the origin
     */
    Circuit(Duration slowStart, ClosedCircuits closedCircuits, Listener listener) {
        this.slowStartNanos = slowStart.toNanos();
        this.closedCircuits = closedCircuits;
        this.listener = listener;
    }

    /**
     * Admits one request. Returns a ticket with which to report its outcome, or {@link #REFUSED}.
     */
    synchronized int enter(long now) {
        if (isSick) {
            return REFUSED;
        }
        if (state == ServerState.Circuit.OPEN && now - openUntil >= 0) {
            become(ServerState.Circuit.HALF_OPEN);
        }
        if (state != ServerState.Circuit.CLOSED) {
            boolean isTrial = state == ServerState.Circuit.HALF_OPEN;
            int most = answered == 0 ? 1 : 1 + TRIALS;
            boolean isDue = isTrial && answered + trying < most;
            if (!isDue && now - passedAt < TRICKLE.toNanos()) {
                return REFUSED;
            }
            passedAt = now;
            trying += isTrial ? 1 : 0;
            return generation;
        }
        if (isEasedIn(now) && !spend(now)) {
            return REFUSED;
        }
        recent.entered(now);
        return generation;
    }

    /** Reports that {@code request}, sent with {@code ticket}, was answered. */
    void answered(int ticket, Request request, long now) {
        boolean hasClosed = false;
        synchronized (this) {
            if (ticket != generation) {
                return;
            }
            if (state == ServerState.Circuit.HALF_OPEN) {
                hasClosed = isTrialAnswered(now);
            } else if (state == ServerState.Circuit.CLOSED) {
                failedConnects = 0;
                paths.put(request, Outcome.ANSWERED, now);
            }
        }
        if (hasClosed) {
            listener.closed();
        }
    }

    /**
     * Reports that {@code request}, sent with {@code ticket}, failed.
     *
     * @return whether it counts; if not, {@link #left} is still to be called
     */
    boolean failed(int ticket, Outcome outcome, Request request, String detail, long now) {
        String why = null;
        boolean hasClosed = false;
        synchronized (this) {
            if (ticket != generation || state == ServerState.Circuit.OPEN) {
                return true;
            }
            if (state == ServerState.Circuit.HALF_OPEN) {
                if (outcome != Outcome.STATUS || closedCircuits.isAny()) {
                    return isTrialFailed(outcome, request, now);
                }
                hasClosed = isTrialAnswered(now);
            } else {
                why = reasonToOpen(outcome, request, detail, now);
                if (why != null) {
                    suspend(now);
                }
            }
        }
        if (why != null) {
            listener.opened(why);
        } else if (hasClosed) {
            listener.closed();
        }
        return true;
    }

    /** Notes a failure. If it opens the circuit, the circuit is no longer counted as closed. */
    private @Nullable String reasonToOpen(
            Outcome outcome, Request request, String detail, long now) {
        failedConnects = outcome == Outcome.UNREACHABLE ? failedConnects + 1 : 0;
        paths.put(request, outcome, now);
        if (failedConnects >= CONNECTS) {
            closedCircuits.opened();
            return CONNECTS + " consecutive connections failed, last: " + detail;
        }
        if (!isFailing(now)) {
            return null;
        }
        return "%d of %d paths failed, last: %s"
                .formatted(paths.failed(true, now), paths.asked(now), detail);
    }

    private boolean isTrialAnswered(long now) {
        trying--;
        answered++;
        if (answered <= TRIALS) {
            return false;
        }
        close(now);
        return true;
    }

    /** Whether the paths open the circuit; if so, it is no longer counted as closed. */
    private boolean isFailing(long now) {
        if (paths.isTroubleOfOneClient(now)) {
            return false;
        }
        int asked = paths.asked(now);
        if (isEnough(paths.failed(false, now), asked)) {
            closedCircuits.opened();
            return true;
        }
        return isEnough(paths.failed(true, now), asked) && closedCircuits.openUnlessLast();
    }

    private static boolean isEnough(int failed, int asked) {
        return failed >= PATHS && failed * 2 >= asked;
    }

    private boolean isTrialFailed(Outcome outcome, Request request, long now) {
        if (outcome != Outcome.UNREACHABLE && paths.hasFailed(request.path(), now)) {
            return false;
        }
        paths.put(request, outcome, now);
        open(now);
        return true;
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
                closedCircuits.opened();
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

    /** Whether requests should go to other servers if possible: at most one a second passes. */
    synchronized boolean isShunned(long now) {
        return isSick || (state == ServerState.Circuit.OPEN && now - openUntil < 0);
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
        passedAt = now;
    }

    private void close(long now) {
        become(ServerState.Circuit.CLOSED);
        closedCircuits.closed();
        paths.clear();
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

    /** Requests of the last ten seconds, one slot per second. */
    private static final class Recent {
        private static final int SECONDS = 10;

        private final int[] entered = new int[SECONDS];
        private boolean hasBegun;
        private long since;
        private long second;

        void clear() {
            hasBegun = false;
            Arrays.fill(entered, 0);
        }

        void entered(long now) {
            entered[slot(now)]++;
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
            }
            second = next;
            return (int) (next % SECONDS);
        }
    }
}
