package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Time;
import org.jspecify.annotations.Nullable;

/** Finds a stored response to answer with when the origin has failed (RFC 9111 §4.2.4). */
final class StaleFallback {
    private final PageStore store;
    private final Time time;

    StaleFallback(PageStore store, Time time) {
        this.store = store;
        this.time = time;
    }

    /** A response to use after {@code failure}, or null; the caller owns a reference. */
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

    /** Whether a response is stored that may only be used once the origin has agreed. */
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
