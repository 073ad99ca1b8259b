package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares targets. All of them run all the time and their rounds are interleaved, A B C, B C A and
 * so on: other load on the machine then affects all alike, and ratios of adjacent rounds are more
 * reliable than single figures. Each target is checked before and after its rounds.
 */
final class Comparison {
    private static final int CHECKS_BEFORE = 3;

    private final OriginProcess origin;
    private final LoadGenerators load;
    private final Plan plan;
    private final PrintStream progress;

    /**
     * How much is measured.
     *
     * @param warmUp time of load before a target's first round, for its JIT compiler if it has one
     */
    record Plan(int rounds, Duration round, Duration warmUp) {}

    Comparison(OriginProcess origin, LoadGenerators load, Plan plan, PrintStream progress) {
        this.origin = origin;
        this.load = load;
        this.plan = plan;
        this.progress = progress;
    }

    /** Measures those of {@code targets} that support {@code workload}. */
    Results.Case measure(Workload workload, String name, int connections, List<Target> targets)
            throws IOException, InterruptedException {
        var able = targets.stream().filter(target -> target.script().does(workload)).toList();
        var failures = new LinkedHashMap<String, String>();
        for (var target : able) {
            progress.println(name + ": preparing " + target.name());
            prepare(workload, connections, target)
                    .ifPresent(wrong -> failures.put(target.name(), wrong));
        }
        var sound = able.stream().filter(target -> !failures.containsKey(target.name())).toList();
        var rounds = rounds(workload, name, connections, sound, targets);
        var peaks =
                sound.stream()
                        .collect(
                                Collectors.toMap(
                                        Target::name, target -> target.running().peakBytes()));
        for (var target : sound) {
            target.check()
                    .workload(workload, target.dialect(), 1)
                    .ifPresent(wrong ->
                            failures.put(target.name(), "wrong response after load: " + wrong));
        }
        failures.forEach((target, why) -> progress.println(name + " " + target + ": " + why));
        return new Results.Case(
                name,
                workload.title(),
                connections,
                able.stream()
                        .map(target ->
                                new Results.Series(
                                        target.name(),
                                        rounds.getOrDefault(target.name(), List.of()),
                                        peaks.getOrDefault(target.name(), 0L),
                                        Optional.ofNullable(failures.get(target.name()))))
                        .toList());
    }

    private Optional<String> prepare(Workload workload, int connections, Target target)
            throws IOException, InterruptedException {
        var dialect = target.dialect();
        var wrong =
                target.check()
                        .workload(workload, dialect, CHECKS_BEFORE)
                        .map(fault -> "wrong response: " + fault);
        if (wrong.isEmpty()) {
            wrong = target.check().warm(workload, dialect);
        }
        if (wrong.isEmpty() && plan.warmUp().isPositive()) {
            try {
                load.run(workload, target, connections, plan.warmUp());
            } catch (CannotMeasure e) {
                return Optional.of(String.valueOf(e.getMessage()));
            }
        }
        target.running().forgetPeak();
        return wrong;
    }

    private Map<String, List<Round>> rounds(
            Workload workload, String name, int connections, List<Target> targets, List<Target> all)
            throws IOException, InterruptedException {
        var rounds = new LinkedHashMap<String, List<Round>>();
        targets.forEach(target -> rounds.put(target.name(), new ArrayList<>()));
        for (int round = 0; round < plan.rounds(); round++) {
            for (int turn = 0; turn < targets.size(); turn++) {
                var target = targets.get((round + turn) % targets.size());
                var measured = round(workload, connections, target, all);
                rounds.getOrDefault(target.name(), List.of()).add(measured);
                progress.printf(
                        "%-20s round %d  %-14s %,9.0f requests/s  %7.1f µs CPU/request%s%s%s%n",
                        name,
                        round + 1,
                        target.name(),
                        measured.outcome().requestsPerSecond(),
                        measured.cpuMicrosPerRequest(),
                        measured.isDisturbed()
                                ? "  disturbed: %.0f %%".formatted(measured.others() * 100)
                                : "",
                        measured.isLoadFull() ? "  load generator saturated" : "",
                        measured.fault().map(fault -> "  INVALID: " + fault).orElse(""));
            }
        }
        return rounds;
    }

    private Round round(Workload workload, int connections, Target target, List<Target> all)
            throws IOException, InterruptedException {
        var expected =
                new Meter.Expected(
                        target.check().bodyBytes(workload, target.dialect()),
                        workload.originRequests(),
                        connections,
                        LoadGenerators.threads(workload, connections));
        var started = Stream.concat(all.stream().map(Target::running), Stream.of(origin.running()));
        return new Meter(origin::requests, started.toList())
                .measure(
                        target.running(),
                        expected,
                        () -> load.run(workload, target, connections, plan.round()));
    }
}
