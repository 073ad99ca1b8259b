package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.Time;

/** Limits the bytes that are written in a second. Used by one thread; its limit by all. */
final class Pace {
    private final Time time;
    private volatile long bytesASecond = Long.MAX_VALUE;
    private long left = Long.MAX_VALUE;
    private long filledAt;

    Pace(Time time) {
        this.time = time;
        this.filledAt = time.ticks();
    }

    void limit(long bytes) {
        bytesASecond = bytes;
    }

    /** Returns whether {@code bytes} may be written now: unless the limit was exceeded before. */
    boolean take(long bytes) {
        long now = time.ticks();
        long most = bytesASecond;
        double seconds = (double) (now - filledAt) / Time.NANOS_A_SECOND;
        filledAt = now;
        left = (long) Math.min((double) most, (double) left + seconds * (double) most);
        if (left < 0) {
            return false;
        }
        left -= bytes;
        return true;
    }
}
