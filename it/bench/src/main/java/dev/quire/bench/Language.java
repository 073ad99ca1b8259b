package dev.quire.bench;

import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;

/** Runs the benchmarks of the language and prints them relative to each other. */
public final class Language {

    private final Scores scores;

    private Language(Scores scores) {
        this.scores = scores;
    }

    /** Takes JMH options, for example {@code -f 1 -prof gc}. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        new Language(Scores.run(arguments, Reading.class, Planning.class, Restoring.class)).print();
    }

    private void print() {
        System.out.printf(
                "%ncount %8.2f us for a page of %d KiB%n",
                scores.micros("count"), NewsPages.BYTES / 1024);
        printSpeed("scan", 0.8);
        printSpeed("parse", 0.25);
        System.out.printf("plan  %8.2f us for a request (goal: 10)%n", scores.micros("plan"));
        System.out.printf(
                "a stored page of ten fragments: %.2f us with its plan, %.2f us by parsing it (%s)%n",
                scores.micros("readPlan"), scores.micros("parseSource"), Restoring.lengths());
    }

    private void printSpeed(String name, double wanted) {
        System.out.printf(
                "%-5s %8.2f us, %.2f x the speed of count (goal: %.2f)%n",
                name, scores.micros(name), scores.micros("count") / scores.micros(name), wanted);
    }
}
