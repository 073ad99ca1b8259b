package dev.quire.proxy.path;

import dev.quire.proxy.access.Gates;
import dev.quire.proxy.access.Logins;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.LowerTiers;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoreSweeper;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.metrics.Metrics;
import java.util.concurrent.Executor;

/**
 * The parts shared by all generations of the configuration, such as the cache and the metrics.
 *
 * @param current the generation for the next exchange; set by {@link Exchanges}
 */
public record SharedParts(
        CurrentParts current,
        Time time,
        Metrics metrics,
        Journal journal,
        PageStore store,
        LowerTiers tiers,
        InFlightBudget transit,
        HitForMiss hitForMiss,
        Coalescer coalescer,
        Compressing compressing,
        LongWork longWork,
        OperatorInvalidations invalidations,
        Tunnels tunnels,
        Gates gates) {

    /**
     * Creates the parts, with an empty store.
     *
     * @param aside runs long work outside the event loops
     * @param tunnels the tunnels of all clients
     */
    public static SharedParts of(
            Configuration configuration,
            Time time,
            Metrics metrics,
            Journal journal,
            Executor aside,
            Tunnels tunnels) {
        var cache = configuration.cache();
        metrics.showTunnels(tunnels);
        var current = new CurrentParts();
        var gates = Gates.of(aside, time::ticks);
        metrics.access().showVerdicts(Logins.Verdict.values());
        metrics.access()
                .show(gates.limits()::size, gates.limits()::dropped, gates.logins()::pending);
        var transit = new InFlightBudget(configuration.transitBytes());
        var store =
                new PageStore(
                        cache.memoryBytes(),
                        cache.isAdmittingBySize(),
                        transit,
                        time::now,
                        time::ticks);
        var longWork = LongWork.ofThisMachine();
        var hitForMiss = new HitForMiss(cache.hitForMiss(), time::now);
        var heads = new StoredHeads(() -> current.get().configuration().cache().compression());
        var tiers = new LowerTiers(store, transit, heads, time);
        var coalescer = new Coalescer(store, tiers, hitForMiss, transit, heads, time, journal);
        return new SharedParts(
                current,
                time,
                metrics,
                journal,
                store,
                tiers,
                transit,
                hitForMiss,
                coalescer,
                new Compressing(store, longWork.limiting(aside)),
                longWork,
                new OperatorInvalidations(store, metrics, new StoreSweeper(store)),
                tunnels,
                gates);
    }

    /** Applies the limits that do not depend on the generation of a request. */
    public void limit(Configuration configuration) {
        var cache = configuration.cache();
        transit.limit(configuration.transitBytes());
        store.limit(cache.memoryBytes(), cache.isAdmittingBySize());
        hitForMiss.keepFor(cache.hitForMiss());
    }
}
