package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Time;
import org.jspecify.annotations.Nullable;

/** Finds a stored response to use when the origin has failed (RFC 9111 §4.2.4). */
final class StaleFallback {
    private final PageStore store;
    private final Time time;

    StaleFallback(PageStore store, Time time) {
        this.store = store;
        this.time = time;
    }

    /** Returns a response to use after {@code failure}, or null; the caller owns a reference. */
    @Nullable StoredResponse after(Failure failure, Inquiry inquiry) {
        if (failure.side() != Failure.Side.ORIGIN || !inquiry.isAnsweredFromStore()) {
            return null;
        }
        var stored = inquiry.storedIn(store);
        if (stored == null) {
            return null;
        }
        var cause =
                failure.kind() == Failure.Kind.STATUS
                        ? StandInCause.ERROR_STATUS
                        : StandInCause.NO_ANSWER;
        var directives = inquiry.exchange().directives();
        if (inquiry.canTake(stored)
                && CachePolicy.mayStandIn(stored, directives, cause, time.now())) {
            return stored;
        }
        stored.release();
        return null;
    }

    /** Whether there is a stored response that must not be used without validation. */
    boolean isForbidden(Inquiry inquiry) {
        if (!inquiry.isAnsweredFromStore()) {
            return false;
        }
        var stored = store.find(inquiry.key(), inquiry.request());
        if (stored == null) {
            return false;
        }
        boolean isForbidden =
                CachePolicy.forbidsStale(stored.head().fields(), inquiry.rules().settings());
        stored.release();
        return isForbidden;
    }
}
