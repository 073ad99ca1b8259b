package dev.quire.proxy.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One metric of {@link LatencyHistogram}s with different labels, as Prometheus reads it. */
final class Latencies implements Collector {
    private final String name;
    private final String description;
    private final List<LatencyHistogram> histograms = new CopyOnWriteArrayList<>();

    /**
     * @param name as Prometheus writes it
     */
    Latencies(String name, String description) {
        this.name = name;
        this.description = description;
    }

    /** Adds a histogram, which is shown from now on. */
    LatencyHistogram with(Labels labels) {
        var histogram = new LatencyHistogram(labels);
        histograms.add(histogram);
        return histogram;
    }

    @Override
    public MetricSnapshot collect() {
        var snapshot = HistogramSnapshot.builder().name(name).help(description);
        histograms.forEach(each -> snapshot.dataPoint(each.snapshot()));
        return snapshot.build();
    }
}
