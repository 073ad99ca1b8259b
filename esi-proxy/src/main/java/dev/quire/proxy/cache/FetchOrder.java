package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.exchange.OriginFetch;
import io.netty.channel.EventLoop;

/**
 * What is to be fetched.
 *
 * @param request the answer is judged for
 * @param loop that fetches
 * @param rules for the answer
 */
record FetchOrder(
        CacheKey key,
        RequestHead request,
        EventLoop loop,
        OriginFetch fetch,
        IntakeRules rules,
        Sharing sharing) {

    /** Whom the fetch is for. */
    enum Sharing {
        /** All who ask meanwhile. */
        COALESCED,
        /** One, but what it brings may be stored. */
        ALONE,
        /** One, who asks for the head of what is stored; the answer may confirm or outdate it. */
        HEAD,
        /** One, whose request went up as it is. */
        PASSED;

        /** Whether the answer may serve others. */
        boolean isForOthers() {
            return this == COALESCED || this == ALONE;
        }
    }

    /** For a request of {@code taker}, on its loop. */
    static FetchOrder of(
            CacheKey key, OriginFetch fetch, IntakeRules rules, AnswerSink taker, Sharing sharing) {
        return new FetchOrder(key, taker.request(), taker.loop(), fetch, rules, sharing);
    }
}
