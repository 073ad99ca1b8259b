package dev.quire.bench.peers;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Root;
import dev.quire.bench.Running;
import dev.quire.bench.peers.Results.Absent;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Measured;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.commons.cli.Options;

/**
 * Runs {@code bin/bench peers}, {@code fragments} and {@code start}. The exit status is 0, 1 if a
 * target gave a wrong response, or 2 for errors the user can fix.
 */
final class Peers {
    private static final int MOST_CLIENTS = 10_000;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private Peers() {}

    /** Takes the command and its options; see {@code bin/bench --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Locale.setDefault(Locale.ROOT);
        System.exit(execute(List.of(arguments)));
    }

    private static int execute(List<String> words) throws IOException, InterruptedException {
        try {
            var rest = words.subList(1, words.size());
            return switch (words.getFirst()) {
                case "peers" -> beside(rest);
                case "fragments" -> fragments(rest);
                case "start" -> Start.run(rest);
                default ->
                        throw new CannotMeasure(
                                "unknown command '%s' (expected peers, fragments or start)"
                                        .formatted(words.getFirst()));
            };
        } catch (CannotMeasure e) {
            return e.report();
        } catch (IOException e) {
            if (Running.isStopping()) {
                return 1;
            }
            throw e;
        }
    }

    /** The common options: extent of the measurement, targets and output folder. */
    private record Extent(int rounds, int seconds, int warmUp, List<String> targets, Path out) {
        static Options options() {
            return new Options()
                    .addOption(Arguments.taking("rounds", "N", "Rounds per target (default 3)."))
                    .addOption(Arguments.taking("seconds", "N", "Seconds per round (default 3)."))
                    .addOption(
                            Arguments.taking(
                                    "warm-up",
                                    "N",
                                    "Seconds of load before a target's first round (default 3)."))
                    .addOption(
                            Arguments.taking(
                                    "targets",
                                    "NAME,...",
                                    "Names from it/bench/targets, or paths of such scripts"
                                            + " (default: all that are installed)."))
                    .addOption(
                            Arguments.taking(
                                    "out",
                                    "FOLDER",
                                    "Folder for the reports (default"
                                            + " it/bench/target/report)."));
        }

        static Extent of(Arguments arguments) throws CannotMeasure, IOException {
            var out = arguments.value("out").map(Path::of);
            return new Extent(
                    arguments.number("rounds", 3, 1, 100),
                    arguments.number("seconds", 3, 1, 600),
                    arguments.number("warm-up", 3, 0, 600),
                    arguments.words("targets"),
                    Files.createDirectories(
                            out.isPresent()
                                    ? out.get()
                                    : Root.folder().resolve("it/bench/target/report")));
        }

        Comparison.Plan plan() {
            return new Comparison.Plan(
                    rounds, Duration.ofSeconds(seconds), Duration.ofSeconds(warmUp));
        }

        /** The options as on the command line. */
        @Override
        public String toString() {
            return " --rounds "
                    + rounds
                    + " --seconds "
                    + seconds
                    + " --warm-up "
                    + warmUp
                    + (targets.isEmpty() ? "" : " --targets " + String.join(",", targets));
        }
    }

    /** One workload with one number of clients. */
    private record Step(Workload workload, String name, int connections) {}

