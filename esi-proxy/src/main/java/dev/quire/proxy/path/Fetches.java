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
     * One fetch for all who ask.
     *
     * @param stale what the answer validates or replaces; one reference is taken over
     * @return null if {@code sink} has been told to look again: a fetch has just ended
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

    /** A part of the response cannot be shared; the reference of {@code stale} is released. */
    Seat part(Inquiry inquiry, @Nullable StoredResponse stale, AnswerSink sink) {
        release(stale);
        return forward(inquiry, sink);
    }

    /** HEAD goes up as HEAD and validates {@code stale}; one reference of it is taken over. */
    Seat head(Inquiry inquiry, StoredResponse stale, AnswerSink sink) {
        return coalescer.head(
                inquiry.key(), fetch(inquiry, Purpose.HEAD), inquiry.rules(), stale, sink);
    }

    /** A fetch for {@code sink} alone; the answer is stored if it allows that. */
    Seat alone(Inquiry inquiry, AnswerSink sink) {
        return coalescer.fetchAlone(
                inquiry.key(), fetch(inquiry, inquiry.purpose()), inquiry.rules(), sink);
    }

    /** The request as it is, for this client alone; the answer is not stored. */
    Seat forward(Inquiry inquiry, AnswerSink sink) {
        return unstored(
                inquiry, inquiry.inclusion() == null ? Purpose.FORWARD : Purpose.INCLUDE, sink);
    }

    /** Past the cache, for {@code reason}. */
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
