package dev.quire.proxy.metrics;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.cache.CacheEvents;
import dev.quire.proxy.exchange.Tunnels;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The proxy's metrics. Thread-safe; counting neither allocates nor locks. Label values are enum
 * constants, status classes and configured origins and servers, so their number is bounded: no
 * client input becomes a label.
 */
public final class Metrics {
    private static final String DECISIONS = "cache decisions for pages and fragments, by reason";
    private static final List<String> CIRCUIT_STATES = List.of("closed", "half-open", "open");
    private static final String INVALIDATIONS = "purged URLs, tags, hosts and paths, and bans";

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final ClientMetrics clients = new ClientMetrics(registry);
    private final ConfigurationMetrics configurations = new ConfigurationMetrics(registry);
    private final FleetMetrics fleet = new FleetMetrics(registry);
    private final HandoverMetrics handovers = new HandoverMetrics(registry);
    private final TierMetrics tiers = new TierMetrics(registry);
    private final TlsMetrics tls = new TlsMetrics(registry);
    private final Latencies fragmentTimes =
            new Latencies(
                    "quire_fragment_seconds",
                    "fragments that were fetched or waited for, until complete, by outcome");
    private final Map<FragmentOutcome, LatencyHistogram> fragmentTime =
            new EnumMap<>(FragmentOutcome.class);
    private final EnumCounter fragments =
            counter("quire.fragments", "outcome", "fragments of pages, by outcome");

    private final LongAdder hits = decision("hit", "fresh");
    private final LongAdder staleHits = decision("stale-hit", "grace");
    private final EnumCounter revalidations = decisions("revalidate");
    private final EnumCounter misses = decisions("miss");
    private final LongAdder declines = decision("decline", "only-if-cached");
    private final EnumCounter passes = decisions("pass");

    private final EnumCounter uncacheable =
            counter(
                    "quire.cache.uncacheable",
                    "reason",
                    "responses of origins that were not stored, by reason");
    private final EnumCounter staleServed =
            counter(
                    "quire.cache.stale.served",
                    "reason",
                    "stale pages and fragments served in place of those of origins, by reason");
    private final LongAdder coalesced =
            plain(
                    List.of("quire.coalesced.requests", "quire.coalesced"),
                    "requests that waited for the response to an identical request to the origin");
    private final EnumCounter refreshes =
            counter(
                    "quire.background.refresh",
                    "outcome",
                    "refreshes of stale responses in the background, by outcome");
    private final Map<Invalidation, Mode> invalidations = new EnumMap<>(Invalidation.class);
    private final EnumCounter documents =
            counter(
                    "quire.esi.documents",
                    "tags",
                    "pages with ESI received, by tags that are processed: all (unstamped), with the"
                            + " stamp (stamped), none (inert)");
    private final LongAdder parseErrors =
            plain(
                    List.of("quire.esi.parse.errors", "quire.parse.errors"),
                    "malformed ESI tags found in pages");
    private final EnumCounter esiErrors =
            counter(
                    "quire.esi.errors",
                    "reason",
                    "fragments omitted after a failure, and pages that failed, by reason");
    private final LongAdder problems =
            plain(
                    List.of("quire.esi.problems"),
                    "faults in ESI expressions, and fields or statuses that a page must not set");
    private final EnumCounter rejectedRequests =
            counter(
                    "quire.rejected.requests",
                    "reason",
                    "client requests rejected before routing, by reason");
    private final EnumCounter rejectedConnections =
            counter(
                    "quire.rejected.connections",
                    "reason",
                    "client connections closed on accept, by reason");
    private final EnumCounter rejects =
            counter(
                    "quire.rejects",
                    "reason",
                    "client requests rejected before routing, and client connections rejected");
    private final EnumCounter upgradesRemoved =
            counter(
                    "quire.upgrades.removed",
                    "protocol",
                    "requests whose Upgrade was not forwarded, by protocol");
    private final EnumCounter denied =
            counter(
                    "quire.esi.denied",
                    "reason",
                    "ESI includes whose URL or request fields are not allowed, by reason");

    private final Latencies originTimes =
            new Latencies(
                    "quire_origin_request_duration_seconds",
                    "requests to the origin until the response is complete");
    private final ConcurrentMap<String, OriginMetrics> origins = new ConcurrentHashMap<>();
    private final MultiGauge connections =
            gauges("quire.origin.connections", "open connections to the origin");
    private final MultiGauge circuits =
            gauges(
                    "quire.origin.circuit",
                    "circuit breaker of a server: 0 closed, 1 half-open, 2 open");
    private final MultiGauge circuitStates =
            gauges(
                    "quire.origin.circuit.state",
                    "1 for the state of the circuit breaker of a server, 0 for other states");
    private final MultiGauge health =
            gauges(
                    "quire.origin.up",
                    "1 if the server's health check passes or none is configured, else 0");
    private final AtomicBoolean hasProcess = new AtomicBoolean();
    private final RuleMetrics rules = new RuleMetrics(registry);
    private final AccessMetrics access = new AccessMetrics(registry);
    private final Http2Metrics http2 = new Http2Metrics(registry);
    private volatile boolean draining;

