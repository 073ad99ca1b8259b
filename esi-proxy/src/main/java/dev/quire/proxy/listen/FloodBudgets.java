package dev.quire.proxy.listen;

import java.util.concurrent.TimeUnit;

/**
 * Limits how many frames of each kind a client may send that cost work and bring nothing
 * (CVE-2019-9511 to -9518, CVE-2023-44487, CVE-2025-8671). Confined to the loop of the connection.
 */
final class FloodBudgets {

    /** What is limited. A kind is used up in an instant or evenly over a minute. */
    enum Kind {
        SETTINGS(30),
        PING(60),
        /** PRIORITY and PRIORITY_UPDATE. */
        PRIORITY(120),
        EMPTY_DATA(10),
        WINDOW_UPDATE(6_000),
        /** Unknown types, and frames on streams that have ended. */
        OTHER(600);

        private final int perMinute;

        Kind(int perMinute) {
            this.perMinute = perMinute;
        }

        int perMinute() {
            return perMinute;
        }
    }

    /** Resets by either side, without a response in between. */
    static final int RESETS = 100;

    /** Frames of DATA at least this long are a reason for WINDOW_UPDATE. */
    private static final int USEFUL_BYTES = 1024;

    /** WINDOW_UPDATE for the stream and for the connection, and as many for impatient clients. */
    private static final int UPDATES_OF_A_FRAME = 4;

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Kind[] KINDS = Kind.values();

    /** The frames that are left of each kind. */
    private final double[] left = new double[KINDS.length];

    private final long[] countedNanos = new long[KINDS.length];
    private int resets = RESETS;

    FloodBudgets(long nowNanos) {
        for (var kind : KINDS) {
            left[kind.ordinal()] = kind.perMinute();
            countedNanos[kind.ordinal()] = nowNanos;
        }
    }

    /** Counts a frame; returns false if it is one too many. */
    boolean take(Kind kind, long nowNanos) {
        int at = kind.ordinal();
        double gained = (double) (nowNanos - countedNanos[at]) * kind.perMinute() / MINUTE_NANOS;
        countedNanos[at] = nowNanos;
        left[at] = Math.min(kind.perMinute(), left[at] + gained) - 1;
        return left[at] >= 0;
    }

    /** Counts a reset by either side; returns false if it is one too many. */
    boolean takeReset() {
        resets--;
        return resets >= 0;
    }

    /** A response was completed: a client that cancels now and then can go on doing so. */
    void completed() {
        resets = Math.min(RESETS, resets + 1);
    }

    /** A frame of DATA was sent, for which the client may update its windows. */
    void sent(int bytes) {
        if (bytes >= USEFUL_BYTES) {
            int at = Kind.WINDOW_UPDATE.ordinal();
            left[at] = Math.min(Kind.WINDOW_UPDATE.perMinute(), left[at] + UPDATES_OF_A_FRAME);
        }
    }
}
