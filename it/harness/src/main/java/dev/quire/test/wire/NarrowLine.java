package dev.quire.test.wire;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Limits the sending rate of one connection. Used on the answer's own thread. */
final class NarrowLine {
    /** Pieces sent per second while there is data. */
    private static final long PIECES_PER_SECOND = 20;

    private final long bytesPerSecond;
    private final Pause pause;
    private final long beginNanos = System.nanoTime();
    private long takenBytes;

    /** How to wait. */
    interface Pause {
        /** Waits at most for {@code longest}. */
        void of(Duration longest);
    }

    /**
     * @param bytesPerSecond {@link Long#MAX_VALUE} for no limit
     */
    NarrowLine(long bytesPerSecond, Pause pause) {
        this.bytesPerSecond = bytesPerSecond;
        this.pause = pause;
    }

    /** The largest piece that may be sent at once, in bytes. */
    long longestPiece() {
        return bytesPerSecond == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(1, bytesPerSecond / PIECES_PER_SECOND);
    }

    /** Waits until {@code bytes} more may be sent. */
    void await(int bytes) {
        if (bytesPerSecond == Long.MAX_VALUE) {
            return;
        }
        takenBytes += bytes;
        long due = (long) (takenBytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
        pause.of(Duration.ofNanos(due - (System.nanoTime() - beginNanos)));
    }
}
