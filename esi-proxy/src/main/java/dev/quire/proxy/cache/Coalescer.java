package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.cache.FetchOrder.Sharing;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.exchange.Time;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Coalesces requests for one key into one fetch, also those of different generations of the
 * configuration if these judge the response alike and use the same origin. The map of fetches in
 * flight is the only state shared between loops; no thread blocks on it.
 */
public final class Coalescer {

    /** How long requests that joined a fetch wait for its head. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ConcurrentMap<CacheKey, CoalescedFetch> fetches = new ConcurrentHashMap<>();
    private final LongAdder waiting = new LongAdder();
    private final FetchResources resources;

    public Coalescer(
            PageStore store,
            LowerTiers tiers,
            HitForMiss hitForMiss,
            InFlightBudget transit,
            HeadBytes heads,
            Time time,
            CacheEvents events) {
        this.resources =
                new FetchResources(
                        store,
                        tiers,
                        hitForMiss,
                        new RefreshPauses(time::now),
                        transit,
                        heads,
                        time,
                        events);
    }

    /**
     * Joins the fetch of {@code key}, or starts {@code fetch} if none is in flight.
     *
     * @param stale the response that a new fetch may validate, or null; takes over one reference
     * @param isThereNow whether the response that {@code taker} did not find has been stored since,
     *     by a fetch that ended in the meantime. If so, {@code taker} is told to look again, and
     *     null is returned
     */
    public @Nullable FetchSubscription join(
            CacheKey key,
            PreparedFetch fetch,
            RouteCacheRules rules,
            @Nullable StoredResponse stale,
            BooleanSupplier isThereNow,
            AnswerSink taker) {
        var under = fetches.get(key);
        if (under == null || !under.serves(fetch, rules)) {
            var order = FetchOrder.of(key, fetch, rules, taker, Sharing.COALESCED);
            var mine = newFetch(order, stale);
            under = enter(mine, fetch, rules);
            if (under == null) {
                return begin(mine, order, isThereNow, taker);
            }
            mine.discard();
        } else if (stale != null) {
            stale.release();
        }
        resources.events().coalesced();
        var subscription = new FetchSubscription(under, taker, taker.request(), waiting);
        subscription.enter();
        return subscription;
    }

    /**
     * Makes {@code mine} the fetch of its key, in place of one that it cannot join. Returns the one
     * that it can join, or null.
     */
    private @Nullable CoalescedFetch enter(
            CoalescedFetch mine, PreparedFetch fetch, RouteCacheRules rules) {
        var entered =
                fetches.compute(
                        mine.key(),
                        (key, under) -> under != null && under.serves(fetch, rules) ? under : mine);
        return entered == mine ? null : entered;
    }

    /** Starts {@code mine}, which is the fetch of its key, unless there is a response now. */
    private @Nullable FetchSubscription begin(
            CoalescedFetch mine, FetchOrder order, BooleanSupplier isThereNow, AnswerSink taker) {
        FetchSubscription subscription = null;
        try {
            if (!isThereNow.getAsBoolean()) {
                subscription = new FetchSubscription(mine, taker, order.request(), waiting);
            }
        } finally {
            if (subscription == null) {
                fetches.remove(mine.key(), mine);
                mine.discard();
            }
        }
        if (subscription == null) {
            taker.retryLookup();
        } else {
            start(mine, subscription);
        }
        return subscription;
    }

    private static void start(CoalescedFetch fetch, @Nullable AnswerSink asker) {
        try {
            fetch.start(asker);
        } catch (RuntimeException | Error bug) {
            // So that the asker is not called within its own call.
            fetch.later(() -> {
                throw bug;
            });
        }
    }

    /** Fetches for {@code taker} alone; the response is stored if cacheable. */
    public FetchSubscription fetchUncoalesced(
            CacheKey key, PreparedFetch fetch, RouteCacheRules rules, AnswerSink taker) {
        return startUncoalesced(
                FetchOrder.of(key, fetch, rules, taker, Sharing.ALONE), null, taker);
    }

    /**
     * Sends HEAD for {@code taker} alone: the response may validate or invalidate {@code stale}
     * (RFC 9111 §4.3.5). Takes over one reference of it.
     */
    public FetchSubscription head(
            CacheKey key,
            PreparedFetch fetch,
            RouteCacheRules rules,
            StoredResponse stale,
            AnswerSink taker) {
        return startUncoalesced(
                FetchOrder.of(key, fetch, rules, taker, Sharing.HEAD), stale, taker);
    }

    /**
     * Fetches for {@code taker} alone, with the body, conditions and codings of its request; the
     * response is not stored.
     */
    public FetchSubscription pass(
            CacheKey key, PreparedFetch fetch, RouteCacheRules rules, AnswerSink taker) {
        return startUncoalesced(
                FetchOrder.of(key, fetch, rules, taker, Sharing.PASSED), null, taker);
    }

    /** Like {@link #pass}, with the Range of its request. */
    public FetchSubscription part(
            CacheKey key, PreparedFetch fetch, RouteCacheRules rules, AnswerSink taker) {
        return startUncoalesced(FetchOrder.of(key, fetch, rules, taker, Sharing.PART), null, taker);
    }

    /**
     * Refreshes the response stored under {@code key} in the background, unless a fetch is in
     * flight or the last refresh has just failed.
     */
    public void refreshLater(
            CacheKey key,
            SentRequest request,
            EventLoop loop,
            PreparedFetch fetch,
            RouteCacheRules rules,
            StoredResponse stale) {
        if (fetches.containsKey(key) || resources.refreshPauses().isOn(key) || !stale.tryRetain()) {
            return;
        }
        var order = new FetchOrder(key, request, loop, fetch, rules, Sharing.COALESCED, true);
        var mine = newFetch(order, stale);
        if (fetches.putIfAbsent(key, mine) == null) {
            start(mine, null);
        } else {
            mine.discard();
        }
    }

    /** The number of requests currently waiting for a fetch. */
    public long waiting() {
        return waiting.sum();
    }

    private FetchSubscription startUncoalesced(
            FetchOrder order, @Nullable StoredResponse stale, AnswerSink taker) {
        var mine = newFetch(order, stale);
        var subscription = new FetchSubscription(mine, taker, order.request(), waiting);
        start(mine, subscription);
        return subscription;
    }

    private CoalescedFetch newFetch(FetchOrder order, @Nullable StoredResponse stale) {
        return new CoalescedFetch(order, stale, resources, this::closed);
    }

    private void closed(CoalescedFetch fetch) {
        // Else another one is the fetch of its key, which requests may still join.
        if (fetches.remove(fetch.key(), fetch)) {
            resources.tiers().shared().closed(fetch.key());
        }
    }
}
