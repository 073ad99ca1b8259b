package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What is counted of one origin. Any thread. */
public final class OriginMetrics {
    private final MeterRegistry registry;
    private final String origin;
    private final LongAdder retries;
    private final Timer[] byStatus = new Timer[StatusCounter.CLASSES];

    OriginMetrics(MeterRegistry registry, String origin) {
        this.registry = registry;
        this.origin = origin;
        this.retries =
                Metrics.adder(
                        registry,
                        "quire.origin.retries",
                        "requests to origins that were sent once more",
                        Tags.of("origin", origin));
        for (int i = 0; i < byStatus.length; i++) {
            byStatus[i] =
                    Timer.builder("quire.origin.requests")
                            .description("requests to origins, until their answer was whole")
                            .tag("origin", origin)
                            .tag("status", StatusCounter.label(i))
                            .register(registry);
        }
    }

    /** An answer has arrived whole. */
    public void answered(int status, Duration took) {
        byStatus[StatusCounter.classOf(status)].record(took);
    }

    /** No answer, or one that broke off: counted under the status {@code none}. */
    public void failed(Duration took) {
        byStatus[0].record(took);
    }

    /** A request is sent once more, since an attempt brought no answer. */
    public void retried() {
        retries.increment();
    }

    /** Shows the number of open connections; once. */
    public void showConnections(LongSupplier open) {
        Gauge.builder("quire.origin.connections", open::getAsLong)
                .description("open connections to origins")
                .tag("origin", origin)
                .register(registry);
    }
}
