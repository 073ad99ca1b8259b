package dev.quire.bench;

import dev.quire.spring.Swapping;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of stamps and says what a page that is fetched pays for them. */
public final class StampCosts {
    private static final double WANTED_MICROS = 20;

    private final Collection<RunResult> results;

    private StampCosts(Collection<RunResult> results) {
        this.results = results;
    }

    /** Takes JMH's own options, for example {@code -f 1 -prof gc}. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        var options =
                new OptionsBuilder()
                        .parent(new CommandLineOptions(arguments))
                        .include(Swapping.class.getName())
                        .include(Stamping.class.getName())
                        .build();
        new StampCosts(new Runner(options).run()).print();
    }

    private void print() {
        System.out.println();
        for (var name : List.of("draw", "swapWhole", "swapPieces", "parsePlain", "parseStamped")) {
            System.out.printf(Locale.ROOT, "%-12s %8.2f us%n", name, micros(name));
        }
        double reading = micros("parseStamped") - micros("parsePlain");
        System.out.printf(
                Locale.ROOT,
                "a miss pays %.2f us for a page of %d KiB: draw, swapPieces, and %+.2f for reading (wanted: %.0f)%n",
                micros("draw") + micros("swapPieces") + reading,
                StampedPages.BYTES / 1024,
                reading,
                WANTED_MICROS);
    }

    private double micros(String name) {
        return results.stream()
                .map(RunResult::getPrimaryResult)
                .filter(result -> result.getLabel().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + " has not been measured"))
                .getScore();
    }
}
