package dev.quire.bench.replay;

import java.util.Locale;

/** Counts hits by request and by byte, of all requests and of the second half of them. */
final class HitRate {
    private final long from;

    private long requests;
    private long hits;
    private long lateHits;
    private long lateAllBytes;
    private long lateHitBytes;

    /**
     * @param from the number of requests before the second half
     */
    HitRate(long from) {
        this.from = from;
    }

    void count(boolean isHit, long bytes) {
        requests++;
        hits += isHit ? 1 : 0;
        if (requests > from) {
            lateAllBytes += bytes;
            if (isHit) {
                lateHits++;
                lateHitBytes += bytes;
            }
        }
    }

    /** The share of hits among all requests, in percent. */
    double ofAll() {
        return percent(hits, requests);
    }

    /** The share of hits among the requests of the second half, in percent. */
    double late() {
        return percent(lateHits, requests - from);
    }

    /** The same by bytes. */
    double lateBytes() {
        return percent(lateHitBytes, lateAllBytes);
    }

    /** The rates of the second half. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%.2f %% of requests, %.2f %% of bytes", late(), lateBytes());
    }

    private static double percent(long part, long all) {
        return all <= 0 ? 0 : 100.0 * part / all;
    }
}
