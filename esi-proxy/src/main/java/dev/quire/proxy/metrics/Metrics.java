package dev.quire.proxy.metrics;

import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.CacheEvents;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * What the proxy counts. Any thread may call any method; counting allocates nothing and takes no
 * lock. Labels are enum constants, status classes and origins of the configuration, so their number
 * is bounded: nothing that a client sends becomes one.
 */
public final class Metrics {
    private static final String DECISIONS = "cache decisions for pages and fragments, by reason";
    private static final String INVALIDATIONS = "purged URLs, tags, hosts and paths, and bans";

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final Map<Outcome, StatusCounter> requests = new EnumMap<>(Outcome.class);
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
                    "responses that could not be stored, by reason");
    private final LongAdder coalesced =
            plain("quire.coalesced", "requests that waited for an in-flight fetch of the same key");
    private final EnumCounter refreshes =
            counter(
                    "quire.background.refresh",
                    "outcome",
                    "background refreshes after a stale hit, by outcome");
    private final Map<Invalidation, Mode> invalidations = new EnumMap<>(Invalidation.class);
    private final EnumCounter documents =
            counter(
                    "quire.esi.documents",
                    "tags",
                    "ESI documents received, by which of their tags are processed");
    private final LongAdder parseErrors = plain("quire.parse.errors", "malformed ESI tags");
    private final EnumCounter esiErrors =
            counter(
                    "quire.esi.errors",
                    "reason",
                    "required fragments that failed, and pages that failed because of one");
    private final LongAdder problems =
            plain("quire.esi.problems", "ESI expressions that could not be evaluated as written");
    private final EnumCounter rejects =
            counter(
                    "quire.rejects",
                    "reason",
                    "client requests and connections rejected, by reason");
    private final EnumCounter denied =
            counter("quire.esi.denied", "reason", "ESI includes that were not allowed, by reason");

    private final ConcurrentMap<String, OriginMetrics> origins = new ConcurrentHashMap<>();
    private final MultiGauge connections =
            gauges("quire.origin.connections", "open connections to the origin");
    private final MultiGauge circuits =
            gauges(
                    "quire.origin.circuit",
                    "circuit breaker of a server: 0 closed, 1 half-open, 2 open");
    private final MultiGauge health =
            gauges(
                    "quire.origin.up",
                    "1 if the server's health check passes or none is configured, else 0");
    private volatile boolean draining;

    /** How a client's request was answered. */
    public enum Outcome {
        HIT,
        STALE,
        MISS,
        PASS,
        ERROR
    }

    /** What became of a fragment. */
    public enum FragmentOutcome {
        HIT,
        STALE,
        MISS,
        PASS,
        /** Failed, and nothing stood in. */
        ERROR,
        TIMEOUT,
        /** Its {@code alt} stood in. */
        ALT,
        /** Something else stood in, such as an {@code except}. */
        FALLBACK,
        /** Left out because the page's limits were used up or it was not allowed. */
        DROPPED
    }

    /** What an invalidation named. */
    public enum Invalidation {
        URL,
        TAG,
        HOST,
        PATH,
        BAN
    }

    private record Mode(LongAdder hard, LongAdder soft, LongAdder objects) {}

    public Metrics() {
        for (var outcome : Outcome.values()) {
            requests.put(
                    outcome,
                    new StatusCounter(
                            registry,
                            "quire.requests",
                            "client requests, by outcome and status class",
                            Tags.of("outcome", EnumCounter.label(outcome))));
        }
        fragments.register(FragmentOutcome.values());
        revalidations.register(RevalidateReason.values());
        misses.register(MissReason.values());
        passes.register(PassReason.values());
        refreshes.register(CacheEvents.Refresh.values());
        for (var kind : Invalidation.values()) {
            var tags = Tags.of("kind", EnumCounter.label(kind));
            invalidations.put(
                    kind,
                    new Mode(
                            adder("quire.invalidations", INVALIDATIONS, tags.and("mode", "hard")),
                            adder("quire.invalidations", INVALIDATIONS, tags.and("mode", "soft")),
                            adder(
                                    "quire.invalidations.objects",
                                    "stored responses matched by purges",
                                    tags)));
        }
        Gauge.builder("quire.draining", this, metrics -> metrics.draining ? 1 : 0)
                .description("1 while the proxy is draining, else 0")
                .register(registry);
    }

    /** A client's request has been answered with {@code status}. */
    public void requested(Outcome outcome, int status) {
        var counter = requests.get(outcome);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + outcome);
        }
        counter.increment(status);
    }

    /** A fragment has been delivered, or not. */
    public void included(FragmentOutcome outcome) {
        fragments.increment(outcome);
    }

    /** The cache has decided about a page or a fragment. */
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

    /** A response was not stored; the reason is a constant of the rule that refused it. */
    public void uncacheable(Enum<?> reason) {
        uncacheable.increment(reason);
    }

    /** An ESI document has come, with tags of which those run that {@code verdict} says. */
    public void judged(Verdict verdict) {
        documents.increment(verdict);
    }

    /** A request waits for a fetch that another request leads. */
    public void coalesced() {
        coalesced.increment();
    }

    /** A fetch behind a stale hit has ended. */
    public void refreshed(CacheEvents.Refresh outcome) {
        refreshes.increment(outcome);
    }

    /** One thing was purged, and with it {@code objects} stored responses. */
    public void invalidated(Invalidation kind, boolean soft, long objects) {
        var mode = invalidations.get(kind);
        if (mode == null) {
            throw new IllegalStateException("no counter for " + kind);
        }
        (soft ? mode.soft() : mode.hard()).increment();
        mode.objects().add(objects);
    }

    /** A page was compiled that has {@code count} faulty tags. */
    public void parseErrors(int count) {
        parseErrors.add(count);
    }

    /** A fragment is missing for this reason, or the page is because of it. */
    public void esiError(Enum<?> reason) {
        esiErrors.increment(reason);
    }

    /** Something of a page could not be evaluated as written. */
    public void problem() {
        problems.increment();
    }

    /** A request was refused before it was routed. */
    public void rejected(Enum<?> reason) {
        rejects.increment(reason);
    }

    /** An include was not allowed. */
    public void denied(Enum<?> reason) {
        denied.increment(reason);
    }

    /** Whether the proxy is stopping. */
    public void draining(boolean now) {
        draining = now;
    }

    /** What is counted of one origin; {@code name} is the configuration's. */
    public OriginMetrics origin(String name) {
        return origins.computeIfAbsent(name, key -> new OriginMetrics(registry, key));
    }

    /**
     * One server of an origin.
     *
     * @param url as configured
     * @param circuit 0 while all requests are sent, 1 while a few are, 2 while none is
     * @param isUp 0 if the last checks found it unhealthy, else 1
     */
    public record ShownServer(String origin, String url, LongSupplier circuit, LongSupplier isUp) {}

    /**
     * Shows origins and their servers instead of those shown before. One call at a time.
     *
     * @param open connections to each origin
     */
    public void showOrigins(Map<String, LongSupplier> open, List<ShownServer> servers) {
        connections.register(
                open.entrySet().stream()
                        .map(origin -> row(Tags.of("origin", origin.getKey()), origin.getValue()))
                        .toList(),
                true);
        circuits.register(
                servers.stream().map(server -> row(tags(server), server.circuit())).toList(), true);
        health.register(
                servers.stream().map(server -> row(tags(server), server.isUp())).toList(), true);
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

    /** Shows the size of the store; once. */
    public void showStore(LongSupplier objects, LongSupplier bytes, LongSupplier evictions) {
        Gauge.builder("quire.cache.objects", objects::getAsLong)
                .description("cache keys with stored responses")
                .register(registry);
        Gauge.builder("quire.cache.bytes", bytes::getAsLong)
                .description("memory used by the cache")
                .baseUnit("bytes")
                .register(registry);
        show(
                "quire.cache.evictions",
                "cache keys evicted because the cache was full",
                evictions);
    }

    /** Shows the bans; once. */
    public void showBans(IntSupplier standing, LongSupplier hidden) {
        Gauge.builder("quire.bans", standing::getAsInt)
                .description("active bans")
                .register(registry);
        show("quire.bans.hidden", "stored responses hidden by bans", hidden);
    }

    /** Shows how many requests wait for a fetch; once. */
    public void showWaiting(LongSupplier waiting) {
        Gauge.builder("quire.exchanges.waiting", waiting::getAsLong)
                .description("client and fragment requests that wait for an in-flight fetch")
                .register(registry);
    }

    /** Shows how many lines the access log had to drop; once. */
    public void showAccessLogDropped(LongSupplier dropped) {
        show("quire.accesslog.dropped", "access log lines that were dropped", dropped);
    }

    /** Everything as Prometheus text, version 0.0.4. */
    public String scrape() {
        return registry.scrape();
    }

    /** The registry holds a counter's object weakly, and nobody else may hold the supplier. */
    private void show(String name, String description, LongSupplier count) {
        FunctionCounter.builder(name, this, metrics -> count.getAsLong())
                .description(description)
                .register(registry);
    }

    private EnumCounter counter(String name, String label, String description) {
        return new EnumCounter(registry, name, label, description, Tags.empty());
    }

    private EnumCounter decisions(String decision) {
        return new EnumCounter(
                registry,
                "quire.cache.decisions",
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

    private LongAdder plain(String name, String description) {
        return adder(name, description, Tags.empty());
    }

    private LongAdder adder(String name, String description, Tags tags) {
        return adder(registry, name, description, tags);
    }

    /** A counter of {@code registry}; whoever asks keeps it, the registry does not. */
    static LongAdder adder(MeterRegistry registry, String name, String description, Tags tags) {
        var adder = new LongAdder();
        FunctionCounter.builder(name, adder, LongAdder::sum)
                .description(description)
                .tags(tags)
                .register(registry);
        return adder;
    }
}
