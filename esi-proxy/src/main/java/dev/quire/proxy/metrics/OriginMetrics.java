package dev.quire.proxy.metrics;

import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.exchange.ServerEvents;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** The metrics of one origin, and of the servers that it has had. Thread-safe. */
public final class OriginMetrics implements FetchEvents {
    private final MeterRegistry registry;
    private final Latencies durations;
    private final String origin;
    private final LongAdder retries;
    private final LongAdder retriesRefused;
    private final LongAdder refused;
    private final LongAdder ejections;
    private final ConcurrentMap<String, ServerMetrics> servers = new ConcurrentHashMap<>();

    /**
     * @param durations of the requests to all origins
     */
    OriginMetrics(MeterRegistry registry, Latencies durations, String origin) {
        this.registry = registry;
        this.durations = durations;
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
    }

    private LongAdder adder(String name, String description) {
        return Metrics.adder(registry, List.of(name), description, Tags.of("origin", origin));
    }

    @Override
    public ServerEvents of(String server) {
        return servers.computeIfAbsent(
                server, key -> new ServerMetrics(registry, durations, origin, key));
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
