package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.Grounds;
import dev.quire.bench.peers.LoadGenerators;
import dev.quire.bench.peers.Meter;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Series;
import dev.quire.bench.peers.Round;
import dev.quire.bench.peers.Target;
import dev.quire.bench.peers.TargetScript;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a study runs: its servers, the load generators, and the measurement of its arms in turn.
 * Collects everything that was wrong. Not thread-safe.
 */
final class Stage {
    private static final int CHECKS_BEFORE = 3;
    private static final Duration WARM = Duration.ofSeconds(10);
    private static final String HOST = "127.0.0.1:";

    private final Path root;
    private final Grounds grounds;
    private final LoadGenerators load;
    private final Extent extent;
    private final PrintStream progress;
    private final List<String> faults = new ArrayList<>();
    private final Map<String, String> versions = new LinkedHashMap<>();

    /**
     * How much is measured.
     *
     * @param isShort whether only correctness is checked, with small counts
     */
    record Extent(boolean isShort, int rounds) {

        /** Returns {@code full}, or {@code small} of a short run. */
        int of(int full, int small) {
            return isShort ? small : full;
        }
    }

    Stage(Path root, Grounds grounds, Extent extent, PrintStream progress) throws CannotMeasure {
        this.root = root;
        this.grounds = grounds;
        this.load = grounds.loadGenerators();
        this.extent = extent;
        this.progress = progress;
    }

    Path root() {
        return root;
    }

    Grounds grounds() {
        return grounds;
    }

    LoadGenerators load() {
        return load;
    }

    Extent extent() {
        return extent;
    }

    void say(String text) {
        progress.println(text);
    }

    /** Records that something was wrong, which makes the run fail. */
    void fault(String what) {
        progress.println("WRONG: " + what);
        faults.add(what);
    }

    List<String> faults() {
        return List.copyOf(faults);
    }

    /** The versions of the servers that were started, by title. */
    Map<String, String> versions() {
        return versions;
    }

    /**
     * Starts the server of a script in {@code it/bench/targets}.
     *
     * @param script its path in that folder, without {@code .sh}
     * @param name of this server, for its files
     * @param variables added to its environment
     */
    Target start(String script, String name, int originPort, Map<String, String> variables)
            throws CannotMeasure, IOException, InterruptedException {
        var file = root.resolve("it/bench/targets").resolve(script + ".sh");
        var parsed = TargetScript.parse(name, file, Files.readString(file));
        if (!parsed.isInstalled()) {
            throw new CannotMeasure(
                    "%s is not installed (expected the Debian package %s)"
                            .formatted(parsed.title(), parsed.packaged().orElse(name)));
        }
        var target = grounds.start(parsed, name, originPort, variables);
        if (parsed.version().isPresent()) {
            versions.put(
                    parsed.title().replaceFirst(" \\(.*", ""), grounds.version(parsed, variables));
        }
        return target;
    }

    /** Records the version of a server that is not an arm of its own. */
    void version(String title, String command) throws IOException, InterruptedException {
        versions.put(title, grounds.version(command, Map.of()));
    }

    /**
     * Measures {@code arms} in turn, the rounds interleaved: A B C, B C A and so on.
     *
     * @param others processes of the study that are not arms
     */
    Case measure(Step step, List<Arm> arms, Meter.Counter origin, List<Running> others)
            throws CannotMeasure, IOException, InterruptedException {
        for (var arm : arms) {
            check(step, arm, CHECKS_BEFORE);
            if (!extent.isShort()) {
                warm(step, arm);
            }
            arm.running().forgetPeak();
        }
        var meter =
                new Meter(
                        origin,
                        Stream.concat(arms.stream().map(Arm::running), others.stream()).toList());
        var rounds = new ArrayList<List<Round>>();
        arms.forEach(arm -> rounds.add(new ArrayList<>()));
        for (int round = 0; round < extent.rounds(); round++) {
            for (int turn = 0; turn < arms.size(); turn++) {
                int index = (round + turn) % arms.size();
                var arm = arms.get(index);
                // Expired pages are fetched now.
                check(step, arm, 1);
                var measured = round(step, arm, meter);
                rounds.get(index).add(measured);
                report(step, arm, round + 1, measured);
                fault(step, arm, measured);
            }
        }
        var series = new ArrayList<Series>();
        for (int index = 0; index < arms.size(); index++) {
            var arm = arms.get(index);
            series.add(
                    new Series(
                            arm.name(),
                            rounds.get(index),
                            arm.running().peakBytes(),
                            Optional.empty()));
            check(step, arm, 1);
        }
        return new Case(step.title(), step.title(), step.clients(), series);
    }

