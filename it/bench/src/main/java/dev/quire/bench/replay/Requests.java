package dev.quire.bench.replay;

import java.util.SplittableRandom;

/** A sequence of requests for the URLs of a site. The same for the same arguments. */
final class Requests {
    private static final int DRIFT_PERIOD = 10_000;
    private static final int POPULAR = 1_000;

    private final Site site;
    private final double drift;
    private final SplittableRandom random;

    /** The URL at each rank of popularity. */
    private final int[] ranked;

    private long done;

    /**
     * @param drift the share of the 1,000 most popular URLs that trade places with any others, each
     *     10,000 requests
     */
    Requests(Site site, double drift, long seed) {
        this.site = site;
        this.drift = drift;
        this.random = new SplittableRandom(seed);
        this.ranked = new int[site.size()];
        for (int i = 0; i < ranked.length; i++) {
            ranked[i] = i;
        }
    }

    /** Returns the next requested URL. */
    int next() {
        done++;
        if (drift > 0 && done % DRIFT_PERIOD == 0) {
            driftOn();
        }
        return ranked[site.next(random)];
    }

    private void driftOn() {
        int popular = Math.min(POPULAR, ranked.length);
        for (int i = 0; i < drift * popular; i++) {
            int from = random.nextInt(popular);
            int to = random.nextInt(ranked.length);
            int url = ranked[from];
            ranked[from] = ranked[to];
            ranked[to] = url;
        }
    }
}