    /** The outcome of a client request. */
    public enum Outcome {
        HIT,
        STALE,
        MISS,
        PASS,
        RULE,
        DECLINE,
        ERROR
    }

    /** The outcome of a fragment. */
    public enum FragmentOutcome {
        HIT,
        STALE,
        MISS,
        PASS,
        /** Failed without a replacement. */
        ERROR,
        TIMEOUT,
        /** Replaced by its {@code alt}. */
        ALT,
        /** Replaced by other content, such as an {@code except}. */
        FALLBACK,
        /** Omitted because a page limit was reached or the include was not allowed. */
        DROPPED
    }

    /** The criterion of an invalidation. */
    public enum Invalidation {
        URL,
        TAG,
        HOST,
        PATH,
        BAN
    }

    private record Mode(LongAdder hard, LongAdder soft, LongAdder objects) {}

    public Metrics() {
        for (var outcome : FragmentOutcome.values()) {
            fragmentTime.put(
                    outcome, fragmentTimes.with(Labels.of("outcome", EnumCounter.label(outcome))));
        }
        registry.getPrometheusRegistry().register(fragmentTimes);
        registry.getPrometheusRegistry().register(originTimes);
        registry.getPrometheusRegistry().register(new BuildInfo());
        uncacheable.register(StorageRefusal.values());
        staleServed.register(StandInCause.values());
        documents.register(StampStatus.values());
        esiErrors.register(Failure.Kind.values());
        denied.register(Failure.Kind.DENIED);
        fragments.register(FragmentOutcome.values());
        revalidations.register(RevalidateReason.values());
        misses.register(MissReason.values());
        passes.register(PassReason.values());
        refreshes.register(CacheEvents.Refresh.values());
        upgradesRemoved.register(UpgradeRequest.Protocol.values());
        showRejections(new Enum<?>[0], Tunnels.Refusal.values());
        for (var kind : Invalidation.values()) {
            var tags = Tags.of("kind", EnumCounter.label(kind));
            invalidations.put(
                    kind,
                    new Mode(
                            adder("quire.invalidations", INVALIDATIONS, tags.and("mode", "hard")),
                            adder("quire.invalidations", INVALIDATIONS, tags.and("mode", "soft")),
                            adder(
                                    registry,
                                    List.of(
                                            "quire.invalidated.objects",
                                            "quire.invalidations.objects"),
                                    "stored responses matched by purges",
                                    tags)));
        }
        Gauge.builder("quire.draining", this, metrics -> metrics.draining ? 1 : 0)
                .description("1 while the proxy is draining, else 0")
                .register(registry);
    }

    /** The name of {@code value} in metrics and logs: {@code SET_COOKIE} is {@code set-cookie}. */
    public static String label(Enum<?> value) {
        return EnumCounter.label(value);
    }

    public ConfigurationMetrics configurations() {
        return configurations;
    }

    /** The counters of the rules. */
    public RuleMetrics rules() {
        return rules;
    }

    /** The counters of HTTP/2. */
    public Http2Metrics http2() {
        return http2;
    }

    /** The counters of rate limits and logins. */
    public AccessMetrics access() {
        return access;
    }

    public TlsMetrics tls() {
        return tls;
    }

    /** The metrics of the storage tiers. */
    public TierMetrics tiers() {
        return tiers;
    }

    public FleetMetrics fleet() {
        return fleet;
    }

    public HandoverMetrics handovers() {
        return handovers;
    }

    /** Counts a client request answered with {@code status}. */
    public void requested(Outcome outcome, int status, long tookNanos) {
        clients.requested(outcome, status, tookNanos);
    }

    public void included(FragmentOutcome outcome) {
        fragments.increment(outcome);
    }

    /** Counts a fragment that was fetched or waited for. */
    public void included(FragmentOutcome outcome, long tookNanos) {
        included(outcome);
        var histogram = fragmentTime.get(outcome);
        if (histogram == null) {
            throw new IllegalStateException("no histogram for " + outcome);
        }
        histogram.record(tookNanos);
    }

    /** Counts a cache decision for a page or a fragment. */
    public void decided(CacheDecision<?> decision) {
        switch (decision) {
            case CacheDecision.Hit<?> hit -> hits.increment();
            case CacheDecision.StaleHit<?> stale -> staleHits.increment();
            case CacheDecision.Revalidate<?> old -> revalidations.increment(old.reason());
            case CacheDecision.Miss<?> miss -> misses.increment(miss.reason());
            case CacheDecision.Pass<?> pass -> passes.increment(pass.reason());
            case CacheDecision.Decline<?> decline -> declines.increment();
        }
    }

