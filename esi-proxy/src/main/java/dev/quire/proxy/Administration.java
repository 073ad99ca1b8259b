package dev.quire.proxy;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.ConfigurationActions;
import dev.quire.proxy.admin.FleetState;
import dev.quire.proxy.admin.HandoverReply;
import dev.quire.proxy.admin.PurgeRequest;
import dev.quire.proxy.admin.ShownCertificate;
import dev.quire.proxy.admin.Stats;
import dev.quire.proxy.admin.StoredVariant;
import dev.quire.proxy.admin.Tiers;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.fleet.Replication;
import dev.quire.proxy.fleet.Settled;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.Exchanges;
import dev.quire.proxy.path.OperatorInvalidations;
import dev.quire.proxy.path.SharedParts;
import dev.quire.proxy.store.Lease;
import dev.quire.proxy.tls.ServerTls;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The admin API's operations on the running proxy. Called on virtual threads. */
final class Administration implements AdminActions {
    private final SharedParts shared;
    private final Exchanges exchanges;
    private final Origins origins;
    private final OperatorInvalidations invalidations;
    private final PageStore store;
    private final Metrics metrics;
    private final Generations generations;
    private final Handovers handovers;
    private final ServerTls tls;
    private final DiskStorage storage;
    private final StorageTiers tiers;
    private final ShownFleet fleet;
    private final long startedNanos = System.nanoTime();
    private volatile boolean isReady;

    Administration(
            SharedParts shared,
            Exchanges exchanges,
            Origins origins,
            Generations generations,
            Handovers handovers,
            ServerTls tls,
            DiskStorage storage) {
        this.tls = tls;
        this.storage = storage;
        this.generations = generations;
        this.handovers = handovers;
        this.shared = shared;
        this.exchanges = exchanges;
        this.tiers = new StorageTiers(shared, storage, () -> exchanges.current().configuration());
        this.origins = origins;
        this.invalidations = shared.invalidations();
        this.fleet = new ShownFleet(invalidations.fleet(), shared.metrics());
        this.store = shared.store();
        this.metrics = shared.metrics();
        metrics.showStore(store::size, store::weightBytes, store::evictions, store::refused);
        metrics.showStoreLimit(this::memoryBytes);
        var all = store.invalidations();
        metrics.showBans(all::banCount, all::hiddenByBans, all::undurable);
        metrics.showWaiting(shared.coalescer()::waiting);
    }

    void ready(boolean now) {
        isReady = now;
        metrics.draining(!now);
    }

    /** Whether requests are accepted: the proxy is not draining. */
    boolean accepts() {
        return isReady;
    }

    @Override
    public boolean isReady() {
        return isReady && !storage.isAwaited();
    }

    @Override
    public String metrics() {
        fleet.look();
        return metrics.scrape();
    }

    @Override
    public Optional<Covered> purge(PurgeRequest request) {
        var named = request.purge();
        var parts = exchanges.current();
        var keys = new HashSet<CacheKey>();
        named.keys().forEach(url -> keys.addAll(parts.keysOf(url)));
        var purge = new Purge(keys, named.tags(), named.hosts(), named.paths());
        if (!request.count()) {
            invalidations.purgeUncounted(purge, request.soft());
            return Optional.empty();
        }
        return Optional.of(
                request.dryRun() ? store.count(purge) : invalidations.purge(purge, request.soft()));
    }

    @Override
    public OptionalLong ban(BanCondition condition) {
        return invalidations.ban(condition);
    }

    @Override
    public long wouldHide(BanCondition condition) {
        return store.count(condition);
    }

    @Override
    public List<Ban> bans() {
        return store.invalidations().bans();
    }

    @Override
    public Instant now() {
        return shared.time().now();
    }

    @Override
    public boolean liftBan(long id) {
        return store.invalidations().lift(id);
    }

    @Override
    public Settled settled(Optional<Ack> wanted) {
        return invalidations.settled(wanted).toCompletableFuture().join();
    }

    @Override
    public Optional<FleetState> fleet() {
        return fleet.now();
    }

    /**
     * Shows the shared tier, also in metrics; once.
     *
     * @param written counts records by the answer of the store
     * @param leases counts leases by the answer of the store
     */
    void showShared(
            Supplier<StoreState> state,
            ToLongFunction<TierWrite> written,
            ToLongFunction<Lease> leases) {
        tiers.showShared(state, written, leases);
    }

    /**
     * Joins a fleet, and shows it in metrics; once.
     *
     * @param terms returns those of the present configuration
     */
    void join(Supplier<Membership.Terms> terms, FleetLog log, Optional<Replication> replication) {
        invalidations.fleet().join(terms, log, replication);
        fleet.show();
    }

    @Override
    public Stats stats() {
        return new Stats(
                Duration.ofNanos(System.nanoTime() - startedNanos),
                isReady(),
                exchanges.open(),
                shared.coalescer().waiting(),
                new Stats.Cache(
                        store.size(),
                        store.weightBytes(),
                        memoryBytes(),
                        shared.transit().usedBytes()),
                origins.stats());
    }

    @Override
    public List<StoredVariant> stored(CacheKey url) {
        var variants = new ArrayList<StoredVariant>();
        var now = now();
        var parts = exchanges.current();
        var keys = parts.keysOf(url);
        for (var key : keys) {
            store.forEachVariant(
                    key, response -> variants.add(variant(response, now, TierSearch.MEMORY)));
        }
        for (var key : keys) {
            for (var rules : parts.rulesOf(key)) {
                shared.tiers()
                        .disk()
                        .forEachOther(
                                key,
                                rules,
                                response -> variants.add(variant(response, now, TierSearch.DISK)));
            }
        }
        return variants;
    }

    @Override
    public Tiers tiers() {
        return tiers.now();
    }

    @Override
    public Optional<String> changeDisk(Tiers.Change change) {
        return tiers.change(change);
    }

    @Override
    public List<ShownCertificate> certificates() {
        var now = now();
        return tls.certificates().stream()
                .map(each ->
                        new ShownCertificate(
                                each.file().toString(),
                                each.names(),
                                each.kind(),
                                each.notAfter(),
                                Duration.between(now, each.notAfter()),
                                each.isStapled()))
                .toList();
    }

    @Override
    public List<String> reloadCertificates() {
        return tls.check();
    }

    @Override
    public ConfigurationActions configurations() {
        return generations;
    }

    @Override
    public void drain() {
        handovers.drain();
    }

    @Override
    public boolean isReplaced() {
        return handovers.isGiven();
    }

    @Override
    public HandoverReply handOver() {
        return accepts()
                ? handovers.offer()
                : new HandoverReply.Conflict(
                        "the proxy starts or drains", "one that accepts requests");
    }

    private long memoryBytes() {
        return exchanges.current().configuration().cache().memoryBytes();
    }

    private static StoredVariant variant(StoredResponse response, Instant now, String tier) {
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
                response.compiled() != null,
                tier);
    }
}
