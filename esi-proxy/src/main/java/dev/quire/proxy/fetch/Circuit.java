package dev.quire.proxy.fetch;

import java.time.Duration;
import java.util.Arrays;

/**
 * Whether one server may be asked, judged by how it has answered of late. Any thread; all state is
 * guarded by the object's own lock, and the listener is called without it. Times are those of the
 * loops' tickers, in nanoseconds.
 */
final class Circuit {

    /*
     * Closed: everything passes and is counted. When half of at least twenty requests of the last
     * ten seconds have failed, or five connections in a row, it opens: nothing passes for a while.
     * Then it is half open: one request passes, and if that is answered five more; if they are
     * answered too, it closes, and if one fails it opens again. A checked server that is sick is
     * open until the checks find it well, whatever requests say.
     *
     * After it has closed, requests are eased in: at first as many a second as there were before
     * it opened, at the end of the slow start twice as many, then as many as come. So all that has
     * become stale meanwhile is not fetched at one time. One that opens again soon after it has
     * closed stays open twice as long, so a server that comes and goes is not followed at every
     * step.
     */

    /** A request that may not be sent. */
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

    /** Told what others should know. Called by whichever thread made it happen. */
    interface Listener {
        /** Nothing passes any more but trials. */
        void opened(String why);

        /** Everything passes again. */
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
     * @param slowStart may be zero
     */
    Circuit(Duration slowStart, Listener listener) {
        this.slowStartNanos = slowStart.toNanos();
        this.listener = listener;
    }

    /** A ticket for one request, to be used with what becomes of it; or {@link #REFUSED}. */
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

    /** The request of {@code ticket} has its answer. */
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
     * The request of {@code ticket} has failed, or its answer is one of a server that is sick.
     *
     * @param isConnect whether there was not even a connection
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

    /** The request of {@code ticket} is over and has shown nothing. */
    synchronized void left(int ticket) {
        if (ticket == generation && state == ServerState.Circuit.HALF_OPEN) {
            trying--;
        }
    }

    /** The checks have found the server sick. */
    void sick(String why, long now) {
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

    /** The checks have found the server well: requests may try it now. */
    synchronized void well(long now) {
        isSick = false;
        if (state == ServerState.Circuit.OPEN) {
            openUntil = now;
        }
    }

    /** The part of its weight that the server is to have, up to 1; trials limit themselves. */
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
            // While it is eased in, there are fewer requests than there were.
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
        // What was sent before says nothing any more.
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
        // A tenth of a second's requests may come at one time.
        double most = Math.max(1, perSecond / 10);
        tokens = Math.min(most, tokens + (now - tokensAt) / NANOS * perSecond);
        tokensAt = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    /** What has happened in the last ten seconds, second by second. */
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

        /** The one of this second; forgets what is too long ago. */
        private int slot(long now) {
            if (!hasBegun) {
                hasBegun = true;
                since = now;
                second = 0;
            }
            // Loops read the ticker each for itself: one may be a little behind another.
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
