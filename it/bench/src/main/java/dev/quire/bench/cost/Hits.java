package dev.quire.bench.cost;

import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of hits and prints time and allocation per operation. */
public final class Hits {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private Hits() {}

    /** Takes JMH options, for example {@code -f 1 -wi 3}. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        var options =
                new OptionsBuilder()
                        .parent(new CommandLineOptions(arguments))
                        .include(Deciding.class.getName())
                        .include(Matching.class.getName())
                        .include(Serving.class.getName())
                        .include(Matching.class.getName())
                        .addProfiler(GCProfiler.class)
                        .build();
        print(new Runner(options).run());
    }

    private static void print(Collection<RunResult> results) {
        System.out.println();
        for (var result : results) {
            var time = result.getPrimaryResult();
            var allocated = result.getSecondaryResults().get(ALLOCATED);
            System.out.printf(
                    Locale.ROOT,
                    "%-15s %9.1f ns %9.0f B%n",
                    time.getLabel(),
                    time.getScore(),
                    allocated == null ? Double.NaN : allocated.getScore());
        }
    }
}
