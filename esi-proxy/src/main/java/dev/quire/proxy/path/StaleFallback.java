package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import org.jspecify.annotations.Nullable;

/** Finds a stored response to use when the origin has failed or is slow (RFC 9111 §4.2.4). */
final class StaleFallback {
    private final PageStore store;
    private final Time time;
    private final Metrics metrics;

    StaleFallback(PageStore store, Time time, Metrics metrics) {
        this.store = store;
        this.time = time;
        this.metrics = metrics;
    }

    /** Why a response may be used after {@code failure}. */
    static StandInCause cause(Failure failure) {
        return failure.kind() == Failure.Kind.STATUS
                ? StandInCause.ERROR_STATUS
                : StandInCause.NO_ANSWER;
    }

    /** Returns a response to use after {@code failure}, or null; the caller owns a reference. */
    @Nullable StoredResponse after(Failure failure, Lookup lookup) {
        return failure.side() == Failure.Side.ORIGIN ? used(lookup, cause(failure)) : null;
    }

    /** Returns a response to use while the origin is slow, or null; the caller owns a reference. */
    @Nullable StoredResponse whileSlow(Lookup lookup) {
        return used(lookup, StandInCause.SLOW);
    }

    /** Whether there is a response to use if the origin is slow. */
    boolean isReadyFor(Lookup lookup) {
        var standIn =
                lookup.rules().settings().staleIfSlow().isZero()
                        ? null
                        : find(lookup, StandInCause.SLOW);
        if (standIn == null) {
            return false;
        }
        standIn.release();
        return true;
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

    private @Nullable StoredResponse used(Lookup lookup, StandInCause cause) {
        var standIn = find(lookup, cause);
        if (standIn != null) {
            metrics.stoodIn(cause);
        }
        return standIn;
    }

    private @Nullable StoredResponse find(Lookup lookup, StandInCause cause) {
        var stored = lookup.isAnsweredFromStore() ? lookup.storedIn(store) : null;
        if (stored == null) {
            return null;
        }
        var directives = lookup.exchange().directives();
        if (CachePolicy.mayStandIn(stored, directives, cause, time.now())) {
            return stored;
        }
        stored.release();
        return null;
    }
}
