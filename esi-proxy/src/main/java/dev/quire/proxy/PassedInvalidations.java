package dev.quire.proxy;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.disk.PassedEntry;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.path.OperatorInvalidations;
import io.netty.buffer.ByteBuf;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Makes the invalidations of another process in this one too: of the process that it has replaced,
 * which still answers some requests, and of the other nodes of its fleet.
 *
 * @param keysOf returns the keys that a URL means in this process
 */
record PassedInvalidations(
        OperatorInvalidations invalidations, Function<CacheKey, Set<CacheKey>> keysOf, Time time)
        implements Takeover.Receiver {

    @Override
    public CompletionStage<Boolean> receive(ByteBuf message) {
        boolean isMade = make(PassedEntry.read(message, time));
        return invalidations
                .sync()
                .thenApply(durability -> isMade && durability == Durability.DURABLE);
    }

    /** Makes {@code entry} in this process too, without waiting; returns false if it cannot. */
    boolean make(InvalidationEntry entry) {
        var store = invalidations.store();
        return switch (entry) {
            case PurgeEntry(var purge, var isSoft, var since) -> {
                var here =
                        new Purge(keys(purge.keys()), purge.tags(), purge.hosts(), purge.paths());
                invalidations.purgeUncounted(here, isSoft);
                yield true;
            }
            case BanEntry(var condition, var since) -> invalidations.ban(condition).isPresent();
            case UrlEntry(var url, var since) -> {
                keys(Set.of(url)).forEach(key -> store.invalidate(key, null));
                yield true;
            }
            case GroupsEntry(var scheme, var authority, var names, var since) -> {
                store.invalidations().invalidateGroups(new CacheKey(scheme, authority, "/"), names);
                yield true;
            }
            case LiftEntry lift -> false;
        };
    }

    /** The configuration of the other process may have given other keys to the same URLs. */
    private Set<CacheKey> keys(Collection<CacheKey> passed) {
        var keys = new HashSet<>(passed);
        passed.forEach(key -> keys.addAll(keysOf.apply(key)));
        return keys;
    }
}
