package dev.quire.proxy;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.PurgeRequest;
import dev.quire.proxy.admin.Stats;
import dev.quire.proxy.admin.StoredVariant;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanLurker;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.Transit;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fetch.Fetcher;
import dev.quire.proxy.fetch.ServerState;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.metrics.OriginMetrics;
import dev.quire.proxy.path.Journal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** What operators ask of the running proxy, and do to it. Called on virtual threads. */
final class Administration implements AdminActions {
    private final Configuration configuration;
    private final PageStore store;
    private final BanLurker lurker;
    private final Transit transit;
    private final Coalescer coalescer;
    private final Map<String, Fetcher> fetchers;
    private final Journal journal;
    private final Metrics metrics;
    private final Time time;
    private final long startedNanos = System.nanoTime();
    private volatile boolean isReady;

    Administration(
            Configuration configuration,
            PageStore store,
            BanLurker lurker,
            Transit transit,
            Coalescer coalescer,
            Map<String, Fetcher> fetchers,
            Journal journal,
            Metrics metrics,
            Time time) {
        this.configuration = configuration;
        this.store = store;
        this.lurker = lurker;
        this.transit = transit;
        this.coalescer = coalescer;
        this.fetchers = fetchers;
        this.journal = journal;
        this.metrics = metrics;
        this.time = time;
        metrics.showStore(store::size, store::weightBytes, store::evictions);
        metrics.showBans(store::standingBans, store::hiddenByBans);
        metrics.showWaiting(coalescer::waiting);
        fetchers.forEach((name, fetcher) -> show(fetcher, metrics.origin(name)));
    }

    private static void show(Fetcher fetcher, OriginMetrics metrics) {
        metrics.showConnections(fetcher::openConnections);
        var servers = fetcher.servers();
        for (int i = 0; i < servers.size(); i++) {
            int at = i;
            metrics.showServer(
                    servers.get(i).url().toString(),
                    () -> number(fetcher.servers().get(at).circuit()),
                    () -> fetcher.servers().get(at).health() == ServerState.Health.DOWN ? 0 : 1);
        }
    }

    private static long number(ServerState.Circuit circuit) {
        return switch (circuit) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    private static Stats.Server server(ServerState state) {
        return new Stats.Server(
                state.url().toString(),
                label(state.circuit()),
                label(state.health()),
                state.requests(),
                state.connections(),
                state.idle(),
                state.queued());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    void ready(boolean now) {
        isReady = now;
        metrics.draining(!now);
    }

    @Override
    public boolean isReady() {
        return isReady;
    }

    @Override
    public String metrics() {
        return metrics.scrape();
    }

    @Override
    public Covered purge(PurgeRequest request) {
        var purge = request.purge();
        if (request.dryRun()) {
            return store.count(purge);
        }
        var covered = store.purge(purge, request.soft());
        note(Metrics.Invalidation.URL, purge.keys(), request, covered.urls());
        note(Metrics.Invalidation.TAG, purge.tags(), request, covered.tags());
        note(Metrics.Invalidation.HOST, purge.hosts(), request, covered.hosts());
        note(Metrics.Invalidation.PATH, purge.paths(), request, covered.paths());
        return covered;
    }

    @Override
    public OptionalLong ban(BanCondition condition) {
        var number = store.ban(condition);
        if (number.isPresent()) {
            metrics.invalidated(Metrics.Invalidation.BAN, false, 0);
            lurker.wake();
        }
        return number;
    }

    @Override
    public long wouldHide(BanCondition condition) {
        return store.count(condition);
    }

    @Override
    public List<Ban> bans() {
        return store.bans();
    }

    @Override
    public Instant now() {
        return time.now();
    }

    @Override
    public boolean liftBan(long id) {
        return store.liftBan(id);
    }

    @Override
    public Stats stats() {
        var origins = new LinkedHashMap<String, Stats.Origin>();
        fetchers.forEach((name, fetcher) ->
                origins.put(
                        name,
                        new Stats.Origin(
                                fetcher.openConnections(),
                                fetcher.idleConnections(),
                                fetcher.queued(),
                                fetcher.servers().stream().map(Administration::server).toList())));
        return new Stats(
                Duration.ofNanos(System.nanoTime() - startedNanos),
                isReady,
                journal.exchanges(),
                coalescer.waiting(),
                new Stats.Cache(
                        store.size(),
                        store.weightBytes(),
                        configuration.cache().memoryBytes(),
                        transit.heldBytes()),
                origins);
    }

    @Override
    public List<StoredVariant> stored(CacheKey key) {
        var variants = new ArrayList<StoredVariant>();
        var now = time.now();
        store.forEachVariant(key, response -> variants.add(variant(response, now)));
        return variants;
    }

    private void note(
            Metrics.Invalidation kind, Collection<?> named, PurgeRequest request, long objects) {
        if (!named.isEmpty()) {
            metrics.invalidated(kind, request.soft(), objects);
        }
    }

    private static StoredVariant variant(StoredResponse response, Instant now) {
        var freshness = response.freshness();
        return new StoredVariant(
                response.selecting().fields().stream().map(field -> field.name()).toList(),
                response.head().status(),
                freshness.ageAt(now),
                freshness.lifetime(),
                freshness.remainingAt(now),
                freshness.grace(),
                freshness.staleIfError(),
                response.tags(),
                response.weightBytes(),
                response.compiled() != null);
    }
}
