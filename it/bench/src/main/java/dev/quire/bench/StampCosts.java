package dev.quire.bench;

import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/** Runs the benchmarks of stamps and prints their cost for a page that is fetched. */
public final class StampCosts {
    private static final double WANTED_MICROS = 20;

    private final Scores scores;

    private StampCosts(Scores scores) {
        this.scores = scores;
    }

    /** Takes JMH options, for example {@code -f 1 -prof gc}. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        new StampCosts(Scores.run(arguments, Swapping.class, Stamping.class)).print();
    }

    private void print() {
        System.out.println();
        for (var name : List.of("draw", "swapWhole", "swapPieces", "parsePlain", "parseStamped")) {
            System.out.printf(Locale.ROOT, "%-12s %8.2f us%n", name, scores.micros(name));
        }
        double reading = scores.micros("parseStamped") - scores.micros("parsePlain");
        System.out.printf(
                Locale.ROOT,
                "stamps add %.2f us to a miss of a %d KiB page:"
                        + " draw + swapPieces %+.2f parsing (goal: %.0f)%n",
                scores.micros("draw") + scores.micros("swapPieces") + reading,
                StampedPages.BYTES / 1024,
                reading,
                WANTED_MICROS);
    }
}
