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
 * Many requests for one key, one fetch. The map of fetches under way is the only thing loops share;
 * nobody waits for it.
 */
public final class Coalescer {

    /** How long one who waits for another's fetch waits for its head. */
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
     * One over the same store whose requests join none of these fetches, nor the other way round:
     * for another generation of the configuration, which may ask another origin.
     */
    public Coalescer apart() {
        return new Coalescer(around, waiting);
    }

    /**
     * Waits for the fetch of {@code key}, starting {@code fetch} if none is under way.
     *
     * @param stale what a new fetch may validate, or null; one reference is taken over
     * @param isThereNow whether what {@code taker} has not found in the store is there by now: a
     *     fetch may have ended since it looked. Then it is told to look again, and has no seat
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

    /** Fetches for {@code taker} alone; the answer is stored if it allows that. */
    public Seat fetchAlone(CacheKey key, OriginFetch fetch, IntakeRules rules, AnswerSink taker) {
        return alone(FetchOrder.of(key, fetch, rules, taker, Sharing.ALONE), null, taker);
    }

    /**
     * Asks for the head of {@code stale} for {@code taker} alone, by a fetch of the method HEAD:
     * the answer may confirm or outdate it (RFC 9111 §4.3.5). One reference of it is taken over.
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
     * Fetches for {@code taker} alone what nobody else may have: the request goes up with its body,
     * its conditions or its codings, so the answer is not stored.
     */
    public Seat pass(CacheKey key, OriginFetch fetch, IntakeRules rules, AnswerSink taker) {
        return alone(FetchOrder.of(key, fetch, rules, taker, Sharing.PASSED), null, taker);
    }

    /**
     * Refreshes what is stored under {@code key}, unless a fetch for it is under way, or the last
     * refresh has failed a moment ago.
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

    /** How many requests wait for a fetch at this moment, of all generations. */
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