    /** Runs {@code steps} and passes the results so far to {@code interim} after each. */
    private static Results run(
            String command, Extent extent, List<Step> steps, List<String> usual, Interim interim)
            throws CannotMeasure, IOException, InterruptedException {
        var scripts = scripts(extent.targets(), usual);
        try (var site = Grounds.open(Root.folder())) {
            var load = site.loadGenerators();
            var targets = new ArrayList<Target>();
            var measured = new ArrayList<Measured>();
            var absent = new ArrayList<Absent>();
            try {
                for (var script : scripts) {
                    if (!script.isInstalled()) {
                        absent.add(
                                new Absent(
                                        script.name(),
                                        script.title(),
                                        "not installed (Debian: "
                                                + script.packaged().orElse(script.name())
                                                + ")"));
                        continue;
                    }
                    try {
                        targets.add(site.start(script));
                        measured.add(
                                new Measured(script.name(), script.title(), site.version(script)));
                    } catch (CannotMeasure e) {
                        absent.add(
                                new Absent(
                                        script.name(),
                                        script.title(),
                                        String.valueOf(e.getMessage())));
                    }
                }
                absent.forEach(one -> System.err.println(one.title() + ": " + one.why()));
                if (targets.isEmpty()) {
                    throw new CannotMeasure("none of the targets could be started");
                }
                System.err.printf(
                        "%s; about %d minutes; load average %.1f%n",
                        targets.stream().map(Target::name).collect(Collectors.joining(", ")),
                        1
                                + steps.size()
                                        * targets.size()
                                        * (extent.rounds() * (extent.seconds() + 1)
                                                + extent.warmUp()
                                                + 2)
                                        / 60,
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
                var comparison = new Comparison(site.origin(), load, extent.plan(), System.err);
                var date = DATE.format(Instant.now());
                var machine = Machine.here();
                var cases = new ArrayList<Case>();
                var results =
                        new Results(
                                command,
                                date,
                                extent.rounds(),
                                extent.seconds(),
                                machine,
                                measured,
                                absent,
                                cases);
                for (var step : steps) {
                    cases.add(
                            comparison.measure(
                                    step.workload(), step.name(), step.connections(), targets));
                    interim.write(results);
                }
                return results;
            } finally {
                targets.forEach(Target::close);
            }
        }
    }

    /** Saves the results so far, in case the run is interrupted. */
    @FunctionalInterface
    private interface Interim {
        void write(Results results) throws IOException;
    }

    private static List<TargetScript> scripts(List<String> names, List<String> usual)
            throws CannotMeasure, IOException {
        var known = TargetScript.in(Root.folder().resolve("it/bench/targets"));
        for (var name : names) {
            if (name.contains("/")) {
                var file = Path.of(name).toAbsolutePath();
                if (!Files.isReadable(file)) {
                    throw new CannotMeasure(
                            "--targets: " + file + " cannot be read (expected a script)");
                }
                var stem = String.valueOf(file.getFileName()).replaceFirst("\\.sh$", "");
                known.put(name, TargetScript.parse(stem, file, Files.readString(file)));
            }
        }
        return Arguments.chosen("--targets", names.isEmpty() ? usual : names, known);
    }

    private static int ended(Results results) {
        boolean sound =
                results.cases().stream()
                        .flatMap(one -> one.series().stream())
                        .allMatch(Results.Series::isSound);
        return sound ? 0 : 1;
    }

    private static int beside(List<String> words)
            throws CannotMeasure, IOException, InterruptedException {
        var read =
                Arguments.read(
                        "bin/bench peers",
                        "Compares Quire with the installed peers: requests per second, CPU"
                                + " time, memory. Writes report.md, report.svg and results.json.",
                        Extent.options()
                                .addOption(
                                        Arguments.taking(
                                                "connections",
                                                "N,...",
                                                "Numbers of clients, measured in turn (default"
                                                        + " 64, and 150 for close-*; late always"
                                                        + " has 4)."))
                                .addOption(
                                        Arguments.taking(
                                                "workloads",
                                                "NAME,...",
                                                "Workloads to run (default: all).")),
                        words);
        if (read.isEmpty()) {
            return 0;
        }
        var arguments = read.get();
        var known = new LinkedHashMap<String, Workload>();
        Workload.ALL.forEach(workload -> known.put(workload.name(), workload));
        var named = arguments.words("workloads");
        var workloads = Arguments.chosen("--workloads", named, known);
        var clients = arguments.numbers("connections", List.of(), 1, MOST_CLIENTS);
        var steps = new ArrayList<Step>();
        for (var workload : workloads) {
            var each = workload.clients().of(clients);
            for (int count : each) {
                var name = each.size() > 1 ? workload.name() + "/" + count : workload.name();
                steps.add(new Step(workload, name, count));
            }
        }
        var extent = Extent.of(arguments);
        var out = extent.out();
        var results =
                run(
                        "bin/bench peers"
                                + (named.isEmpty() ? "" : " --workloads " + String.join(",", named))
                                + (clients.isEmpty() ? "" : " --connections " + joined(clients))
                                + extent,
                        extent,
                        steps,
                        List.of(),
                        interim -> {
                            var report = new Report(interim);
                            Files.writeString(out.resolve("report.md"), report.markdown());
                            Files.writeString(out.resolve("report.svg"), report.svg());
                            Json.write(out.resolve("results.json"), interim);
                        });
        System.out.println(new Report(results).markdown());
        System.err.println("written: " + out.resolve("report.md") + ", report.svg, results.json");
        return ended(results);
    }

    private static int fragments(List<String> words)
            throws CannotMeasure, IOException, InterruptedException {
        var read =
                Arguments.read(
                        "bin/bench fragments",
                        "Measures the CPU time of a page by number of cached fragments, and"
                                + " the slope. Writes fragments.md, fragments.svg and"
                                + " fragments.json. Default targets: quire, bare and"
                                + " varnish.",
                        Extent.options()
                                .addOption(
                                        Arguments.taking(
                                                "connections",
                                                "N",
                                                "Number of clients (default 64)."))
                                .addOption(
                                        Arguments.taking(
                                                "counts",
                                                "N,...",
                                                "Numbers of fragments (default"
                                                        + " 1,10,50,200).")),
                        words);
        if (read.isEmpty()) {
            return 0;
        }
        var arguments = read.get();
        int clients = arguments.number("connections", 64, 1, MOST_CLIENTS);
        var counts = arguments.numbers("counts", List.of(1, 10, 50, 200), 0, 1000);
        if (counts.size() < 2) {
            throw new CannotMeasure("--counts: a slope needs at least two different numbers");
        }
        var steps =
                counts.stream()
                        .map(count ->
                                new Step(
                                        Workload.ofFragments(count),
                                        Integer.toString(count),
                                        clients))
                        .toList();
        var extent = Extent.of(arguments);
        var out = extent.out();
        var results =
                run(
                        "bin/bench fragments --counts "
                                + joined(counts)
                                + " --connections "
                                + clients
                                + extent,
                        extent,
                        steps,
                        List.of("quire", "bare", "varnish"),
                        interim -> Json.write(out.resolve("fragments.json"), interim));
        var cost = new FragmentCost(results);
        Files.writeString(out.resolve("fragments.md"), cost.markdown());
        Files.writeString(out.resolve("fragments.svg"), cost.svg());
        System.out.println(cost.markdown());
        System.err.println(
                "written: " + out.resolve("fragments.md") + ", fragments.svg, fragments.json");
        return ended(results);
    }

    private static String joined(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
