package dev.quire.proxy.path;

import dev.quire.core.policy.CacheDecision;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The life of one request, top to bottom; read this class first. On its event loop; never blocks.
 *
 * <p>{@link Exchanges} routes a request and creates a {@link Lookup} for it; each fragment of its
 * page gets another one. {@link ClientAnswer} and {@link FragmentAnswerSink} call {@link #find},
 * and {@link #fetch} if the origin is needed, and receive the response. The first delivers it, the
 * second passes it to the page's assembler. If the origin fails or is slow, {@link StaleFallback}
 * may supply a stale one.
 */
public final class RequestPath {
    private final PageStore store;
    private final Fetches fetches;
    private final Time time;
    private final Metrics metrics;
    private final StaleFallback fallback;

    RequestPath(PageStore store, Fetches fetches, Time time, Metrics metrics) {
        this.store = store;
        this.fetches = fetches;
        this.time = time;
        this.metrics = metrics;
        this.fallback = new StaleFallback(store, time, metrics);
    }

    /**
     * Decides and counts; may refresh in the background. The caller owns the reference. Null if a
     * lower tier is searched first: then {@code sink} is told.
     */
    @Nullable CacheDecision<StoredResponse> find(Lookup lookup, AnswerSink sink) {
        var now = time.now();
        var stored = fetches.atOnce(lookup, sink, now);
        return stored == null && fetches.search(lookup, sink)
                ? null
                : begin(lookup, fetches.decide(lookup, stored, now));
    }

    /** Decides like {@link #find} after the search; takes over the reference of its result. */
    CacheDecision<StoredResponse> afterSearch(Lookup lookup, @Nullable StoredResponse inFile) {
        var now = time.now();
        return begin(lookup, fetches.decide(lookup, lookup.storedIn(store, inFile, now), now));
    }

    /** Returns the stored response of a hit, or null; the caller owns a reference. */
    @Nullable StoredResponse atHand(Lookup lookup, Instant now) {
        var stored = lookup.storedIn(store);
        var decision = stored == null ? null : fetches.decide(lookup, stored, now);
        if (decision instanceof CacheDecision.FromStore<StoredResponse>) {
            return begin(lookup, decision).stored();
        }
        if (stored != null && decision != null && decision.stored() != null) {
            // Not counted yet: find() will be called.
            stored.release();
        }
        return null;
    }

    /** Fetches with the decision's reference; null if {@code sink} has to look again. */
    @Nullable FetchSubscription fetch(
            Lookup lookup, CacheDecision.FromOrigin<StoredResponse> decision, AnswerSink sink) {
        return switch (decision) {
            case CacheDecision.Revalidate<StoredResponse> old ->
                    fetches.validate(lookup, old.stored(), sink);
            case CacheDecision.Miss<StoredResponse> miss ->
                    fetches.join(lookup, miss.stored(), sink);
            case CacheDecision.Pass<StoredResponse> pass ->
                    fetches.pass(lookup, pass.reason(), sink);
        };
    }

    Fetches fetches() {
        return fetches;
    }

    StaleFallback fallback() {
        return fallback;
    }

    /** The store, which also knows the pages that contain fragments inline. */
    PageStore store() {
        return store;
    }

    private CacheDecision<StoredResponse> begin(
            Lookup lookup, CacheDecision<StoredResponse> decision) {
        metrics.decided(decision);
        store.requested(lookup.key());
        if (decision instanceof CacheDecision.StaleHit<StoredResponse> hit) {
            fetches.refreshLater(lookup, hit.stored());
        }
        return decision;
    }
}
