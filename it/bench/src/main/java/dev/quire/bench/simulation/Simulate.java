package dev.quire.bench.simulation;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.BarChart;
import dev.quire.bench.simulation.Tally.Answer;
import dev.quire.bench.simulation.Tally.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Options;

/** {@code bin/simulate}: what a large fleet asks of its origin and of its stores. */
public final class Simulate {
    private static final String COMMAND = "bin/simulate";
    private static final int MOST_NODES = 10_000;
    private static final int MOST_OBJECTS = 10_000_000;

    /** Smaller fleets have so many nodes less, and this share of the requests. */
    private static final int[] SMALLER = {100, 10, 1};

    private static final List<Arrangement> ALL = List.of(Arrangement.values());

    private static final double[] SHARES = {0.25, 0.5, 1};

    private final StringBuilder report = new StringBuilder();

    private Simulate() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                COMMAND,
                "Simulates a fleet of proxies with shared stores, or compares the simulation with"
                        + " three real proxies.",
                options(),
                arguments,
                Simulate::run);
    }

    /** The options that {@link #load} reads. */
    static Options loadOptions() {
        return new Options()
                .addOption(Arguments.taking("nodes", "N", "Number of proxies (default 1000)."))
                .addOption(Arguments.taking("objects", "N", "Of the site (default 20000)."))
                .addOption(
                        Arguments.taking(
                                "requests-per-second", "N", "Of all nodes (default 20000)."))
                .addOption(
                        Arguments.taking(
                                "purges-per-second",
                                "N",
                                "Of the 40 most popular objects (default 5)."))
                .addOption(Arguments.taking("skew", "N", "Exponent of Zipf's law (default 0.9)."))
                .addOption(
                        Arguments.taking(
                                "memory", "N", "Objects in the memory of a node (default 2000)."))
                .addOption(Arguments.taking("object-bytes", "N", "Of a body (default 8192)."))
                .addOption(Arguments.taking("lifetime", "N", "Of a response in s (default 60)."))
                .addOption(
                        Arguments.taking(
                                "origin",
                                "N",
                                "Time of a response of the origin in ms (default 100)."))
                .addOption(Arguments.taking("seconds", "N", "That are counted (default 60)."))
                .addOption(Arguments.taking("shards", "N", "Number of stores (default 6)."))
                .addOption(Arguments.taking("seed", "N", "Of all random choices (default 1)."));
    }

    private static Options options() {
        return loadOptions()
                .addOption(Arguments.taking("out", "FOLDER", "For report.md and origin.svg."));
    }

    private static int run(Arguments arguments) throws CannotMeasure, IOException {
        var load = load(arguments);
        var simulate = new Simulate();
        simulate.print("# A simulated fleet\n\n" + load + "\n");
        simulate.steady(load);
        var chart = simulate.bySize(load);
        var out = arguments.value("out");
        if (out.isPresent()) {
            var folder = Files.createDirectories(Path.of(out.get()));
            Files.writeString(folder.resolve("report.md"), simulate.report);
            Files.writeString(folder.resolve("origin.svg"), chart.svg());
        }
        return 0;
    }

    static Load load(Arguments arguments) throws CannotMeasure {
        var lifetime = Duration.ofSeconds(arguments.number("lifetime", 60, 1, 3600));
        return new Load(
                arguments.number("nodes", 1000, 1, MOST_NODES),
                arguments.number("objects", 20_000, 1, MOST_OBJECTS),
                arguments.decimal("requests-per-second", 20_000, 0.1, 1e6),
                arguments.decimal("purges-per-second", 5, 0, 1000),
                arguments.decimal("skew", 0.9, 0, 2),
                arguments.number("memory", 2000, 1, MOST_OBJECTS),
                arguments.number("object-bytes", 8192, 200, 1 << 24),
                lifetime,
                Duration.ofMillis(arguments.number("origin", 100, 1, 60_000)),
                lifetime,
                Duration.ofSeconds(arguments.number("seconds", 60, 1, 3600)),
                arguments.number("shards", 6, 1, 100),
                arguments.longNumber("seed", 1, 0, Long.MAX_VALUE - 10));
    }

    private void print(String text) {
        System.out.print(text);
        report.append(text);
    }

    /** All arrangements after a lifetime, when responses expire as often as they are fetched. */
    private void steady(Load load) {
        print(
                "\n## Steady state\n\nCounted are %d s after a warm-up of %d s.\n\n"
                        .formatted(load.measured().toSeconds(), load.warmUp().toSeconds()));
        var runs = ALL.stream().map(each -> World.run(load, each, null)).toList();
        var answers =
                new Table("answers from, in %", "memory", "shared store", "other fetch", "origin");
        var store =
                new Table("per second", "origin", "GET", "lease", "poll", "PUT", "tick", "append");
        var rest =
                new Table(
                        "",
                        "messages/s",
                        "MB/s",
                        "busiest store",
                        "after purge p50",
                        "max",
                        "outdated answers",
                        "longest s");
        for (int i = 0; i < runs.size(); i++) {
            var run = runs.get(i);
            var title = ALL.get(i).title();
            answers.row(
                    title,
                    percent(run, Answer.MEMORY),
                    percent(run, Answer.SHARED),
                    percent(run, Answer.COALESCED),
                    percent(run, Answer.ORIGIN));
            store.row(
                    title,
                    rate(run.origin(), load),
                    rate(run.operations(Operation.GET), load),
                    rate(run.operations(Operation.LEASE), load),
                    rate(run.operations(Operation.POLL), load),
                    rate(run.operations(Operation.PUT), load),
                    rate(run.operations(Operation.TICK), load),
                    rate(run.operations(Operation.APPEND), load));
            rest.row(
                    title,
                    rate(run.operations(Operation.MESSAGE), load),
                    "%.1f".formatted(run.bytes() / load.measuredSeconds() / 1e6),
                    "%.1f %%".formatted(100 * run.busiest()),
                    "%.0f".formatted(run.herd(50)),
                    "%.0f".formatted(run.herd(100)),
                    "%,d".formatted(run.stale()),
                    "%.4f".formatted(run.longestStaleSeconds()));
        }
        print(answers + "\n" + store + "\n" + rest);
        print("\n## Claims\n\n" + new Claims(load).check(runs.getLast()));
    }

    private static String percent(Tally run, Answer answer) {
        return "%.2f".formatted(100.0 * run.answers(answer) / Math.max(1, run.requests()));
    }

    private static String rate(long count, Load load) {
        double rate = count / load.measuredSeconds();
        return rate < 100 ? "%.1f".formatted(rate) : "%,.0f".formatted(rate);
    }

    /** Three sizes within the first lifetime: only purges and first requests reach the origin. */
    private BarChart bySize(Load load) {
        var half = load.lifetime().dividedBy(2);
        print(
                "\n## By the number of nodes\n\nCounted is the second half of the first lifetime:"
                        + " no response expires.\n\n");
        var table =
                new Table(
                        "nodes (requests/s each)",
                        "shared",
                        "origin/s",
                        "store requests/s",
                        "polls/s",
                        "busiest store",
                        "after purge p50",
                        "max",
                        "longest outdated s");
        var groups = new ArrayList<BarChart.Group>();
        for (int i = 0; i < SMALLER.length; i++) {
            int nodes = Math.max(1, load.nodes() / SMALLER[i]);
            var smaller = load.of(nodes, load.requestsPerSecond() * SHARES[i]).during(half, half);
            var bars = new ArrayList<BarChart.Bar>();
            for (var shared : List.of(Arrangement.LOG, Arrangement.SHARED, Arrangement.ALL)) {
                var run = World.run(smaller, shared, null);
                table.row(
                        "%,d (%.0f)".formatted(nodes, smaller.requestsPerSecond() / nodes),
                        shared.title(),
                        rate(run.origin(), smaller),
                        rate(run.operations(), smaller),
                        rate(run.operations(Operation.POLL), smaller),
                        "%.1f %%".formatted(100 * run.busiest()),
                        "%.0f".formatted(run.herd(50)),
                        "%.0f".formatted(run.herd(100)),
                        "%.4f".formatted(run.longestStaleSeconds()));
                bars.add(
                        new BarChart.Bar(
                                shared.title(),
                                run.origin() / smaller.measuredSeconds(),
                                rate(run.origin(), smaller),
                                shared == Arrangement.ALL ? "ours" : "bound"));
            }
            groups.add(new BarChart.Group("%,d nodes".formatted(nodes), bars));
        }
        print(table.toString());
        return new BarChart(
                "Requests per second at the origin, simulated",
                List.of(load.toString().split(", (?=lifetime)")),
                groups);
    }
}
