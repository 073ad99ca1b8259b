package dev.quire.bench;

import java.util.Collection;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs the benchmarks of the language and sets them in relation. */
public final class Language {

    private final Collection<RunResult> results;

    private Language(Collection<RunResult> results) {
        this.results = results;
    }

    /** Takes JMH's own options, for example {@code -f 1 -prof gc}. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        var options =
                new OptionsBuilder()
                        .parent(new CommandLineOptions(arguments))
                        .include(Reading.class.getName())
                        .include(Planning.class.getName())
                        .build();
        new Language(new Runner(options).run()).print();
    }

    private void print() {
        System.out.printf(
                "%ncount %8.2f us for a page of %d KiB%n", micros("count"), NewsPages.BYTES / 1024);
        printSpeed("scan", 0.8);
        printSpeed("parse", 0.25);
        System.out.printf("plan  %8.2f us for a request (wanted: 10)%n", micros("plan"));
    }

    private void printSpeed(String name, double wanted) {
        System.out.printf(
                "%-5s %8.2f us, %.2f x the speed of count (wanted: %.2f)%n",
                name, micros(name), micros("count") / micros(name), wanted);
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
