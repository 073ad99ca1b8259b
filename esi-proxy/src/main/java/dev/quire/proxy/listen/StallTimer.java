package dev.quire.proxy.listen;

/** Notices a client that takes too little of what waits for it. Confined to a loop. */
final class StallTimer {

    /** A client takes at least so much within the limit: less than a packet of TCP. */
    static final int LEAST_BYTES = 1024;

    private boolean wasWaiting;
    private long sentBytes;
    private long sinceNanos;

    /**
     * Called periodically.
     *
     * @param isWaiting whether anything waits for the client
     * @param sentBytes what the client has taken so far
     */
    boolean isStalled(boolean isWaiting, long sentBytes, long nowNanos, long limitNanos) {
        if (!wasWaiting || sentBytes - this.sentBytes >= LEAST_BYTES) {
            this.sentBytes = sentBytes;
            sinceNanos = nowNanos;
        }
        wasWaiting = isWaiting;
        return isWaiting && nowNanos - sinceNanos > limitNanos;
    }
}
