package dev.quire.bench.simulation;

import dev.quire.bench.replay.Site;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The requests and purges of a {@link Load}: each second as many on average, at random moments. The
 * same for the same load.
 */
final class Arrivals {
    private static final double SECOND = 1e9;

    private final Load load;
    private final Site site;
    private final int[] purged;

    /** Takes requests or purges. */
    interface Arriving {
        void arrive(int node, int object);
    }

    Arrivals(Load load) {
        this.load = load;
        this.site =
                new Site(
                        load.objects(),
                        load.skew(),
                        new Site.Lengths(load.objectBytes(), 0, load.objectBytes()),
                        load.seed());
        this.purged = IntStream.range(0, Math.min(Load.PURGED, load.objects())).toArray();
        var random = new SplittableRandom(load.seed() + 3);
        for (int i = purged.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int object = purged[i];
            purged[i] = purged[other];
            purged[other] = object;
        }
    }

    /** Has all of them arrive in {@code timeline}. */
    void each(Timeline timeline, Arriving requested, Arriving invalidated) {
        next(
                new Stream(timeline, load.requestsPerSecond(), 4),
                random -> {
                    requested.arrive(random.nextInt(load.nodes()), site.next(random));
                });
        var count = new int[1];
        next(
                new Stream(timeline, load.purgesPerSecond(), 5),
                random -> {
                    invalidated.arrive(
                            random.nextInt(load.nodes()), purged[count[0]++ % purged.length]);
                });
    }

    private interface One {
        void arrive(SplittableRandom random);
    }

    private final class Stream {
        private final Timeline timeline;
        private final double perSecond;
        private final SplittableRandom random;

        Stream(Timeline timeline, double perSecond, int seed) {
            this.timeline = timeline;
            this.perSecond = perSecond;
            this.random = new SplittableRandom(load.seed() + seed);
        }
    }

    private void next(Stream stream, One one) {
        if (stream.perSecond <= 0) {
            return;
        }
        double pause = -Math.log(1 - stream.random.nextDouble()) / stream.perSecond;
        long time = stream.timeline.now() + (long) (SECOND * pause);
        if (time < load.end()) {
            stream.timeline.at(
                    time,
                    () -> {
                        one.arrive(stream.random);
                        next(stream, one);
                    });
        }
    }
}
