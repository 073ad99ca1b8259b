package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.StorageRefusal;
import org.jspecify.annotations.Nullable;

/** The changes of one fetch to the store and its notes. Confined to the loop of the fetch. */
final class CacheUpdate {
    private final FetchOrder order;
    private final FetchResources resources;
    private final Revalidation revalidation;
    private final OrderedFetch fetch;
    private @Nullable StorageRefusal refusal;
    private boolean isRefresh;

    /** Begins a fetch. */
    CacheUpdate(FetchOrder order, FetchResources resources, Revalidation revalidation) {
        this.order = order;
        this.resources = resources;
        this.revalidation = revalidation;
        this.fetch = resources.store().invalidations().open(order.request().received());
    }

    /** The fetch is a background refresh. */
    void startsRefresh() {
        isRefresh = true;
    }

    /** Nothing more of the fetch will be stored. */
    void ended() {
        resources.store().invalidations().close(fetch);
    }

    /**
     * Stores {@code response}, if the store admits it.
     *
     * @param received the head of the origin's response
     * @return false if it was purged after the fetch began
     */
    boolean store(StoredResponse response, @Nullable ResponseHead received) {
        var store = resources.store();
        var renewed = revalidation.renewedBy(response);
        if (response.length() > order.rules().maxObjectBytes()) {
            notStored(StorageRefusal.SIZE, received);
            return store.invalidations().isUsable(response, renewed, fetch);
        }
        if (!order.fetch().isCurrent()) {
            // Requests of the newer configuration would not use it, but may have stored another.
            return store.invalidations().isUsable(response, renewed, fetch);
        }
        boolean isAdmitted = store.admits(response);
        boolean isUsable =
                isAdmitted
                        ? store.put(response, renewed, fetch, hinted())
                        : store.invalidations().isUsable(response, renewed, fetch);
        if (!isUsable) {
            return false;
        }
        resources.refreshPauses().end(order.key());
        if (isAdmitted) {
            resources.hitForMiss().forget(order.key());
            revalidation.replacedBy(response);
            store.inlines().note(response, order.fetch(), order.rules().route());
        } else {
            // Each request for a part would fetch the whole.
            resources.hitForMiss().noteForParts(order.key());
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

    /** The request whose response has links to remember, or null. */
    private @Nullable RequestHead hinted() {
        return order.fetch().remembersHints() ? order.request().received() : null;
    }

    /** Records that the response with the head {@code received} is not stored. */
    void refused(StorageRefusal reason, @Nullable ResponseHead received) {
        // After a lack of memory the next response may be cacheable, and parallel fetches would
        // need even more memory.
        if (order.sharing() == FetchOrder.Sharing.COALESCED) {
            switch (reason) {
                case TRANSIT -> {}
                case UNKNOWN_LENGTH -> resources.hitForMiss().noteForParts(order.key());
                default -> {
                    resources.hitForMiss().note(order.key());
                    resources.store().hints().forget(order.key(), order.request());
                }
            }
        }
        refusal = reason;
        resources.events().uncacheable(reason);
        refreshed(
                CacheEvents.Refresh.UNCACHEABLE,
                received != null && StandInCause.isErrorStatus(received.status()));
        // Invalidations need not wait for the end of this fetch.
        ended();
    }

    /** Why the response is not stored; null unless that is so. */
    @Nullable StorageRefusal refusal() {
        return refusal;
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
