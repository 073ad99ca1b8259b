package dev.quire.bench;

import java.util.Arrays;
import java.util.List;

/** Percentiles of measured values. */
public final class Percentiles {

    private Percentiles() {}

    public static double median(List<Double> values) {
        return of(values, 50);
    }

    /** Returns the least value that is not less than {@code percent} of them. */
    public static double of(List<Double> values, double percent) {
        var sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int at = (int) Math.ceil(percent / 100 * sorted.length) - 1;
        return sorted[Math.max(0, at)];
    }
}
