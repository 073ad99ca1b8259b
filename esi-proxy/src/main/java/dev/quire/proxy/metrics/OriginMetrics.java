package dev.quire.proxy.metrics;

import dev.quire.proxy.exchange.FetchEvents;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The metrics of one origin. Thread-safe. */
public final class OriginMetrics implements FetchEvents {
    private final MeterRegistry registry;
    private final String origin;
    private final LongAdder retries;
    private final LongAdder retriesRefused;
    private final LongAdder refused;
    private final LongAdder ejections;
    private final Timer[] byStatus = new Timer[StatusCounter.CLASSES];
    private final LatencyHistogram[] latencies = new LatencyHistogram[StatusCounter.CLASSES];

    /**
     * @param durations of the requests to all origins
     */
    OriginMetrics(MeterRegistry registry, Latencies durations, String origin) {
        this.registry = registry;
        this.origin = origin;
        this.retries = adder("quire.origin.retries", "requests to the origin that were retried");
        this.retriesRefused =
                adder(
                        "quire.origin.retries.refused",
                        "retries skipped because the retry budget was exhausted");
        this.refused =
                adder(
                        "quire.origin.refused",
                        "requests not sent because no server of the origin was available");
        this.ejections =
                adder("quire.origin.ejections", "times the circuit breaker opened for a server");
        for (int i = 0; i < byStatus.length; i++) {
            byStatus[i] =
                    Timer.builder("quire.origin.requests")
                            .description("requests to the origin until the response is complete")
                            .tag("origin", origin)
                            .tag("status", StatusCounter.label(i))
                            .register(registry);
            latencies[i] =
                    durations.with(Labels.of("origin", origin, "status", StatusCounter.label(i)));
        }
    }

    private LongAdder adder(String name, String description) {
        return Metrics.adder(registry, List.of(name), description, Tags.of("origin", origin));
    }

    @Override
    public void answered(int status, Duration took) {
        ended(StatusCounter.classOf(status), took);
    }

    /** Counted with the status {@code none}. */
    @Override
    public void failed(Duration took) {
        ended(0, took);
    }

    private void ended(int statusClass, Duration took) {
        byStatus[statusClass].record(took);
        latencies[statusClass].record(took.toNanos());
    }

    @Override
    public void retried() {
        retries.increment();
    }

    @Override
    public void retryRefused() {
        retriesRefused.increment();
    }

    @Override
    public void refused() {
        refused.increment();
    }

    @Override
    public void ejected() {
        ejections.increment();
    }
}
