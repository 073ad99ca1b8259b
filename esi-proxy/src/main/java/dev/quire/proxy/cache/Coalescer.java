package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.FetchOrder.Sharing;
import dev.quire.proxy.exchange.OriginFetch;
import dev.quire.proxy.exchange.Time;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Coalesces requests for one key into one fetch. The map of fetches in flight is the only state
 * shared between loops; no thread blocks on it.
 */
public final class Coalescer {

    /** How long requests that joined a fetch wait for its head. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ConcurrentMap<CacheKey, Flight> flights = new ConcurrentHashMap<>();
    private final LongAdder waiting;
    private final Surroundings around;

    public Coalescer(
            PageStore store,
            HitForMiss hitForMiss,
            Transit transit,
            HeadBytes heads,
            Time time,
            CacheEvents events) {
        this(
                new Surroundings(
                        store,
                        hitForMiss,
                        new RefreshPauses(time::now),
                        transit,
                        heads,
                        time,
                        events),
                new LongAdder());
    }

    private Coalescer(Surroundings around, LongAdder waiting) {
        this.around = around;
        this.waiting = waiting;
    }

    /**
     * Returns a coalescer for the same store with separate fetches, for another generation of the
     * configuration, which may use other origins.
     */
    public Coalescer apart() {
        return new Coalescer(around, waiting);
    }

    /**
     * Joins the fetch of {@code key}, or starts {@code fetch} if none is in flight.
     *
     * @param stale the response that a new fetch may validate, or null; takes over one reference
     * @param isThereNow whether the response that {@code taker} did not find has been stored since,
     *     by a fetch that ended in the meantime. If so, {@code taker} is told to look again, and
     *     null is returned
     */
    public @Nullable Seat join(
            CacheKey key,
            OriginFetch fetch,
            IntakeRules rules,
            @Nullable StoredResponse stale,
            BooleanSupplier isThereNow,
            AnswerSink taker) {
        var under = flights.get(key);
        if (under == null) {
            var mine = flight(FetchOrder.of(key, fetch, rules, taker, Sharing.COALESCED), stale);
            under = flights.putIfAbsent(key, mine);
            if (under == null && isThereNow.getAsBoolean()) {
                flights.remove(key, mine);
                mine.discard();
                taker.again();
                return null;
            }
            if (under == null) {
                var seat = new Seat(mine, taker, waiting);
                mine.start(seat);
                return seat;
            }
            mine.discard();
        } else if (stale != null) {
            stale.release();
        }
        around.events().coalesced();
        var seat = new Seat(under, taker, waiting);
        seat.enter();
        return seat;
    }

    /** Fetches for {@code taker} alone; the response is stored if cacheable. */
    public Seat fetchAlone(CacheKey key, OriginFetch fetch, IntakeRules rules, AnswerSink taker) {
        return alone(FetchOrder.of(key, fetch, rules, taker, Sharing.ALONE), null, taker);
    }

    /**
     * Sends HEAD for {@code taker} alone: the response may validate or invalidate {@code stale}
     * (RFC 9111 §4.3.5). Takes over one reference of it.
     */
    public Seat head(
            CacheKey key,
            OriginFetch fetch,
            IntakeRules rules,
            StoredResponse stale,
            AnswerSink taker) {
        return alone(FetchOrder.of(key, fetch, rules, taker, Sharing.HEAD), stale, taker);
    }

    /**
     * Fetches for {@code taker} alone, with the body, conditions and codings of its request; the
     * response is not stored.
     */
    public Seat pass(CacheKey key, OriginFetch fetch, IntakeRules rules, AnswerSink taker) {
        return alone(FetchOrder.of(key, fetch, rules, taker, Sharing.PASSED), null, taker);
    }

    /**
     * Refreshes the response stored under {@code key} in the background, unless a fetch is in
     * flight or the last refresh has just failed.
     */
    public void refreshLater(
            CacheKey key,
            RequestHead request,
            EventLoop loop,
            OriginFetch fetch,
            IntakeRules rules,
            StoredResponse stale) {
        if (flights.containsKey(key) || around.refreshPauses().isOn(key) || !stale.tryRetain()) {
            return;
        }
        var order = new FetchOrder(key, request, loop, fetch, rules, Sharing.COALESCED);
        var mine = flight(order, stale);
        if (flights.putIfAbsent(key, mine) == null) {
            mine.start(null);
        } else {
            mine.discard();
        }
    }

    /** The number of requests currently waiting for a fetch, of all generations. */
    public long waiting() {
        return waiting.sum();
    }

    private Seat alone(FetchOrder order, @Nullable StoredResponse stale, AnswerSink taker) {
        var mine = flight(order, stale);
        var seat = new Seat(mine, taker, waiting);
        mine.start(seat);
        return seat;
    }

    private Flight flight(FetchOrder order, @Nullable StoredResponse stale) {
        return new Flight(order, stale, around, flight -> flights.remove(flight.key(), flight));
    }
}
