package dev.quire.proxy;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.SharedTier;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.memcached.MemcachedRecords;
import dev.quire.proxy.memcached.MetaServers;
import dev.quire.proxy.memcached.StoreGeneration;
import dev.quire.proxy.path.ProxyParts;
import dev.quire.proxy.path.SharedParts;
import dev.quire.proxy.store.Lease;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.List;
import java.util.function.Supplier;

/** The shared tier in memcached, whose records have one generation instead of a log. */
final class MemcachedStorage implements AutoCloseable {
    private final MetaServers servers;
    private final MemcachedRecords records;
    private final StoreGeneration generation;

    /**
     * Begins to connect.
     *
     * @param transport of {@code loops}, which end after this
     * @param current returns those of the configuration in use
     */
    MemcachedStorage(
            Configuration configuration,
            SharedParts shared,
            List<EventLoop> loops,
            Class<? extends SocketChannel> transport,
            SharedTier.Terms terms,
            Supplier<ProxyParts> current) {
        servers =
                new MetaServers(
                        StoreSettings.ofMemcached(configuration.shared()), loops, transport);
        generation =
                new StoreGeneration(
                        servers,
                        loops.getFirst(),
                        shared.store().invalidations(),
                        shared.time(),
                        configuration.fleet().bound(),
                        configuration.fleet().ackTimeout(),
                        url -> isRemoved(url, current.get(), shared.tiers().shared()));
        records = new MemcachedRecords(servers, generation::number);
        generation.start();
        shared.tiers().shared().use(records, generation, terms);
    }

    /** Removes the records of {@code url}. Returns false if that is not possible now. */
    private static boolean isRemoved(CacheKey url, ProxyParts parts, SharedTier tier) {
        return parts.keysOf(url).stream()
                .allMatch(key ->
                        parts.rulesOf(key).stream().allMatch(rules -> tier.invalidate(key, rules)));
    }

    /** Applies the settings that may change while the proxy runs. */
    void limit(Configuration configuration) {
        generation.limit(configuration.fleet().ackTimeout());
    }

    /**
     * @param names of the servers
     */
    StoreState state(String names) {
        return new StoreState(
                names,
                servers.state(),
                servers.failure().orElse(null),
                servers.connections(),
                servers.waiting());
    }

    /** Counts records by the answer of the store. */
    long count(TierWrite outcome) {
        return records.count(outcome);
    }

    /** Counts leases by the answer of the store. */
    long count(Lease outcome) {
        return records.count(outcome);
    }

    /** Changes the generation if that is due, and ends the connections. Blocks for a moment. */
    @Override
    public void close() {
        generation.close();
        servers.close();
    }
}
