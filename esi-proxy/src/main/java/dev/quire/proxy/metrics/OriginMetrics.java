package dev.quire.proxy.metrics;

import dev.quire.proxy.exchange.FetchEvents;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
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

    OriginMetrics(MeterRegistry registry, String origin) {
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
        }
    }

    private LongAdder adder(String name, String description) {
        return Metrics.adder(registry, name, description, Tags.of("origin", origin));
    }

    @Override
    public void answered(int status, Duration took) {
        byStatus[StatusCounter.classOf(status)].record(took);
    }

    /** Counted with the status {@code none}. */
    @Override
    public void failed(Duration took) {
        byStatus[0].record(took);
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
