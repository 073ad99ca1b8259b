package dev.quire.proxy.path;

import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.StoreSweeper;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.fleet.Settled;
import dev.quire.proxy.metrics.Metrics;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * Purges and bans, by the admin API and by clients, and counts them. Thread-safe.
 *
 * @param fleet whose other nodes make them too
 */
public record OperatorInvalidations(
        PageStore store, Metrics metrics, StoreSweeper sweeper, Membership fleet) {

    /** Those of a proxy that is not in a fleet yet. */
    public OperatorInvalidations(PageStore store, Metrics metrics, StoreSweeper sweeper) {
        this(store, metrics, sweeper, new Membership());
    }

    /**
     * Purges with effect from the next request. Walks through the store unless {@code purge} names
     * only URLs.
     *
     * @param soft makes the responses stale instead of dropping them
     */
    public Covered purge(Purge purge, boolean soft) {
        var covered = store.purge(purge, soft);
        note(purge, soft, covered);
        return covered;
    }

    /**
     * Purges with effect from the next request, without a walk through the store and without a
     * count.
     */
    public void purgeUncounted(Purge purge, boolean soft) {
        store.purgeUncounted(purge, soft);
        note(purge, soft, Covered.NOTHING);
    }

    /**
     * Bans with effect from the next request.
     *
     * @return the ban's number, or nothing if there are too many bans
     */
    public OptionalLong ban(BanCondition condition) {
        var number = store.invalidations().ban(condition);
        if (number.isPresent()) {
            metrics.invalidated(Metrics.Invalidation.BAN, false, 0);
            sweeper.wake();
        }
        return number;
    }

    /** Completes once all invalidations so far outlive the process, or cannot. */
    public CompletionStage<Durability> sync() {
        return store.invalidations().sync();
    }

    /**
     * Completes once all invalidations so far outlive the process and have come as far in the fleet
     * as {@code wanted}, or cannot, or after a moment.
     *
     * @param wanted empty for what the fleet waits for by default
     */
    public CompletionStage<Settled> settled(Optional<Ack> wanted) {
        return sync().thenCombine(fleet.acknowledged(wanted), Settled::new);
    }

    private void note(Purge purge, boolean soft, Covered covered) {
        if (store.invalidations().isSweepDue()) {
            sweeper.wake();
        }
        note(Metrics.Invalidation.URL, purge.keys(), soft, covered.urls());
        note(Metrics.Invalidation.TAG, purge.tags(), soft, covered.tags());
        note(Metrics.Invalidation.HOST, purge.hosts(), soft, covered.hosts());
        note(Metrics.Invalidation.PATH, purge.paths(), soft, covered.paths());
    }

    private void note(Metrics.Invalidation kind, Collection<?> named, boolean soft, long objects) {
        if (!named.isEmpty()) {
            metrics.invalidated(kind, soft, objects);
        }
    }
}
