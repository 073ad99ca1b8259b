package dev.quire.proxy.path;

import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Seat;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.OriginFetch;
import dev.quire.proxy.exchange.OriginRequest;
import org.jspecify.annotations.Nullable;

/** Sends inquiries to their origins, through the {@link Coalescer}. */
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
    @Nullable Seat join(Inquiry inquiry, @Nullable StoredResponse stale, AnswerSink sink) {
        return coalescer.join(
                inquiry.key(),
                fetch(inquiry, inquiry.purpose()),
                inquiry.rules(),
                stale,
                () -> stale == null && isStored(inquiry),
                sink);
    }

    /** Requests a range, which is not coalesced; releases the reference of {@code stale}. */
    Seat part(Inquiry inquiry, @Nullable StoredResponse stale, AnswerSink sink) {
        release(stale);
        return forward(inquiry, sink);
    }

    /** Sends HEAD to the origin and validates {@code stale}; takes over one reference of it. */
    Seat head(Inquiry inquiry, StoredResponse stale, AnswerSink sink) {
        return coalescer.head(
                inquiry.key(), fetch(inquiry, Purpose.HEAD), inquiry.rules(), stale, sink);
    }

    /** Fetches for {@code sink} alone; the response is stored if cacheable. */
    Seat alone(Inquiry inquiry, AnswerSink sink) {
        return coalescer.fetchAlone(
                inquiry.key(), fetch(inquiry, inquiry.purpose()), inquiry.rules(), sink);
    }

    /** Forwards the request unchanged, for this client alone; the response is not stored. */
    Seat forward(Inquiry inquiry, AnswerSink sink) {
        return unstored(
                inquiry, inquiry.inclusion() == null ? Purpose.FORWARD : Purpose.INCLUDE, sink);
    }

    /** Bypasses the cache for {@code reason}. */
    Seat pass(Inquiry inquiry, PassReason reason, AnswerSink sink) {
        return switch (reason) {
            case HIT_FOR_MISS ->
                    inquiry.asksForPart() ? forward(inquiry, sink) : alone(inquiry, sink);
            case METHOD, BODY, HEAD, CONDITION, RANGE, CODING -> forward(inquiry, sink);
            case NO_STORE ->
                    inquiry.request().isHead()
                            ? forward(inquiry, sink)
                            : unstored(inquiry, inquiry.purpose(), sink);
        };
    }

    private Seat unstored(Inquiry inquiry, Purpose purpose, AnswerSink sink) {
        return coalescer.pass(inquiry.key(), fetch(inquiry, purpose), inquiry.rules(), sink);
    }

    /** Refreshes {@code stale} in the background. */
    void refreshLater(Inquiry inquiry, StoredResponse stale) {
        if (!inquiry.request().isHead()) {
            coalescer.refreshLater(
                    inquiry.key(),
                    inquiry.request(),
                    inquiry.loop(),
                    fetch(inquiry, inquiry.purpose()),
                    inquiry.rules(),
                    stale);
        }
    }

    private boolean isStored(Inquiry inquiry) {
        var stored = inquiry.storedIn(store);
        release(stored);
        return stored != null;
    }

    private static void release(@Nullable StoredResponse stored) {
        if (stored != null) {
            stored.release();
        }
    }

    private OriginFetch fetch(Inquiry inquiry, Purpose purpose) {
        return (conditions, sink) ->
                inquiry.lane()
                        .origin()
                        .fetch(
                                new OriginRequest(
                                        upstream.of(inquiry, conditions, purpose),
                                        inquiry.body(),
                                        UpstreamRequest.affinity(inquiry),
                                        upstream.capabilities(inquiry)),
                                inquiry.loop(),
                                sink);
    }
}
