package dev.quire.proxy.listen;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many frames of each kind a client may send that cost work and bring nothing
 * (CVE-2019-9511 to -9518, CVE-2023-44487, CVE-2025-8671). Confined to the loop of the connection.
 */
final class FloodBudgets {

    /** A kind of frames; its limit may be used up in an instant or evenly over a minute. */
    enum Kind {
        SETTINGS(30),
        PING(60),
        /** PRIORITY and PRIORITY_UPDATE. */
        PRIORITY(120),
        EMPTY_DATA(10),
        WINDOW_UPDATE(6_000),
        /** Unknown types, acknowledgements of SETTINGS, HEADERS on streams that we have reset. */
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

    /** Frames of DATA that a window has cut and that are shorter allow no WINDOW_UPDATE. */
    private static final int USEFUL_BYTES = 1024;

    /** WINDOW_UPDATE for the stream and for the connection, and as many for impatient clients. */
    private static final int UPDATES_OF_A_FRAME = 4;

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private final Map<Kind, Bucket> buckets = new EnumMap<>(Kind.class);
    private final int windowBytes;
    private int resets = RESETS;
    private long lateBytes;

    /**
     * @param windowBytes the largest window of a stream that the client may assume
     */
    FloodBudgets(int windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** The frames of a kind that are left. */
    private static final class Bucket {
        private final Kind kind;
        private double left;
        private long countedNanos;

        Bucket(Kind kind, long nowNanos) {
            this.kind = kind;
            this.left = kind.perMinute();
            this.countedNanos = nowNanos;
        }

        boolean take(long nowNanos) {
            double gained = (double) (nowNanos - countedNanos) * kind.perMinute() / MINUTE_NANOS;
            countedNanos = nowNanos;
            add(gained);
            left--;
            return left >= 0;
        }

        void add(double frames) {
            left = Math.min(kind.perMinute(), left + frames);
        }
    }

    /** Counts a frame; returns false if it is one too many. */
    boolean take(Kind kind, long nowNanos) {
        var bucket = buckets.get(kind);
        if (bucket == null) {
            bucket = new Bucket(kind, nowNanos);
            buckets.put(kind, bucket);
        }
        return bucket.take(nowNanos);
    }

    /** Counts a reset by either side; returns false if it is one too many. */
    boolean takeReset() {
        resets--;
        return resets >= 0;
    }

    /** A stream was reset; as much as its window may still arrive. */
    void mayArrive() {
        lateBytes += windowBytes;
    }

    /** Counts DATA on a stream that we have reset; returns false if the windows forbid it. */
    boolean takeLate(int bytes) {
        lateBytes -= bytes;
        return lateBytes >= 0;
    }

    /** A response was completed: a client that cancels now and then can go on doing so. */
    void completed() {
        resets = Math.min(RESETS, resets + 1);
    }

    /**
     * A frame of DATA was sent, for which the client may update its windows.
     *
     * @param isWhole true if it carries all that was there to be sent, as an event of an event
     *     stream does; a short frame that a window has cut is the work of the client
     */
    void sent(int bytes, boolean isWhole) {
        var updates = buckets.get(Kind.WINDOW_UPDATE);
        if ((isWhole || bytes >= USEFUL_BYTES) && updates != null) {
            updates.add(UPDATES_OF_A_FRAME);
        }
    }
}
