package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.StorageRefusal;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The changes of one fetch to the store and its notes. Confined to the loop of the fetch. */
final class CacheUpdate implements SharedLease.Validated {
    private final FetchOrder order;
    private final FetchResources resources;
    private final Revalidation revalidation;
    private final OrderedFetch fetch;

    /** Of the response that is validated, which is served if that fails. */
    private HeldResponses.@Nullable Hold stale;

    /** Of several proxies; null without one. */
    private @Nullable SharedLease lease;

    private @Nullable StorageRefusal refusal;
    private boolean isOffered;
    private boolean isRefresh;

    /** Begins a fetch. */
    CacheUpdate(FetchOrder order, FetchResources resources, Revalidation revalidation) {
        this.order = order;
        this.resources = resources;
        this.revalidation = revalidation;
        var validated = revalidation.stale();
        this.stale = validated == null ? null : resources.tiers().hold(validated);
        this.fetch = resources.store().invalidations().open(order.request().received());
    }

    /** The fetch is a background refresh. */
    void startsRefresh() {
        isRefresh = true;
    }

    /** Returns the lease that the fetch needs before it asks the origin; null if it needs none. */
    @Nullable SharedLease lease() {
        lease = resources.tiers().shared().lease(order, this);
        return lease;
    }

    @Override
    public @Nullable StoredResponse stale() {
        return revalidation.stale();
    }

    @Override
    public void replacedBy(StoredResponse newer) {
        if (!order.fetch().isCurrent()) {
            // Requests of the newer configuration would not use it.
            newer.release();
            return;
        }
        var former = stale;
        var hold = resources.tiers().replace(newer, order.fetch()::asked, order.rules());
        stale = hold;
        revalidation.replace(hold.response());
        if (former != null) {
            resources.tiers().release(former);
        }
    }

    /** Nothing more of the fetch will be stored. */
    void ended() {
        resources.store().invalidations().close(fetch);
        var hold = stale;
        stale = null;
        if (hold != null) {
            releaseLater(hold);
        }
        SharedTier.end(isOffered ? null : lease, SharedRecords.Ending.NONE);
    }

    /** The waiting sinks, which are about to learn of the end, may still need it. */
    private void releaseLater(HeldResponses.Hold hold) {
        try {
            order.loop().schedule(() -> resources.tiers().release(hold), 1, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closed) {
            resources.tiers().release(hold);
        }
    }

    /**
     * Stores {@code response}, if it is shared and the store admits it.
     *
     * @param received the head of the origin's response
     * @return false if it was purged after the fetch began
     */
    boolean store(StoredResponse response, @Nullable ResponseHead received) {
        if (!response.isShared()) {
            revalidation.outdatedBy(received);
            return true;
        }
        var store = resources.store();
        var renewed = revalidation.renewedBy(response);
        if (response.length() > order.rules().maxObjectBytes()) {
            outdate();
            notStored(StorageRefusal.SIZE, received);
            return store.invalidations().isUsable(response, renewed, fetch);
        }
        if (!order.fetch().isCurrent()) {
            // Requests of the newer configuration would not use it, but may have stored another.
            return store.invalidations().isUsable(response, renewed, fetch);
        }
        boolean isHeldNewer = store.held().hasNewerThan(response);
        boolean isAdmitted = !isHeldNewer && store.admits(response);
        boolean isUsable =
                isAdmitted
                        ? store.put(response, renewed, fetch, hinted())
                        : store.invalidations().isUsable(response, renewed, fetch);
        if (!isUsable) {
            return false;
        }
        resources.refreshPauses().end(order.key());
        // One that was overtaken by a newer response does not replace that in the other tiers.
        boolean isOvertaken = isHeldNewer || store.hasNewerThan(response);
        isOffered = !isOvertaken;
        boolean isBelow =
                isOffered
                        && resources
                                .tiers()
                                .offer(response, order.rules(), isAdmitted, fetch.order, lease);
        if (isBelow && !isAdmitted) {
            store.drop(response);
        }
        if (isAdmitted || isBelow || isOvertaken) {
            resources.hitForMiss().forget(order.key());
            revalidation.replacedBy(response);
            store.inlines().note(response, order.fetch()::asked, order.rules().route());
        } else {
            // Each request for a part would fetch the whole.
            resources.hitForMiss().note(order.key(), StorageRefusal.ADMISSION);
            notStored(StorageRefusal.ADMISSION, received);
        }
        return true;
    }

    /** The response is complete, and is only delivered. */
    private void notStored(StorageRefusal reason, @Nullable ResponseHead received) {
        refusal = reason;
        resources.events().uncacheable(reason);
        revalidation.outdatedBy(received);
    }

    /** The response is newer than what a lower tier may have, and does not replace it there. */
    private void outdate() {
        resources.tiers().outdate(order.key(), order.request(), order.rules());
    }

    /** The request whose response has links to remember, or null. */
    private @Nullable RequestHead hinted() {
        return order.fetch().remembersHints() ? order.request().received() : null;
    }

    /** Records that the response with the head {@code received} is not stored. */
    void refused(StorageRefusal reason, @Nullable ResponseHead received) {
        boolean isError = received != null && StandInCause.isErrorStatus(received.status());
        if (order.sharing() == FetchOrder.Sharing.COALESCED) {
            note(reason, isError);
        }
        // The one that is validated is dropped once this response is complete.
        if (revalidation.stale() == null
                && order.sharing().isForOthers()
                && Revalidation.outdates(received)) {
            outdate();
        }
        refusal = reason;
        resources.events().uncacheable(reason);
        refreshed(CacheEvents.Refresh.UNCACHEABLE, isError);
        // Invalidations need not wait for the end of this fetch.
        ended();
    }

    /** Notes for later requests, and for other proxies, that the response is not stored. */
    private void note(StorageRefusal reason, boolean isError) {
        boolean isIncomplete =
                reason == StorageRefusal.TRANSIT || reason == StorageRefusal.UNKNOWN_LENGTH;
        if (!isError) {
            // Else the next response may be cacheable.
            resources.hitForMiss().note(order.key(), reason);
            if (!isIncomplete && !reason.isOfRequest()) {
                SharedTier.end(lease, SharedRecords.Ending.UNCACHEABLE);
            }
        }
        if (!isIncomplete) {
            resources.store().hints().forget(order.key(), order.request());
        }
    }

    /** Why the response is not stored; null unless that is so. */
    @Nullable String refusal() {
        return refusal == null ? null : refusal.label();
    }

    /** The reason why a body with {@code failure} is not stored. */
    static StorageRefusal reason(Failure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> StorageRefusal.SIZE;
            case OVERLOAD -> StorageRefusal.TRANSIT;
            default -> StorageRefusal.CODING;
        };
    }

    /** Records that the response has replaced or validated the stored one. */
    void refreshed(CacheEvents.Refresh outcome) {
        refreshed(outcome, false);
    }

    /** Records that the fetch has failed. */
    void failed() {
        SharedTier.end(lease, SharedRecords.Ending.FAILED);
        refreshed(CacheEvents.Refresh.FAILED, true);
    }

    private void refreshed(CacheEvents.Refresh outcome, boolean isFailure) {
        if (!isRefresh) {
            return;
        }
        resources.events().refreshed(outcome);
        if (isFailure) {
            resources.refreshPauses().begin(order.key());
        }
    }
}
