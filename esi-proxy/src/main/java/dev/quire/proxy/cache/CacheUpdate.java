package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.StandInCause;
import org.jspecify.annotations.Nullable;

/**
 * What one fetch changes in the store and the notes beside it. Confined to the loop that fetches.
 */
final class CacheUpdate {
    private final FetchOrder order;
    private final Surroundings around;
    private final Revalidation revalidation;
    private final PurgeLog.Epoch epoch;
    private boolean isRefresh;

    /** A fetch begins. */
    CacheUpdate(FetchOrder order, Surroundings around, Revalidation revalidation) {
        this.order = order;
        this.around = around;
        this.revalidation = revalidation;
        this.epoch = around.store().fetchBegins(order.request());
    }

    /** No client waits for the fetch. */
    void startsRefresh() {
        isRefresh = true;
    }

    /** Nothing of the fetch will be stored any more. */
    void ended() {
        around.store().fetchEnded(epoch);
    }

    /**
     * Stores {@code response}.
     *
     * @param received the head of the origin's answer
     * @return false if it has been purged since the fetch began
     */
    boolean store(StoredResponse response, @Nullable ResponseHead received) {
        var store = around.store();
        if (response.length() > order.rules().maxObjectBytes()) {
            around.events().uncacheable(RefusalReason.SIZE);
            revalidation.outdatedBy(received);
            return !store.isPurged(response, epoch);
        }
        if (!store.put(response, epoch)) {
            return false;
        }
        revalidation.replacedBy(response);
        around.hitForMiss().forget(order.key());
        around.refreshPauses().end(order.key());
        store.putInlines(response, epoch, around.heads());
        return true;
    }

    /** The answer under {@code received} is not stored. */
    void refused(RefusalReason reason, @Nullable ResponseHead received) {
        // Without room the next answer may well be stored; side by side they would take even more.
        if (order.sharing() == FetchOrder.Sharing.COALESCED && reason != RefusalReason.TRANSIT) {
            around.hitForMiss().note(order.key());
        }
        around.events().uncacheable(reason);
        refreshed(
                CacheEvents.Refresh.UNCACHEABLE,
                received != null && StandInCause.isErrorStatus(received.status()));
        // Neither purges nor bans need to wait for its end.
        ended();
    }

    /** Why a body that gave {@code failure} as it was taken in is not stored. */
    static RefusalReason reason(Failure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> RefusalReason.SIZE;
            case OVERLOAD -> RefusalReason.TRANSIT;
            default -> RefusalReason.CODING;
        };
    }

    /** The answer is stored in place of what was asked about, or renews that. */
    void refreshed(CacheEvents.Refresh outcome) {
        refreshed(outcome, false);
    }

    /** The fetch has failed. */
    void failed() {
        refreshed(CacheEvents.Refresh.FAILED, true);
    }

    private void refreshed(CacheEvents.Refresh outcome, boolean isFailure) {
        if (!isRefresh) {
            return;
        }
        around.events().refreshed(outcome);
        if (isFailure) {
            around.refreshPauses().begin(order.key());
        }
    }
}
