package dev.quire.proxy.gzip;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.zip.Deflater;

/**
 * Deflaters kept for the next use: a new one costs a quarter of a MiB to be cleared, several times
 * what most pieces cost. Safe for all threads.
 */
final class Deflaters {
    private static final int MAX_KEPT = 8;

    private static final Queue<Deflater> KEPT = new ArrayBlockingQueue<>(MAX_KEPT);

    private Deflaters() {}

    /** One as new, without a head of its own around what it writes. */
    static Deflater take() {
        var kept = KEPT.poll();
        return kept == null ? new Deflater(Deflater.DEFAULT_COMPRESSION, true) : kept;
    }

    /** {@code deflater} is not used any more by who took it. */
    static void giveBack(Deflater deflater) {
        deflater.reset();
        if (!KEPT.offer(deflater)) {
            deflater.end();
        }
    }
}
