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
    @Nullable StoredResponse after(Failure failure, Lookup lookup) {
        if (failure.side() != Failure.Side.ORIGIN || !lookup.isAnsweredFromStore()) {
            return null;
        }
        var stored = lookup.storedIn(store);
        if (stored == null) {
            return null;
        }
        var cause =
                failure.kind() == Failure.Kind.STATUS
                        ? StandInCause.ERROR_STATUS
                        : StandInCause.NO_ANSWER;
        var directives = lookup.exchange().directives();
        if (CachePolicy.mayStandIn(stored, directives, cause, time.now())) {
            return stored;
        }
        stored.release();
        return null;
    }

    /** Whether there is a stored response that must not be used without validation. */
    boolean isForbidden(Lookup lookup) {
        if (!lookup.isAnsweredFromStore()) {
            return false;
        }
        var stored = store.find(lookup.key(), lookup);
        if (stored == null) {
            return false;
        }
        boolean isForbidden =
                CachePolicy.forbidsStale(stored.head().fields(), lookup.rules().settings());
        stored.release();
        return isForbidden;
    }
}
