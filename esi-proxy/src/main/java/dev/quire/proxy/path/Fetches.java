package dev.quire.proxy.path;

import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.ClientNetwork;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.PreparedFetch;
import org.jspecify.annotations.Nullable;

/** Sends lookups to their origins, through the {@link Coalescer}. */
public final class Fetches {
    private final Coalescer coalescer;
    private final UpstreamRequest upstream;
    private final PageStore store;

    public Fetches(Coalescer coalescer, UpstreamRequest upstream, PageStore store) {
        this.coalescer = coalescer;
        this.upstream = upstream;
        this.store = store;
    }

    /**
     * Joins or starts the coalesced fetch.
     *
     * @param stale the response to validate or replace; takes over one reference
     * @return null if {@code sink} was told to look again because a fetch has just ended
     */
    @Nullable FetchSubscription join(
            Lookup lookup, @Nullable StoredResponse stale, AnswerSink sink) {
        if (stale == null && lookup.isOfOneReader()) {
            return fetchUncoalesced(lookup, sink);
        }
        return coalescer.join(
                lookup.key(),
                fetch(lookup, lookup.purpose()),
                lookup.rules(),
                stale,
                () -> stale == null && isStored(lookup),
                sink);
    }

    /** Requests a range, which is not coalesced; releases the reference of {@code stale}. */
    FetchSubscription part(Lookup lookup, @Nullable StoredResponse stale, AnswerSink sink) {
        release(stale);
        return forward(lookup, sink);
    }

    /** Sends HEAD to the origin and validates {@code stale}; takes over one reference of it. */
    FetchSubscription head(Lookup lookup, StoredResponse stale, AnswerSink sink) {
        return coalescer.head(
                lookup.key(), fetch(lookup, Purpose.HEAD), lookup.rules(), stale, sink);
    }

    /** Fetches for {@code sink} alone; the response is stored if cacheable. */
    FetchSubscription fetchUncoalesced(Lookup lookup, AnswerSink sink) {
        return coalescer.fetchUncoalesced(
                lookup.key(), fetch(lookup, lookup.purpose()), lookup.rules(), sink);
    }

    /** Forwards without coalescing, for {@code sink} alone; the response is not stored. */
    FetchSubscription forward(Lookup lookup, AnswerSink sink) {
        return unstored(
                lookup, lookup.inclusion() == null ? Purpose.FORWARD : Purpose.INCLUDE, sink);
    }

    /** Bypasses the cache for {@code reason}. */
    FetchSubscription pass(Lookup lookup, PassReason reason, AnswerSink sink) {
        return switch (reason) {
            case HIT_FOR_MISS ->
                    lookup.asksForPart() ? forward(lookup, sink) : fetchUncoalesced(lookup, sink);
            case METHOD, BODY, HEAD, CONDITION, RANGE -> forward(lookup, sink);
            case NO_STORE ->
                    lookup.request().isHead()
                            ? forward(lookup, sink)
                            : unstored(lookup, lookup.purpose(), sink);
        };
    }

    private FetchSubscription unstored(Lookup lookup, Purpose purpose, AnswerSink sink) {
        return coalescer.pass(lookup.key(), fetch(lookup, purpose), lookup.rules(), sink);
    }

    /** Refreshes {@code stale} in the background. */
    void refreshLater(Lookup lookup, StoredResponse stale) {
        if (!lookup.request().isHead()) {
            coalescer.refreshLater(
                    lookup.key(),
                    lookup.sent(),
                    lookup.loop(),
                    fetch(lookup, lookup.purpose()),
                    lookup.rules(),
                    stale);
        }
    }

    private boolean isStored(Lookup lookup) {
        var stored = lookup.storedIn(store);
        release(stored);
        return stored != null;
    }

    private static void release(@Nullable StoredResponse stored) {
        if (stored != null) {
            stored.release();
        }
    }

    private PreparedFetch fetch(Lookup lookup, Purpose purpose) {
        return (conditions, sink) ->
                lookup.target()
                        .origin()
                        .fetch(
                                new OriginRequest(
                                        upstream.of(lookup, conditions, purpose),
                                        lookup.body(),
                                        ClientNetwork.of(lookup.exchange().client()),
                                        UpstreamRequest.affinity(lookup),
                                        upstream.capabilities(lookup),
                                        lookup.target().deadlines(),
                                        lookup.takesTrailers()),
                                lookup.loop(),
                                sink);
    }
}
