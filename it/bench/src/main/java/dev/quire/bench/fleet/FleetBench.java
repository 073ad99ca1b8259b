package dev.quire.bench.fleet;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import org.apache.commons.cli.Options;

/** {@code bin/bench fleet}: checks what a fleet serves while it is disturbed. */
public final class FleetBench {
    private static final double LONGEST_DELAY = 20;

    /** Below this share of idle processors, delays say more about the machine. */
    private static final double LEAST_IDLE = 0.5;

    private FleetBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench fleet",
                "Disturbs several proxies with one store under load and purges, and checks what"
                        + " they serve. Exit status 1 if a promise is broken, or a client saw an"
                        + " error.",
                options(),
                arguments,
                FleetBench::run);
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("nodes", "N", "Number of proxies (default 3)."))
                .addOption(Arguments.taking("seconds", "N", "Duration (default 600)."))
                .addOption(
                        Arguments.taking("reads", "N", "Reads per second and node (default 500)."))
                .addOption(
                        Arguments.taking("purges", "N", "Purges per second and node (default 6)."))
                .addOption(
                        Arguments.taking(
                                "store", "PROGRAM", "Redis or Valkey (default redis-server)."))
                .addOption(
                        null,
                        "sentinel",
                        false,
                        "The store is a primary server, its replica and three sentinels; the"
                                + " primary server is killed or stopped.")
                .addOption(
                        null,
                        "namespaces",
                        false,
                        "Cuts nodes off with network namespaces in place of toxiproxy. Requires"
                                + " root.")
                .addOption(
                        null,
                        "revalidate",
                        false,
                        "Nodes that are cut off validate what they have (fleet.partition).")
                .addOption(null, "without-store", false, "Nodes that share nothing.")
                .addOption(null, "without-disk", false, "Nodes without a disk tier.")
                .addOption(null, "undisturbed", false, "Without disturbances.")
                .addOption(
                        Arguments.taking(
                                "seed",
                                "N",
                                "Repeats the choices of an earlier run (default: another one each"
                                        + " time)."))
                .addOption(
                        Arguments.taking(
                                "logs", "FOLDER", "Where the logs of the proxies are kept."))
                .addOption(Arguments.takingDirectory());
    }

    private static void keepLogs(Path folder, Path kept, int nodes) throws IOException {
        for (int i = 0; i < nodes; i++) {
            Files.copy(
                    folder.resolve(Fleet.name(i)).resolve("proxy.log"),
                    kept.resolve(Fleet.name(i) + ".log"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        long seed = arguments.longNumber("seed", System.currentTimeMillis(), 0, Long.MAX_VALUE);
        boolean hasStore = !arguments.has("without-store");
        boolean isWatched = arguments.has("sentinel");
        boolean isApart = arguments.has("namespaces");
        if ((isWatched ? 1 : 0) + (isApart ? 1 : 0) + (hasStore ? 0 : 1) > 1) {
            throw new CannotMeasure(
                    "expected one of --sentinel, --namespaces and --without-store, found several");
        }
        var module = Root.folder().resolve("it/bench");
        boolean hasToxiproxy = hasStore && !isWatched && !isApart;
        var toxiproxy = hasToxiproxy ? Toxiproxy.build(module) : Optional.<Path>empty();
        if (hasToxiproxy && toxiproxy.isEmpty()) {
            System.err.println("Go is not installed: the network is not disturbed");
        }
        var program = arguments.value("store").orElse("redis-server");
        int nodes = arguments.number("nodes", 3, 1, 20);
        System.out.println("seed " + seed);
        try (var folder = OwnedFolder.in(arguments.directory());
                var group = isWatched ? StoreGroup.sentinels(program, folder.path()) : null;
                var namespace = isApart ? Namespace.create(nodes) : null) {
            var terms =
                    new Fleet.Terms(
                                    nodes,
                                    hasStore ? Optional.of(program) : Optional.empty(),
                                    toxiproxy,
                                    !arguments.has("without-disk"),
                                    Fleet.SMALL_MEMORY)
                            .with(group)
                            .in(namespace)
                            .validating(arguments.has("revalidate"));
            var trial =
                    new Trial(
                            terms,
                            Duration.ofSeconds(arguments.number("seconds", 600, 1, 86_400)),
                            arguments.number("reads", 500, 2, 100_000),
                            arguments.decimal("purges", 6, 0.1, 1000),
                            false,
                            !arguments.has("undisturbed"),
                            seed);
            var outcome = trial.run(Launch.script(Root.folder()), folder.path());
            System.out.println(outcome);
            var logs = arguments.value("logs");
            if (logs.isPresent()) {
                keepLogs(
                        folder.path(), Files.createDirectories(Path.of(logs.get())), terms.nodes());
            }
            double delay = outcome.verdict().delayMillis(99);
            boolean isJudged = hasStore && outcome.idle() >= LEAST_IDLE;
            boolean isLate = isJudged && delay > LONGEST_DELAY;
            System.out.printf(
                    "p99 of the delay is %.1f ms, limit %.0f ms%s%n",
                    delay, LONGEST_DELAY, isJudged ? "" : "; not judged, the machine is busy");
            boolean isSound = outcome.isSound() && !isLate;
            System.out.println(isSound ? "all promises hold" : "FAILED");
            return isSound ? 0 : 1;
        }
    }
}
