package dev.quire.bench.peers;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Statistics of several measurements. */
public final class Statistics {

    private Statistics() {}

    /** Returns the median; NaN if there are no values. */
    public static double median(DoubleStream values) {
        var sorted = values.sorted().toArray();
        int count = sorted.length;
        return count == 0 ? Double.NaN : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }

    /**
     * Returns the median of the ratios of each value to its base: a disturbance affects both.
     *
     * @throws IllegalArgumentException if there is not one base per value
     */
    public static double medianRatio(List<Double> values, List<Double> bases) {
        if (values.size() != bases.size()) {
            throw new IllegalArgumentException(
                    "expected one base for each value, found %d values and %d bases"
                            .formatted(values.size(), bases.size()));
        }
        return median(
                IntStream.range(0, values.size())
                        .mapToDouble(round -> values.get(round) / bases.get(round)));
    }
}
