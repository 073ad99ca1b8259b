package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.ProcessTimes;
import dev.quire.bench.Running;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Measures rounds: the result of the load, CPU times, requests at the origin, and the share of the
 * machine that other processes use.
 */
public final class Meter {
    private final Counter origin;
    private final List<Running> started;

    /** Counts the requests at the origin. */
    @FunctionalInterface
    public interface Counter {
        long requests() throws IOException, InterruptedException;
    }

    /** Runs a load generator, which is a child of this process. */
    @FunctionalInterface
    public interface Load {
        Outcome run() throws CannotMeasure, IOException, InterruptedException;
    }

    /**
     * The expected result of a round.
     *
     * @param bodyBytes mean body size on the wire, or NaN if responses are too few for a mean
     * @param originRequests requests at the origin per request, or {@link #ANY}
     * @param connections maximum number of requests in flight
     * @param loadThreads number of threads of the load generator
     */
    public record Expected(double bodyBytes, int originRequests, int connections, int loadThreads) {
        /** Requests at the origin are counted, not checked: responses expire meanwhile. */
        public static final int ANY = -1;
    }

    /**
     * @param started all processes of the run, whose CPU time is not that of others
     */
    public Meter(Counter origin, List<Running> started) {
        this.origin = origin;
        this.started = started;
    }

    /** Measures one round; a load that fails gives an invalid one. */
    public Round measure(Running target, Expected expected, Load load)
            throws IOException, InterruptedException {
        long requestsBefore = origin.requests();
        double cpuBefore = target.cpuSeconds();
        var allBefore = ProcessTimes.ofAll();
        long begin = System.nanoTime();
        try {
            var outcome = load.run();
            double seconds = (System.nanoTime() - begin) / 1e9;
            var allAfter = ProcessTimes.ofAll();
            double cpu = target.cpuSeconds() - cpuBefore;
            long requests = origin.requests() - requestsBefore;
            return new Round(
                    outcome,
                    cpu,
                    reapedSeconds(allAfter) - reapedSeconds(allBefore),
                    expected.loadThreads(),
                    requests,
                    others(allBefore, allAfter) / (seconds * processors()),
                    Round.fault(
                            outcome,
                            expected.bodyBytes(),
                            expected.originRequests(),
                            requests,
                            expected.connections()));
        } catch (CannotMeasure e) {
            return new Round(
                    Outcome.NONE, 0, 0, 1, 0, 0, Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Returns the CPU seconds of this process's children that have ended, which are the load
     * generators.
     */
    private static double reapedSeconds(Map<Long, ProcessTimes> all) {
        var here = all.get(ProcessHandle.current().pid());
        return here == null ? 0 : here.reapedSeconds();
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Returns the CPU seconds of all processes that were not started here and still run. */
    private double others(Map<Long, ProcessTimes> before, Map<Long, ProcessTimes> after) {
        var ours =
                started.stream()
                        .flatMap(running -> running.pids().boxed())
                        .collect(Collectors.toSet());
        ours.add(ProcessHandle.current().pid());
        return after.entrySet().stream()
                .filter(entry -> !ours.contains(entry.getKey()))
                .mapToDouble(entry -> {
                    var earlier = before.get(entry.getKey());
                    return entry.getValue().ownSeconds()
                            - (earlier == null ? 0 : earlier.ownSeconds());
                })
                .sum();
    }
}
