package dev.quire.proxy.metrics;

import dev.quire.proxy.exchange.ServerEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Duration;

/** The metrics of requests to one server of an origin. Thread-safe. */
final class ServerMetrics implements ServerEvents {
    private final Timer[] byStatus = new Timer[StatusCounter.CLASSES];
    private final MeterRegistry registry;
    private final String origin;
    private final String server;
    private final LatencyHistogram[] latencies = new LatencyHistogram[StatusCounter.CLASSES];

    /**
     * @param durations of the requests to all origins
     */
    ServerMetrics(MeterRegistry registry, Latencies durations, String origin, String server) {
        this.registry = registry;
        this.origin = origin;
        this.server = server;
        for (int i = 0; i < byStatus.length; i++) {
            var status = StatusCounter.label(i);
            byStatus[i] =
                    Timer.builder("quire.origin.requests")
                            .description("requests to the origin until the response is complete")
                            .tag("origin", origin)
                            .tag("server", server)
                            .tag("status", status)
                            .register(registry);
            latencies[i] =
                    durations.with(Labels.of("origin", origin, "server", server, "status", status));
        }
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

    @Override
    public void showTls() {
        handshakes(true);
        handshakes(false);
    }

    @Override
    public void secured(boolean isComplete) {
        handshakes(isComplete).increment();
    }

    private Counter handshakes(boolean areComplete) {
        return Counter.builder("quire.origin.tls.handshakes")
                .description("TLS handshakes with the origin")
                .tag("origin", origin)
                .tag("server", server)
                .tag("result", areComplete ? "completed" : "failed")
                .register(registry);
    }

    private void ended(int statusClass, Duration took) {
        byStatus[statusClass].record(took);
        latencies[statusClass].record(took.toNanos());
    }
}