    /** Counts a stale page or fragment that is served because the origin is slow or has failed. */
    public void stoodIn(StandInCause cause) {
        staleServed.increment(cause);
    }

    /** Counts a response that was not stored; {@code reason} names the rule that rejected it. */
    public void uncacheable(Enum<?> reason) {
        uncacheable.increment(reason);
    }

    /**
     * Counts an ESI document received; {@code stampStatus} tells which of its tags are processed.
     */
    public void judged(StampStatus stampStatus) {
        documents.increment(stampStatus);
    }

    /** Counts a request that waits for a fetch led by another request. */
    public void coalesced() {
        coalesced.increment();
    }

    /** Counts a completed background refresh. */
    public void refreshed(CacheEvents.Refresh outcome) {
        refreshes.increment(outcome);
    }

    /** Counts an invalidation that matched {@code objects} stored responses. */
    public void invalidated(Invalidation kind, boolean soft, long objects) {
        var mode = invalidations.get(kind);
        if (mode == null) {
            throw new IllegalStateException("no counter for " + kind);
        }
        (soft ? mode.soft() : mode.hard()).increment();
        mode.objects().add(objects);
    }

    /** Counts malformed tags of a compiled page. */
    public void parseErrors(int count) {
        parseErrors.add(count);
    }

    /** Counts a fragment or page that failed for {@code reason}. */
    public void esiError(Enum<?> reason) {
        esiErrors.increment(reason);
    }

    /** Counts an expression that could not be evaluated as written. */
    public void problem() {
        problems.increment();
    }

    /** Shows these reasons from the start; a rate needs the step from zero to one. */
    public void showRejections(Enum<?>[] ofRequests, Enum<?>[] ofConnections) {
        rejectedRequests.register(ofRequests);
        rejectedConnections.register(ofConnections);
        rejects.register(ofRequests);
        rejects.register(ofConnections);
    }

    /** Shows these reasons of {@link #denied} from the start. */
    public void showDenials(Enum<?>... reasons) {
        denied.register(reasons);
    }

    /** Counts a client request rejected before routing. */
    public void rejectedRequest(Enum<?> reason) {
        rejectedRequests.increment(reason);
        rejects.increment(reason);
    }

    public ClientMetrics clients() {
        return clients;
    }

    /** Counts a client connection closed on accept. */
    public void rejectedConnection(Enum<?> reason) {
        rejectedConnections.increment(reason);
        rejects.increment(reason);
    }

    /** Counts a request whose Upgrade was not forwarded. */
    public void upgradeRemoved(UpgradeRequest.Protocol protocol) {
        upgradesRemoved.increment(protocol);
    }

    /** Counts an include that was not allowed. */
    public void denied(Enum<?> reason) {
        denied.increment(reason);
    }

    public void draining(boolean now) {
        draining = now;
    }

    public OriginMetrics origin(String name) {
        return origins.computeIfAbsent(name, key -> new OriginMetrics(registry, originTimes, key));
    }

    /**
     * One server of an origin.
     *
     * @param url as configured
     * @param circuit circuit breaker state: 0 closed, 1 half-open, 2 open
     * @param isUp 0 if the last health checks found it unhealthy, else 1
     */
    public record ShownServer(String origin, String url, LongSupplier circuit, LongSupplier isUp) {}

    /**
     * Replaces the origins and servers shown. Not thread-safe.
     *
     * @param open open connections of each origin
     */
    public void showOrigins(Map<String, LongSupplier> open, List<ShownServer> servers) {
        connections.register(
                open.entrySet().stream()
                        .map(origin -> row(Tags.of("origin", origin.getKey()), origin.getValue()))
                        .toList(),
                true);
        circuits.register(
                servers.stream().map(server -> row(tags(server), server.circuit())).toList(), true);
        circuitStates.register(
                servers.stream()
                        .flatMap(server ->
                                CIRCUIT_STATES.stream().map(state -> stateRow(server, state)))
                        .toList(),
                true);
        health.register(
                servers.stream().map(server -> row(tags(server), server.isUp())).toList(), true);
    }

    private static MultiGauge.Row<?> stateRow(ShownServer server, String state) {
        return row(
                tags(server).and("state", state),
                () -> server.circuit().getAsLong() == CIRCUIT_STATES.indexOf(state) ? 1 : 0);
    }

    private static Tags tags(ShownServer server) {
        return Tags.of("origin", server.origin(), "url", server.url());
    }

    private static MultiGauge.Row<?> row(Tags tags, LongSupplier value) {
        return MultiGauge.Row.of(tags, value::getAsLong);
    }

