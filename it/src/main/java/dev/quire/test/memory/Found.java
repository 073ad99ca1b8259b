package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ForwardReason;
import org.jspecify.annotations.Nullable;

/** What came of asking for one resource. */
sealed interface Found {

    /**
     * A response.
     *
     * @param isFirstHand whether it is passed on as it came, not taken from the store
     */
    record Response(Kept kept, Asked.Way way, Handling handling, boolean isFirstHand)
            implements Found {}

    /**
     * None.
     *
     * @param status the application's; 0 if it gave none
     * @param cut what came of a response that broke off; null if that is nothing
     */
    record None(Failure failure, int status, @Nullable Kept cut) implements Found {}

    /**
     * How it was come by, as {@code Cache-Status} says it.
     *
     * @param reason why the application was asked; null if it was not
     * @param status of its answer
     */
    record Handling(
            @Nullable ForwardReason reason, int status, boolean isStored, boolean isCollapsed) {
        static final Handling OF_STORE = new Handling(null, 0, true, false);

        CacheStatus said(boolean isStandIn) {
            return reason == null
                    ? CacheStatus.Hit.HIT
                    : new CacheStatus.Forwarded(
                            reason, status, isStored && !isStandIn, isCollapsed, isStandIn);
        }
    }
}
