package dev.quire.proxy.path;

import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.metrics.Metrics;
import java.util.concurrent.Executor;

/**
 * The parts shared by all generations of the configuration, such as the cache and the metrics. Each
 * generation has its own coalescer, {@link Coalescer#apart apart} from this one.
 *
 * @param cache as configured at startup; its memory, hit-for-miss and compress never change
 */
public record SharedParts(
        CacheConfig cache,
        Time time,
        Metrics metrics,
        Journal journal,
        PageStore store,
        InFlightBudget transit,
        HitForMiss hitForMiss,
        Coalescer coalescer,
        Compressing compressing,
        Tunnels tunnels) {

    /**
     * Creates the parts, with an empty store.
     *
     * @param aside runs long work outside the event loops
     * @param tunnels the tunnels of all clients
     */
    public static SharedParts of(
            CacheConfig cache,
            Time time,
            Metrics metrics,
            Journal journal,
            Executor aside,
            Tunnels tunnels) {
        metrics.showTunnels(tunnels);
        var transit = new InFlightBudget(cache.transitBytes());
        var store = new PageStore(cache.memoryBytes(), transit, time::now, time::ticks);
        var hitForMiss = new HitForMiss(cache.hitForMiss(), time::now);
        var coalescer =
                new Coalescer(
                        store,
                        hitForMiss,
                        transit,
                        new StoredHeads(cache.compression()),
                        time,
                        journal);
        return new SharedParts(
                cache,
                time,
                metrics,
                journal,
                store,
                transit,
                hitForMiss,
                coalescer,
                new Compressing(store, aside),
                tunnels);
    }
}
