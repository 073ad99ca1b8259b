package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.replay.Policy;
import dev.quire.bench.replay.Site.Lengths;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * The hit rate of a disk that holds 40 % of a site, beside LRU and FIFO for the same requests. The
 * second half of the requests counts.
 */
final class Eviction {
    private static final double SKEW = 0.9;
    private static final double SHARE = 0.4;
    private static final int BYTES = 16 << 10;
    private static final long SEED = 18;
    private static final double OF_LRU = 0.98;
    private static final double ABOVE_FIFO = 3;

    private Eviction() {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        int urls = stage.extent().of(20_000, 2560);
        int requests = stage.extent().of(400_000, 6000);
        var site = new dev.quire.bench.replay.Site(urls, SKEW, new Lengths(BYTES, 0, BYTES), SEED);
        var random = new SplittableRandom(SEED);
        var sequence = new int[requests];
        for (int i = 0; i < requests; i++) {
            sequence[i] = site.next(random);
        }
        long limit = (long) (SHARE * urls * BYTES);
        double lru = percent(Policy.lru(limit), sequence);
        double fifo = percent(Policy.fifo(limit), sequence);
        double ours = ofDisk(stage, sequence, limit);
        stage.say("eviction: %.1f %%, LRU %.1f %%, FIFO %.1f %%".formatted(ours, lru, fifo));
        found.table(
                "eviction",
                """
                | | hit rate |
                | --- | --: |
                | Quire, disk | %.1f %% |
                | LRU | %.1f %% |
                | FIFO | %.1f %% |
                """
                        .formatted(ours, lru, fifo));
        found.claim(
                Claim.atLeast(
                        "disk of 40 % of the site: hit rate at least 0.98 × of LRU",
                        ours / lru, OF_LRU, "×"));
        found.claim(
                Claim.atLeast(
                        "disk of 40 % of the site: hit rate at least 3 points above FIFO",
                        ours - fifo, ABOVE_FIFO, "points"));
    }

    private static double percent(Policy policy, int[] sequence) {
        int hits = 0;
        for (int i = 0; i < sequence.length; i++) {
            boolean isHit = policy.request(sequence[i], BYTES);
            if (isHit && i >= sequence.length / 2) {
                hits++;
            }
        }
        return 200.0 * hits / sequence.length;
    }

    /** Returns the hit rate of Quire without memory for responses and a disk of {@code limit}. */
    private static double ofDisk(Stage stage, int[] sequence, long limit)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        var disk = Files.createDirectories(stage.grounds().disk().resolve("eviction"));
        var variables =
                Map.of(
                        "QUIRE_BENCH_DISK",
                        disk.toString(),
                        "QUIRE_BENCH_MIB",
                        Long.toString(Math.ceilDiv(limit, 1L << 20)));
        try (var target = stage.start("quire-disk", "eviction", origin.port(), variables)) {
            int middle = sequence.length / 2;
            var arm = Arm.cache("eviction", "", target);
            IntFunction<String> path = i -> "/news/esi/article/" + sequence[i];
            Walk.all(stage, arm, 0, middle, path);
            long before = origin.requests();
            Walk.all(stage, arm, middle, sequence.length, path);
            long misses = origin.requests() - before;
            return 100.0 - 100.0 * misses / (sequence.length - middle);
        }
    }
}
