package dev.quire.proxy.listen;

/** The bytes that the client of a connection has not taken. Confined to the connection's loop. */
final class UntakenBytes {

    /**
     * Once so much of all bodies waits for the windows of the client, only streams of which nothing
     * waits get more.
     */
    private static final long MAX_WAITING_BYTES = 1 << 20;

    private final StallTimer stall = new StallTimer();
    private long waitingBytes;
    private long admittedBytes;
    private boolean isStalled;

    // Of the socket.
    private long pendingBytes;
    private long pendingSinceNanos;

    /** Counts bytes that wait for the client's windows, or, if negative, never will be sent. */
    void waits(int moreBytes) {
        waitingBytes += moreBytes;
    }

    /** Counts bytes that the client's windows have admitted. */
    void admitted(int bytes) {
        waitingBytes -= bytes;
        admittedBytes += bytes;
    }

    /** Whether more bytes may wait for the windows of the client. */
    boolean hasRoom() {
        return waitingBytes < MAX_WAITING_BYTES;
    }

    /** Whether the client's windows admit too little of all its streams together. */
    boolean isStalled() {
        return isStalled;
    }

    /**
     * Called periodically. Returns whether the socket has taken nothing for too long.
     *
     * @param pending bytes that the socket has not taken
     */
    boolean check(long pending, long nowNanos, long limitNanos) {
        isStalled = stall.isStalled(waitingBytes > 0, admittedBytes, nowNanos, limitNanos);
        // Growth counts too: it is bounded, as nothing is read from a client that takes nothing.
        if (pending == 0 || pending != pendingBytes) {
            pendingBytes = pending;
            pendingSinceNanos = nowNanos;
        }
        return pending > 0 && nowNanos - pendingSinceNanos > limitNanos;
    }
}
