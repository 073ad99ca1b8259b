package dev.quire.proxy.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts durations in twelve buckets from 100 µs to 10 s. Thread-safe; recording neither allocates
 * nor locks.
 */
final class LatencyHistogram {
    /** Upper bounds in seconds. */
    private static final double[] BOUNDS = {
        0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 2.5, 5, 10, Double.POSITIVE_INFINITY
    };

    private static final long[] BOUNDS_NANOS = nanos();

    private final Labels labels;
    private final LongAdder[] counts = new LongAdder[BOUNDS.length];
    private final LongAdder sumNanos = new LongAdder();

    LatencyHistogram(Labels labels) {
        this.labels = labels;
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private static long[] nanos() {
        var nanos = new long[BOUNDS.length];
        for (int i = 0; i < nanos.length; i++) {
            // Infinity becomes the largest number.
            nanos[i] = (long) (BOUNDS[i] * TimeUnit.SECONDS.toNanos(1));
        }
        return nanos;
    }

    void record(long nanos) {
        int bucket = 0;
        while (nanos > BOUNDS_NANOS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sumNanos.add(Math.max(0, nanos));
    }

    HistogramDataPointSnapshot snapshot() {
        var now = new long[counts.length];
        for (int i = 0; i < now.length; i++) {
            now[i] = counts[i].sum();
        }
        return HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, now))
                .sum(sumNanos.sum() / 1e9)
                .build();
    }
}
