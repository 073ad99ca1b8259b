package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.PreparedFetch;
import io.netty.channel.EventLoop;

/**
 * The parameters of one fetch.
 *
 * @param request the request for which the response is judged
 * @param loop the loop of the fetch
 * @param rules the rules for the response
 * @param takesStored whether a response that another proxy has stored before will do
 */
record FetchOrder(
        CacheKey key,
        SentRequest request,
        EventLoop loop,
        PreparedFetch fetch,
        RouteCacheRules rules,
        Sharing sharing,
        boolean takesStored) {

    /** Who shares the response. */
    enum Sharing {
        /** All requests that join. */
        COALESCED,
        /** One request, but the response may be stored. */
        ALONE,
        /** One request, for the head of the stored response; it may be validated or invalidated. */
        HEAD,
        /** One request, forwarded unchanged. */
        PASSED,
        /** Like PASSED, with its Range. */
        PART;

        /** Whether the response may serve other requests. */
        boolean isForOthers() {
            return this == COALESCED || this == ALONE;
        }
    }

    /** Returns the order for the request of {@code taker}, on its loop. */
    static FetchOrder of(
            CacheKey key,
            PreparedFetch fetch,
            RouteCacheRules rules,
            AnswerSink taker,
            Sharing sharing) {
        return new FetchOrder(
                key, taker.request(), taker.loop(), fetch, rules, sharing, taker.takesStored());
    }
}
