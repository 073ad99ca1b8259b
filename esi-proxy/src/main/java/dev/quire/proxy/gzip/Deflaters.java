package dev.quire.proxy.gzip;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.zip.Deflater;

/**
 * A pool of deflaters: clearing a new one (a quarter of a MiB) costs several times as much as most
 * pieces. Thread-safe.
 */
final class Deflaters {
    private static final int MAX_KEPT = 8;

    private static final Queue<Deflater> KEPT = new ArrayBlockingQueue<>(MAX_KEPT);

    private Deflaters() {}

    /** Returns a reset deflater that writes raw deflate, without a header. */
    static Deflater take() {
        var kept = KEPT.poll();
        return kept == null ? new Deflater(Deflater.DEFAULT_COMPRESSION, true) : kept;
    }

    /** Returns {@code deflater} to the pool. */
    static void giveBack(Deflater deflater) {
        deflater.reset();
        if (!KEPT.offer(deflater)) {
            deflater.end();
        }
    }
}
