package dev.quire.proxy;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.PurgeRequest;
import dev.quire.proxy.admin.Stats;
import dev.quire.proxy.admin.StoredVariant;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanLurker;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.Exchanges;
import dev.quire.proxy.path.SharedParts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** The admin API's operations on the running proxy. Called on virtual threads. */
final class Administration implements AdminActions {
    private final SharedParts shared;
    private final Exchanges exchanges;
    private final Origins origins;
    private final BanLurker lurker;
    private final PageStore store;
    private final Metrics metrics;
    private final long startedNanos = System.nanoTime();
    private volatile boolean isReady;

    Administration(SharedParts shared, Exchanges exchanges, Origins origins, BanLurker lurker) {
        this.shared = shared;
        this.exchanges = exchanges;
        this.origins = origins;
        this.lurker = lurker;
        this.store = shared.store();
        this.metrics = shared.metrics();
        metrics.showStore(store::size, store::weightBytes, store::evictions);
        metrics.showStoreLimit(shared.cache()::memoryBytes);
        metrics.showBans(store::standingBans, store::hiddenByBans);
        metrics.showWaiting(shared.coalescer()::waiting);
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
        return shared.time().now();
    }

    @Override
    public boolean liftBan(long id) {
        return store.liftBan(id);
    }

    @Override
    public Stats stats() {
        return new Stats(
                Duration.ofNanos(System.nanoTime() - startedNanos),
                isReady,
                exchanges.open(),
                shared.coalescer().waiting(),
                new Stats.Cache(
                        store.size(),
                        store.weightBytes(),
                        shared.cache().memoryBytes(),
                        shared.transit().usedBytes()),
                origins.stats());
    }

    @Override
    public List<StoredVariant> stored(CacheKey key) {
        var variants = new ArrayList<StoredVariant>();
        var now = now();
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
