package dev.quire.bench.fleet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Prints figures, and keeps those that are beyond their limit. */
final class Limits {
    private final List<String> failures = new ArrayList<>();

    /** Prints {@code line}. */
    void check(boolean holds, String line) {
        System.out.println(line);
        if (!holds) {
            failures.add(line);
        }
    }

    void failed(String failure) {
        failures.add(failure);
    }

    /** Prints the failures; returns the exit status. */
    int ended() {
        failures.forEach(failure -> System.out.println("FAILED: " + failure));
        if (failures.isEmpty()) {
            System.out.println("all limits hold");
        }
        return failures.isEmpty() ? 0 : 1;
    }

    static double median(List<Double> values) {
        return percentile(values, 50);
    }

    static double percentile(List<Double> values, double percent) {
        var sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int at = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return sorted[Math.max(0, at)];
    }
}
