package dev.quire.proxy.listen;

/** The limits of one request body: its length, and the time for its next part. */
final class BodyLimits {
    private final ConnectionRules rules;
    private long spareBytes = Long.MAX_VALUE;
    private long dueNanos;

    BodyLimits(ConnectionRules rules) {
        this.rules = rules;
    }

    /** Sets how many bytes the body may have. */
    void limit(long bytes) {
        spareBytes = bytes;
    }

    /** The client may send from now on. */
    void begin(long nowNanos) {
        dueNanos = nowNanos + rules.bodyGraceNanos();
    }

    /** Counts a part that has arrived; returns false if the body is too long. */
    boolean take(int bytes, long nowNanos) {
        spareBytes -= bytes;
        if (spareBytes < 0) {
            return false;
        }
        dueNanos =
                Math.min(
                        nowNanos + rules.bodyGraceNanos(),
                        dueNanos + bytes * rules.nanosOfBodyByte());
        return true;
    }

    /** Whether the client sends too slowly. */
    boolean isOverdue(long nowNanos) {
        return nowNanos - dueNanos > 0;
    }
}
