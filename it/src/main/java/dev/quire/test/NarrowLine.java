package dev.quire.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Paces what leaves on one connection. On the answer's own thread. */
final class NarrowLine {
    /** How often a piece leaves while there is something to send. */
    private static final long PIECES_PER_SECOND = 20;

    private final long bytesPerSecond;
    private final Pause pause;
    private final long beginNanos = System.nanoTime();
    private long takenBytes;

    /** How it waits. */
    interface Pause {
        /** Waits at most for {@code longest}. */
        void of(Duration longest);
    }

    /**
     * @param bytesPerSecond {@link Long#MAX_VALUE} for a line that holds nothing up
     */
    NarrowLine(long bytesPerSecond, Pause pause) {
        this.bytesPerSecond = bytesPerSecond;
        this.pause = pause;
    }

    /** How much may leave at one time. */
    long longestPiece() {
        return bytesPerSecond == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(1, bytesPerSecond / PIECES_PER_SECOND);
    }

    /** Waits until {@code bytes} more may leave. */
    void await(int bytes) {
        if (bytesPerSecond == Long.MAX_VALUE) {
            return;
        }
        takenBytes += bytes;
        long due = (long) (takenBytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
        pause.of(Duration.ofNanos(due - (System.nanoTime() - beginNanos)));
    }
}
