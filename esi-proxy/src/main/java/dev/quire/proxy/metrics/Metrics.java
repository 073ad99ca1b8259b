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
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private final Map<Outcome, StatusCounter> requests = new EnumMap<>(Outcome.class);
    private final EnumCounter fragments =
            counter("quire.fragments", "outcome", "fragments of pages");

    private final LongAdder hits = decision("hit", "fresh");
    private final LongAdder staleHits = decision("stale-hit", "grace");
    private final EnumCounter revalidations = decisions("revalidate");
    private final EnumCounter misses = decisions("miss");
    private final LongAdder declines = decision("decline", "only-if-cached");
    private final EnumCounter passes = decisions("pass");

    private final EnumCounter uncacheable =
            counter("quire.cache.uncacheable", "reason", "responses that could not be stored");
    private final LongAdder coalesced =
            plain("quire.coalesced", "requests that waited for a fetch of another one");
    private final EnumCounter refreshes =
            counter("quire.background.refresh", "outcome", "fetches behind a stale hit");
    private final Map<Invalidation, Mode> invalidations = new EnumMap<>(Invalidation.class);
    private final EnumCounter documents =
            counter("quire.esi.documents", "tags", "ESI documents, by which of their tags run");
    private final LongAdder parseErrors = plain("quire.parse.errors", "faulty ESI tags");
    private final EnumCounter esiErrors =
            counter(
                    "quire.esi.errors",
                    "reason",
                    "fragments left out though their absence is an error, and pages failed by one");
    private final LongAdder problems =
            plain("quire.esi.problems", "expressions that could not be evaluated as written");
    private final EnumCounter rejects =
            counter("quire.rejects", "reason", "requests that were refused");
    private final EnumCounter denied =
            counter("quire.esi.denied", "reason", "includes that were not allowed");

    private final ConcurrentMap<String, OriginMetrics> origins = new ConcurrentHashMap<>();
    private final MultiGauge connections =
            gauges("quire.origin.connections", "open connections to origins");
    private final MultiGauge circuits =
            gauges(
                    "quire.origin.circuit",
                    "whether servers are asked: 0 always, 1 as a trial, 2 never");
    private final MultiGauge health =
            gauges(
                    "quire.origin.up",
                    "whether the checks find servers well, 1 also without checks");
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
                            "requests of clients",
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
                            adder("quire.invalidations", "purges", tags.and("mode", "hard")),
                            adder("quire.invalidations", "purges", tags.and("mode", "soft")),
                            adder(
                                    "quire.invalidations.objects",
                                    "stored responses that purges met",
                                    tags)));
        }
        Gauge.builder("quire.draining", this, metrics -> metrics.draining ? 1 : 0)
                .description("1 while the proxy is stopping")
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
                .description("stored responses")
                .register(registry);
        Gauge.builder("quire.cache.bytes", bytes::getAsLong)
                .description("everything the store keeps")
                .baseUnit("bytes")
                .register(registry);
        show(
                "quire.cache.evictions",
                "keys whose responses went because there was no room",
                evictions);
    }

    /** Shows the bans; once. */
    public void showBans(IntSupplier standing, LongSupplier hidden) {
        Gauge.builder("quire.bans", standing::getAsInt)
                .description("bans that stand")
                .register(registry);
        show("quire.bans.hidden", "stored responses that bans have hidden", hidden);
    }

    /** Shows how many requests wait for a fetch; once. */
    public void showWaiting(LongSupplier waiting) {
        Gauge.builder("quire.exchanges.waiting", waiting::getAsLong)
                .description("requests, of clients or for fragments, that wait for a fetch")
                .register(registry);
    }

    /** Shows how many lines the access log had to drop; once. */
    public void showAccessLogDropped(LongSupplier dropped) {
        show("quire.accesslog.dropped", "access log lines that were not written", dropped);
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
                "what the cache decided",
                Tags.of("decision", decision));
    }

    private LongAdder decision(String decision, String reason) {
        return adder(
                "quire.cache.decisions",
                "what the cache decided",
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
