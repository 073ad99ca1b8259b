package dev.quire.bench.peers;

import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** What is made of several measurements. */
final class Statistics {

    private Statistics() {}

    /** The middle one, or the mean of the two in the middle; NaN of none. */
    static double median(DoubleStream values) {
        var sorted = values.sorted().toArray();
        int count = sorted.length;
        return count == 0 ? Double.NaN : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    }

    /**
     * The median of the ratios of each to its own base: what disturbs a round disturbs both.
     *
     * @throws IllegalArgumentException if there is not one base for each
     */
    static double medianRatio(List<Double> values, List<Double> bases) {
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