    private MultiGauge gauges(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    /**
     * Registers what the listener knows of clients; once.
     *
     * @param connections open ones
     * @param requests in progress
     * @param received bytes, with heads and framing
     * @param sent bytes, with heads and framing
     */
    public void showClients(
            LongSupplier connections,
            LongSupplier requests,
            LongSupplier received,
            LongSupplier sent) {
        Gauge.builder("quire.connections", connections::getAsLong)
                .description("open client connections")
                .register(registry);
        Gauge.builder("quire.requests.active", requests::getAsLong)
                .description("client requests in progress")
                .register(registry);
        show("quire.received.bytes", "bytes received from clients, with heads", received);
        show("quire.sent.bytes", "bytes sent to clients, with heads", sent);
    }

    /** Registers the limit of the store; once. */
    public void showStoreLimit(LongSupplier maxBytes) {
        Gauge.builder("quire.cache.max.bytes", maxBytes::getAsLong)
                .description("the most memory that the cache may use")
                .register(registry);
    }

    /** Registers the size of the store, and what it did for lack of space; once. */
    public void showStore(
            LongSupplier objects,
            LongSupplier bytes,
            LongSupplier evictions,
            LongSupplier refused) {
        Gauge.builder("quire.cache.objects", objects::getAsLong)
                .description("cache keys with stored responses")
                .register(registry);
        Gauge.builder("quire.cache.bytes", bytes::getAsLong)
                .description("memory used by the cache")
                .baseUnit("bytes")
                .register(registry);
        show("quire.cache.evictions", "cache keys evicted because the cache was full", evictions);
        FunctionCounter.builder("quire.cache.refused", this, metrics -> refused.getAsLong())
                .description("responses that the full cache did not admit, by reason")
                .tag("reason", "size")
                .register(registry);
    }

    /** Registers the numbers of {@code tunnels}, which the caller keeps; once. */
    public void showTunnels(Tunnels tunnels) {
        TunnelMetrics.register(tunnels, registry);
    }

    /** Registers the numbers of bans, and of invalidations that a restart may undo; once. */
    public void showBans(IntSupplier standing, LongSupplier hidden, LongSupplier undurable) {
        Gauge.builder("quire.bans", standing::getAsInt)
                .description("active bans")
                .register(registry);
        show("quire.bans.hidden", "stored responses hidden by bans", hidden);
        show("quire.invalidations.undurable", "invalidations that a restart may undo", undurable);
    }

    /** Registers the number of requests that wait for a fetch; once. */
    public void showWaiting(LongSupplier waiting) {
        Gauge.builder("quire.exchanges.waiting", waiting::getAsLong)
                .description("requests now waiting for the response to an identical request")
                .register(registry);
    }

    /** Registers the number of dropped access log lines; once. */
    public void showAccessLogDropped(LongSupplier dropped) {
        show("quire.accesslog.dropped", "access log lines that were dropped", dropped);
    }

    /** Shows how many lines of the process's log were dropped. */
    public void showLogDropped(LongSupplier dropped) {
        show("quire.log.dropped", "lines of the process's log that were dropped", dropped);
    }

    /** Returns all metrics as Prometheus text, version 0.0.4. */
    public String scrape() {
        if (!hasProcess.getAndSet(true)) {
            // Not at the start, which it would delay.
            ProcessMetrics.register(registry);
        }
        return registry.scrape();
    }

    /**
     * The registry references the object weakly, so {@code this} is used instead of the supplier.
     */
    private void show(String name, String description, LongSupplier count) {
        FunctionCounter.builder(name, this, metrics -> count.getAsLong())
                .description(description)
                .register(registry);
    }

    private EnumCounter counter(String name, String label, String description) {
        return new EnumCounter(registry, List.of(name), label, description, Tags.empty());
    }

    private EnumCounter decisions(String decision) {
        return new EnumCounter(
                registry,
                List.of("quire.cache.decisions"),
                "reason",
                DECISIONS,
                Tags.of("decision", decision));
    }

    private LongAdder decision(String decision, String reason) {
        return adder(
                "quire.cache.decisions",
                DECISIONS,
                Tags.of("decision", decision, "reason", reason));
    }

    private LongAdder plain(List<String> names, String description) {
        return adder(registry, names, description, Tags.empty());
    }

    private LongAdder adder(String name, String description, Tags tags) {
        return adder(registry, List.of(name), description, tags);
    }

    /**
     * Registers a counter; the caller must keep a reference, because the registry does not.
     *
     * @param names the current name, and former ones
     */
    static LongAdder adder(
            MeterRegistry registry, List<String> names, String description, Tags tags) {
        var adder = new LongAdder();
        for (var name : names) {
            FunctionCounter.builder(name, adder, LongAdder::sum)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
        return adder;
    }
}
