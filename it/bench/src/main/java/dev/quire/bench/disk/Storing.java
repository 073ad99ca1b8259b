package dev.quire.bench.disk;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Percentiles;
import dev.quire.bench.Root;
import dev.quire.bench.kill.DiskState;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.Visitors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench storing}: the rate at which a proxy fetches and stores new responses, with a
 * disk tier beside without one, in turn.
 */
public final class Storing {
    private static final String HOST = "news.example";
    private static final double LEAST_RATIO = 0.95;

    /** Of the responses: those of the last seconds still wait. */
    private static final double LEAST_STORED = 0.75;

    /** For the compiler. */
    private static final int WARM_ROUNDS = 2;

    private final int objects;
    private final Visitors visitors;

    private Storing(int objects, Visitors visitors) {
        this.objects = objects;
        this.visitors = visitors;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench storing",
                "Measures the rate at which a proxy stores new responses, with a disk tier beside"
                        + " without one. Exit status 1 if the limit does not hold.",
                options(),
                arguments,
                Storing::run);
    }

    private static Options options() {
        return new Options()
                .addOption(
                        Arguments.taking(
                                "objects", "N", "Number of URLs of each round (default 50000)."))
                .addOption(Arguments.taking("size", "BYTES", "Length of a body (default 1024)."))
                .addOption(Arguments.taking("rounds", "N", "Rounds that are measured (default 9)."))
                .addOption(
                        Arguments.taking("connections", "N", "Connections of clients (default 8)."))
                .addOption(Arguments.taking("memory", "MIB", "cache.memory of each (default 512)."))
                .addOption(Arguments.takingDirectory());
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int bytes = arguments.number("size", 1024, 1, 16 << 20);
        int rounds = arguments.number("rounds", 9, 1, 100);
        var memory =
                "cache: { memory: %dMiB }\n".formatted(arguments.number("memory", 512, 1, 1 << 16));
        var storing =
                new Storing(
                        arguments.number("objects", 50_000, 1, 10_000_000),
                        new Visitors(arguments.number("connections", 8, 1, 256)));
        try (var folder = OwnedFolder.in(arguments.directory());
                var origin = StampedOrigin.start(url -> new StampedOrigin.Resource(bytes, "all"));
                var without = proxy(folder.path().resolve("without"), origin, memory);
                var with =
                        proxy(
                                folder.path().resolve("with"),
                                origin,
                                memory + disk(folder.path().resolve("disk")))) {
            without.start();
            with.start();
            return storing.compare(without, with, rounds);
        }
    }

    private static String disk(Path path) {
        return "disk: { path: \"%s\", size: 4GiB, write-limit: 1GiB/s }\n".formatted(path);
    }

    private static KilledProxy proxy(Path folder, StampedOrigin origin, String yaml)
            throws CannotMeasure, IOException {
        return KilledProxy.of(
                Launch.script(Root.folder()), Files.createDirectories(folder), origin.port(), yaml);
    }

    private int compare(KilledProxy without, KilledProxy with, int rounds)
            throws CannotMeasure, IOException, InterruptedException {
        var ratios = new ArrayList<Double>();
        for (int round = -WARM_ROUNDS; round < rounds; round++) {
            boolean isFirst = round % 2 == 0;
            double alone = isFirst ? rate(without, round) : 0;
            double both = rate(with, round);
            alone = isFirst ? alone : rate(without, round);
            System.out.printf(
                    "%s  without %,8.0f/s, with %,8.0f/s, %.3f ×%n",
                    round < 0 ? "warm-up" : "round %d".formatted(round + 1),
                    alone,
                    both,
                    both / alone);
            if (round >= 0) {
                ratios.add(both / alone);
            }
        }
        var limits = new MeasuredLimits();
        long stored = DiskState.of(with).stored();
        long asked = (rounds + WARM_ROUNDS) * (long) objects;
        limits.check(
                stored >= LEAST_STORED * asked,
                "written to the disk: %,d of %,d responses, limit %.0f %%"
                        .formatted(stored, asked, 100 * LEAST_STORED));
        double ratio = Percentiles.median(ratios);
        limits.check(
                ratio >= LEAST_RATIO,
                "rate of storing with a disk tier: %.3f × of without, median of %d rounds, limit %.2f"
                        .formatted(ratio, rounds, LEAST_RATIO));
        return limits.ended();
    }

    /** Asks for new URLs; returns the requests per second. */
    private double rate(KilledProxy proxy, int round)
            throws CannotMeasure, IOException, InterruptedException {
        long begin = System.nanoTime();
        var visit =
                visitors.visit(
                        proxy.port(),
                        HOST,
                        objects,
                        number -> "/round" + round + "/article/" + number,
                        (url, version) -> true);
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (visit.failed() + visit.wrong() + visit.hits() > 0) {
            throw new CannotMeasure(
                    "expected %,d misses, found %s: %s".formatted(objects, visit, proxy.output()));
        }
        return objects / seconds;
    }
}
