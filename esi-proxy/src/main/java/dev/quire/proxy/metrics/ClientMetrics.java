package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Client requests by outcome, how many and how long they took, and headers of the PROXY protocol.
 * Thread-safe.
 */
public final class ClientMetrics {
    private static final int SWITCHING_PROTOCOLS = 101;

    private final Map<Metrics.Outcome, ByOutcome> outcomes = new EnumMap<>(Metrics.Outcome.class);

    private final EnumCounter hints;
    private final EnumCounter proxyHeaders;

    private record ByOutcome(StatusCounter statuses, LatencyHistogram latency) {}

    ClientMetrics(PrometheusMeterRegistry registry) {
        var latencies =
                new Latencies(
                        "quire_request_seconds",
                        "client requests until the response is complete, by outcome");
        for (var outcome : Metrics.Outcome.values()) {
            var label = EnumCounter.label(outcome);
            outcomes.put(
                    outcome,
                    new ByOutcome(
                            new StatusCounter(
                                    registry,
                                    "quire.requests",
                                    "client requests, by outcome and status class",
                                    Tags.of("outcome", label)),
                            latencies.with(Labels.of("outcome", label))));
        }
        registry.getPrometheusRegistry().register(latencies);
        hints =
                new EnumCounter(
                        registry,
                        List.of("quire.hints"),
                        "source",
                        "103 (Early Hints) responses sent to clients, by the source of the links",
                        Tags.empty());
        proxyHeaders =
                new EnumCounter(
                        registry,
                        List.of("quire.proxy.protocol"),
                        "result",
                        "client connections that must begin with a PROXY header, by result",
                        Tags.empty());
    }

    /** Shows these sources of {@link #hinted} from the start. */
    public void showHints(Enum<?>... sources) {
        hints.register(sources);
    }

    /** Counts a 103 (Early Hints) sent to a client. */
    public void hinted(Enum<?> source) {
        hints.increment(source);
    }

    /** Shows these results of {@link #proxyHeader} from the start. */
    public void showProxyHeaders(Enum<?>... results) {
        proxyHeaders.register(results);
    }

    /** Counts a header of the PROXY protocol. */
    public void proxyHeader(Enum<?> result) {
        proxyHeaders.increment(result);
    }

    void requested(Metrics.Outcome outcome, int status, long tookNanos) {
        var counters = outcomes.get(outcome);
        if (counters == null) {
            throw new IllegalStateException("no counter for " + outcome);
        }
        counters.statuses().increment(status);
        if (status != SWITCHING_PROTOCOLS) {
            // A tunnel ends with its connection.
            counters.latency().record(tookNanos);
        }
    }
}