    /** A server is not measured while its code is compiled. */
    private static void warm(Step step, Arm arm)
            throws CannotMeasure, IOException, InterruptedException {
        long end = System.nanoTime() + WARM.toNanos();
        do {
            step.load().run(arm);
        } while (System.nanoTime() - end < 0);
    }

    /**
     * Measures one arm once, for a load under which the arms cannot be measured in turn.
     *
     * @param mayFail whether requests that fail are a finding about the arm, not a fault of the run
     * @param others processes of the study that are not arms
     */
    Series measureOnce(
            Step step, Arm arm, boolean mayFail, Meter.Counter origin, List<Running> others)
            throws IOException, InterruptedException {
        check(step, arm, 1);
        arm.running().forgetPeak();
        var meter =
                new Meter(
                        origin, Stream.concat(Stream.of(arm.running()), others.stream()).toList());
        var measured = round(step, arm, meter);
        report(step, arm, 1, measured);
        if (!mayFail) {
            fault(step, arm, measured);
        }
        check(step, arm, 1);
        return new Series(
                arm.name(), List.of(measured), arm.running().peakBytes(), Optional.empty());
    }

    private void report(Step step, Arm arm, int round, Round measured) {
        progress.printf(
                "%-28s round %d  %-18s %,10.1f requests/s  %9.1f µs CPU/request%s%s%n",
                step.title(),
                round,
                arm.name(),
                measured.outcome().requestsPerSecond(),
                measured.cpuMicrosPerRequest(),
                measured.isDisturbed()
                        ? "  disturbed: %.0f %%".formatted(measured.others() * 100)
                        : "",
                measured.isLoadFull() ? "  load generator saturated" : "");
    }

    private void fault(Step step, Arm arm, Round measured) {
        measured.fault()
                .ifPresent(why -> fault("%s, %s: %s".formatted(step.title(), arm.name(), why)));
    }

    private Round round(Step step, Arm arm, Meter meter) throws IOException, InterruptedException {
        var expected =
                new Meter.Expected(
                        step.bodyBytes(), arm.originRequests(), step.clients(), step.threads());
        return meter.measure(arm.running(), expected, () -> step.load().run(arm));
    }

    private void check(Step step, Arm arm, int times) {
        for (int time = 1; time <= times; time++) {
            step.paths().forEach(body -> check(step.title(), arm, body));
        }
    }

    /** Compares one response of {@code arm}. */
    void check(String title, Arm arm, Step.Body body) {
        wrong(arm, body)
                .ifPresent(why ->
                        fault("%s, %s, %s: %s".formatted(title, arm.name(), body.path(), why)));
    }

    /** Returns what is wrong with the response of {@code arm}, or empty. */
    Optional<String> wrong(Arm arm, Step.Body expected) {
        try (var client = new Client(arm.port())) {
            var answer = client.get(HOST + arm.port(), arm.prefix() + expected.path());
            if (answer.status() != 200) {
                return Optional.of("status " + answer.status() + ", expected 200");
            }
            int at = Arrays.mismatch(answer.body(), expected.bytes());
            return at < 0
                    ? Optional.empty()
                    : Optional.of(
                            "body differs at byte %,d: length %,d, expected %,d"
                                    .formatted(at, answer.body().length, expected.bytes().length));
        } catch (IOException e) {
            return Optional.of(e.toString());
        }
    }
}
