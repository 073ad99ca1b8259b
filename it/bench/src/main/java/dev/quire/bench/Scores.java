package dev.quire.bench;

import java.util.Collection;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** The results of benchmarks. */
record Scores(Collection<RunResult> results) {

    /** Runs all {@code benchmarks} with JMH options. */
    static Scores run(String[] options, Class<?>... benchmarks)
            throws RunnerException, CommandLineOptionException {
        var all = new OptionsBuilder().parent(new CommandLineOptions(options));
        for (var benchmark : benchmarks) {
            all.include(benchmark.getName());
        }
        return new Scores(new Runner(all.build()).run());
    }

    /** Returns the microseconds per operation of the benchmark {@code name}. */
    double micros(String name) {
        return results.stream()
                .map(RunResult::getPrimaryResult)
                .filter(result -> result.getLabel().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + " was not measured"))
                .getScore();
    }
}
