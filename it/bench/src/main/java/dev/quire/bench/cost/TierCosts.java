package dev.quire.bench.cost;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.fleet.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Compares what a hit costs with a disk tier, a shared tier and a fleet, which have nothing to do,
 * with what it costs without them.
 */
final class TierCosts {
    private static final int ROUNDS = 9;

    private TierCosts() {}

    /** Prints for each kind and figure both medians and their ratio. */
    static void print(List<Asked> kinds) throws CannotMeasure, IOException, InterruptedException {
        try (var folder = OwnedFolder.in(OwnedFolder.ofTemporaryFiles());
                var store = Store.start("redis-server", folder.path());
                var without = Site.start();
                var with =
                        Site.start(name ->
                                """
                                disk: { path: "%s", size: 64MiB }
                                shared: { servers: ["127.0.0.1:%d"], namespace: %s }
                                fleet: { name: %s, node: %s }
                                """
                                        .formatted(
                                                folder.path().resolve(name),
                                                store.port(),
                                                name,
                                                name,
                                                name))) {
            for (var asked : kinds) {
                print(asked, without, with);
            }
        }
    }

    /** In turn, since the speed of the machine changes. */
    private static void print(Asked asked, Site without, Site with) throws IOException {
        var figures = new TreeMap<String, List<double[]>>();
        for (int round = 0; round < ROUNDS; round++) {
            var alone = Cost.of(without, asked).figures();
            Cost.of(with, asked)
                    .figures()
                    .forEach((name, value) ->
                            figures.computeIfAbsent(name, absent -> new ArrayList<>())
                                    .add(new double[] {alone.getOrDefault(name, 0.0), value}));
        }
        figures.forEach((name, pairs) ->
                System.out.printf(
                        Locale.ROOT,
                        "%s.%s: without tiers %.2f, with tiers %.2f, ratio %.3f%n",
                        asked.label(),
                        name,
                        median(pairs.stream().mapToDouble(pair -> pair[0]).toArray()),
                        median(pairs.stream().mapToDouble(pair -> pair[1]).toArray()),
                        median(pairs.stream().mapToDouble(pair -> pair[1] / pair[0]).toArray())));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
