package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The tier that several proxies share: keeps responses as {@link SharedRecords}, and finds those of
 * the other proxies. It can only find, or not: it never fails a request, and no fresh hit waits for
 * it. Thread-safe.
 */
public final class SharedTier {

    /*
     * The record of a resource is its response, or a VarySpec; then each variant has a record. Specs
     * are remembered, so that most searches that find something ask once.
     *
     * A request that nothing nearer can answer, or only with a stale response of the disk, asks for
     * the record (search), unless it joins a fetch that has asked. A fetch that several requests
     * share asks again before it goes to the origin, for the record of another proxy or for the
     * lease (SharedLease): so only one proxy fetches, and the newest stale response is validated.
     * The lease only saves requests: whether a response may be used depends on its position alone.
     *
     * No older response comes back: a record replaces, and a removal removes, only what is not later
     * than itself. A response that is not written, but newer, removes the record (SharedRemovals).
     * The position and the time of a spec are those of the variant that was written last: whether a
     * variant may be used depends on its own.
     */

    private static final int MAX_SPECS = 100_000;

    /** For so long after a search without an answer no lease is asked for: it would wait again. */
    private static final Duration ONE_WAIT = Duration.ofMillis(5);

    /**
     * The settings.
     *
     * @param minLifetime what has a shorter lifetime left is not written
     * @param longestKept how long a record is kept at most
     * @param responses that wait to be written
     * @param queueBytes of those
     * @param patience how long a fetch waits for that of another proxy
     */
    public record Terms(
            Duration minLifetime,
            Duration longestKept,
            int responses,
            long queueBytes,
            Duration patience) {}

    /** The store, and the places of its records. */
    record Use(SharedRecords records, SharedPositions positions, RecordCodec codec, Terms terms) {

        boolean isUsable() {
            return positions.isKnown() && records.isUsable();
        }
    }

    private final PageStore store;
    private final HeadBytes heads;
    private final Time time;
    private final TierCounts counts = new TierCounts();
    private final SharedWriter writer;
    private final Cache<RecordHash, VarySpec> specs =
            Caffeine.newBuilder().maximumSize(MAX_SPECS).executor(Runnable::run).build();
    private final SharedRemovals removals;

    /** Those of the fetches that requests can join, by resource. */
    private final ConcurrentMap<CacheKey, SharedLease> joinable = new ConcurrentHashMap<>();

    private volatile @Nullable Use use;
    private volatile BooleanSupplier behind = () -> false;
    private volatile boolean validatesWhileBehind;
    private volatile LongConsumer waits = nanos -> {};

    /** When a search had no answer in time. */
    private volatile @Nullable Long lateTicks;

    SharedTier(PageStore store, HeadBytes heads, Time time) {
        this.store = store;
        this.heads = heads;
        this.time = time;
        this.removals = new SharedRemovals(store, time, specs);
        this.writer = new SharedWriter(store, counts, specs, removals);
    }

    /** Uses {@code records} from now on; once. */
    public void use(SharedRecords records, SharedPositions positions, Terms terms) {
        var codec = new RecordCodec(heads, new SharedTime(time, positions::aheadMillis), positions);
        var begun = new Use(records, positions, codec, terms);
        writer.start(begun);
        use = begun;
        store.hasSharedTier(true);
    }

    /** Uses no store any more. Writes what waits for {@code most} at most. */
    public void end(Duration most) {
        use = null;
        store.hasSharedTier(false);
        writer.end(most);
    }

    /** Has {@code then} count how long each request waited for a search, in nanoseconds. */
    public void onWait(LongConsumer then) {
        waits = then;
    }

    /** Whether there is a store, which may not work at present. */
    public boolean isOn() {
        return use != null;
    }

    /** Whether invalidations of others may be unknown now. */
    public boolean isBehind() {
        return behind.getAsBoolean();
    }

    /** Invalidations of others may be unknown while {@code now} returns true. */
    public void behindWhile(BooleanSupplier now) {
        behind = now;
    }

    /** The fetch of {@code resource} takes no more requests. */
    void closed(CacheKey resource) {
        joinable.remove(resource);
    }

    /** Whether hits must be validated now. */
    public boolean validatesHits() {
        return validatesWhileBehind && isBehind();
    }

    /** Has hits validated while invalidations of others may be unknown. */
    public void validateWhileBehind(boolean isWanted) {
        validatesWhileBehind = isWanted;
    }

    /** Changes the settings. */
    public void limit(Terms terms) {
        var begun = use;
        if (begun != null) {
            use = new Use(begun.records(), begun.positions(), begun.codec(), terms);
        }
    }

    public long count(TierOutcome outcome) {
        return counts.of(outcome);
    }

    public long count(TierWrite outcome) {
        return counts.of(outcome);
    }

    /** The bytes of the responses that wait to be written. */
    public long waitingBytes() {
        return writer.waitingBytes();
    }

    /**
     * Searches the response to a request that nothing nearer has, or a newer one than is there.
     * Returns false if it cannot be found, or if the request joins a fetch that asks the store
     * itself. Otherwise {@code sink} is told later, on its loop, which is the current one.
     *
     * @param rules of its route
     * @param asked returns the URL before rules changed it
     * @param stale what a nearer tier has, until {@code sink} is told; null for nothing
     */
    boolean search(
            CacheKey resource,
            RouteCacheRules rules,
            UnaryOperator<CacheKey> asked,
            SearchSink sink,
            long sinceTicks,
            HeldResponses.@Nullable Hold stale) {
        var from = use;
        var storage = rules.storage();
        if (from == null || storage == null || (stale != null && hasJustBeenLate())) {
            return false;
        }
        if (!from.isUsable()) {
            counts.add(TierOutcome.REFUSED);
            return false;
        }
        var key = RecordKey.of(resource, storage);
        var lease = joinable.get(resource);
        if (lease != null && lease.isAsked() && specs.getIfPresent(key.hash()) == null) {
            // With a spec, the fetch may be for another variant.
            return false;
        }
        new Search(from, key, rules, asked, sink, sinceTicks, stale).begin();
        return true;
    }

    /** The search for one request. On its loop. */
    private final class Search {
        private final Use from;
        private final RecordCodec.Wanted wanted;
        private final RouteCacheRules rules;
        private final UnaryOperator<CacheKey> asked;
        private final SearchSink sink;
        private final long sinceTicks;
        private final HeldResponses.@Nullable Hold stale;

        /** By which variants were asked for. */
        private @Nullable VarySpec tried;

        /** Whether the record of the resource itself was asked for. */
        private boolean isBaseAsked;

        /** Whether a record was of no use. */
        private boolean isCounted;

        Search(
                Use from,
                RecordKey key,
                RouteCacheRules rules,
                UnaryOperator<CacheKey> asked,
                SearchSink sink,
                long sinceTicks,
                HeldResponses.@Nullable Hold stale) {
            this.from = from;
            this.wanted = new RecordCodec.Wanted(key, sink.request(), rules.parsing());
            this.rules = rules;
            this.asked = asked;
            this.sink = sink;
            this.sinceTicks = sinceTicks;
            this.stale = stale;
        }

        private RecordHash hash() {
            return wanted.key().hash();
        }

        void begin() {
            var spec = specs.getIfPresent(hash());
            if (spec == null) {
                askBase();
            } else {
                askVariants(spec);
            }
        }

        private void askBase() {
            isBaseAsked = true;
            get(List.of(new SharedRecords.Place(hash(), null)));
        }

        private void askVariants(VarySpec spec) {
            tried = spec;
            var places = places(spec, sink.request());
            if (!places.isEmpty()) {
                get(places);
            } else if (!more(places)) {
                ended(TierOutcome.MISS);
            }
        }

        private void get(List<SharedRecords.Place> places) {
            from.records().get(places.getFirst(), sink.loop(), answer -> take(answer, places));
        }

        private void take(SharedRecords.Answer answer, List<SharedRecords.Place> places) {
            try {
                if (answer instanceof SharedRecords.Value(var record)) {
                    taken(record, places);
                    return;
                }
                if (answer instanceof SharedRecords.Absent && places.getFirst().variant() == null) {
                    specs.invalidate(hash());
                }
                if (isLate(answer) || answer instanceof SharedRecords.None || !more(places)) {
                    ended(outcome(answer));
                }
            } catch (RuntimeException | Error bug) {
                sink.failed(bug);
            }
        }

        private boolean isLate(SharedRecords.Answer answer) {
            boolean isLate = answer.equals(new SharedRecords.None(SharedRecords.Reason.TIMEOUT));
            if (isLate) {
                lateTicks = time.ticks();
            }
            return isLate;
        }

        /**
         * Asks for the next of {@code places}, and at last whether there are other variants by now,
         * or none; returns false without one.
         */
        private boolean more(List<SharedRecords.Place> places) {
            if (places.size() > 1) {
                get(places.subList(1, places.size()));
                return true;
            }
            boolean isMore = !isBaseAsked;
            if (isMore) {
                askBase();
            }
            return isMore;
        }

        private void taken(ByteBuf record, List<SharedRecords.Place> places) {
            VarySpec spec;
            StoredResponse found;
            try {
                spec = places.getFirst().variant() == null ? read(record, hash()) : null;
                found = spec == null ? read(from, record, wanted, places.getFirst()) : null;
            } catch (RuntimeException | Error unreadable) {
                ended(TierOutcome.ERROR);
                return;
            } finally {
                record.release();
            }
            if (spec != null && !spec.equals(tried)) {
                askVariants(spec);
            } else if (spec != null) {
                ended(TierOutcome.MISS);
            } else if (found != null && isWanted(found)) {
                ended(found);
            } else {
                isCounted = true;
                if (found != null) {
                    found.release();
                    ended(TierOutcome.HIT);
                } else if (!more(places)) {
                    ended(TierOutcome.MISS);
                }
            }
        }

        /** Whether {@code found} may take the place of the stale response, if there is one. */
        private boolean isWanted(StoredResponse found) {
            if (stale == null) {
                return true;
            }
            var other = stale.response();
            // In place of one that was replaced meanwhile, an older one may not come back.
            return !stale.isReplaced()
                    && (Variants.isLater(found, other)
                            || (isHit(found) && found.isReceivedAfter(other)));
        }

        /**
         * @param outcome is counted, unless that of a record is
         */
        private void ended(TierOutcome outcome) {
            if (!isCounted) {
                counts.add(outcome);
            }
            long nanos = time.ticks() - sinceTicks;
            waits.accept(nanos);
            sink.searched(null, TierSearch.without(nanos));
        }

        private void ended(StoredResponse found) {
            long nanos = time.ticks() - sinceTicks;
            waits.accept(nanos);
            var hold = store.found(found, asked, rules.route());
            try {
                sink.searched(null, new TierSearch(TierSearch.SHARED, nanos));
            } finally {
                store.held().release(hold);
            }
        }
    }

    /** Returns the places of the variants that {@code request} may select. */
    static List<SharedRecords.Place> places(VarySpec spec, SentRequest request) {
        return spec.of(request).stream()
                .map(variant -> new SharedRecords.Place(spec.key(), variant))
                .toList();
    }

    /** Returns the remembered spec of {@code key}; null for none. */
    @Nullable VarySpec spec(RecordHash key) {
        return specs.getIfPresent(key);
    }

    /** Returns the spec of {@code key} in {@code record}, and remembers it; null for none. */
    @Nullable VarySpec read(ByteBuf record, RecordHash key) {
        var spec = VarySpec.read(record, key);
        if (spec == null) {
            specs.invalidate(key);
        } else {
            specs.put(key, spec);
        }
        return spec;
    }

    /**
     * Returns the response in {@code record}, tested against the invalidations, and counts it; null
     * if it is of no use. The caller owns a reference.
     */
    @Nullable StoredResponse read(
            Use from, ByteBuf record, RecordCodec.Wanted wanted, SharedRecords.Place place) {
        return switch (from.codec().read(record, wanted)) {
            case RecordCodec.Found(var response, var bodyAt, var bytes) -> {
                var useful = store.useful(response);
                counts.add(useful == null ? TierOutcome.OUTDATED : TierOutcome.HIT);
                yield useful;
            }
            case RecordMiss miss -> {
                switch (miss) {
                    case VARIANT, SCHEMA -> counts.add(TierOutcome.MISS);
                    case POSITION -> counts.add(TierOutcome.OUTDATED);
                    case KEY -> {
                        counts.add(TierOutcome.CORRUPT);
                        from.records().swapped(place);
                    }
                    case CHECKSUM, MALFORMED -> {
                        counts.add(TierOutcome.CORRUPT);
                        from.records().corrupt(place);
                    }
                }
                yield null;
            }
        };
    }

    private static TierOutcome outcome(SharedRecords.Answer answer) {
        return switch (answer) {
            case SharedRecords.None(var reason) ->
                    switch (reason) {
                        case CLOSED, FULL -> TierOutcome.REFUSED;
                        case TIMEOUT -> TierOutcome.TIMEOUT;
                        case ERROR -> TierOutcome.ERROR;
                    };
            default -> TierOutcome.MISS;
        };
    }

    /**
     * Returns the lease that a fetch needs before it goes to the origin; null if it needs none. A
     * client, or the operator, may want a fresh response validated: then that of another proxy does
     * not serve.
     *
     * @param validated what it validates
     */
    @Nullable SharedLease lease(FetchOrder order, SharedLease.Validated validated) {
        var stale = validated.stale();
        var from = use;
        var storage = order.rules().storage();
        if (from == null
                || storage == null
                || order.sharing() != FetchOrder.Sharing.COALESCED
                || (stale != null && stale.freshness().isFreshAt(time.now()))
                || !order.takesStored()
                || validatesHits()
                || hasJustBeenLate()
                || !from.isUsable()) {
            return null;
        }
        var key = RecordKey.of(order.key(), storage);
        var wanted = new RecordCodec.Wanted(key, order.request(), order.rules().parsing());
        var lease =
                new SharedLease(
                        from,
                        key.hash(),
                        order.loop(),
                        validated,
                        new LeaseReader(this, from, wanted));
        joinable.put(order.key(), lease);
        return lease;
    }

    /** Whether {@code response} is a hit that needs no validation. */
    boolean isHit(StoredResponse response) {
        var freshness = response.freshness();
        return freshness.isFreshAt(time.now()) && !freshness.validateAlways() && !validatesHits();
    }

    private boolean hasJustBeenLate() {
        var late = lateTicks;
        return late != null && time.ticks() - late < ONE_WAIT.toNanos();
    }

    /**
     * Writes {@code response}, which was just stored, or is only held; otherwise removes what it
     * would replace. Ends {@code lease}.
     *
     * @param rules of its route
     * @param begun the newest entry of the invalidations when its fetch began
     * @return whether it will be written, or was found there
     */
    boolean offer(
            StoredResponse response,
            RouteCacheRules rules,
            long begun,
            @Nullable SharedLease lease) {
        var to = use;
        var storage = rules.storage();
        if (to == null || storage == null) {
            return false;
        }
        if (lease != null && lease.hasFound(response)) {
            return true;
        }
        var key = RecordKey.of(response.key(), storage);
        if (isWanted(response, to)) {
            if (writer.write(response, key, begun, lease)) {
                return true;
            }
            counts.add(TierWrite.DROPPED);
            end(lease, SharedRecords.Ending.NONE);
        } else {
            counts.add(TierWrite.REFUSED);
            end(lease, SharedRecords.Ending.UNCACHEABLE);
        }
        removals.replace(to, response, key.hash());
        return false;
    }

    private boolean isWanted(StoredResponse response, Use to) {
        var lifetime = response.freshness().remainingAt(time.now());
        return RecordCodec.mayBeWritten(response)
                && lifetime.compareTo(to.terms().minLifetime()) >= 0
                && response.length() <= to.records().maxRecordBytes()
                && !response.head().fields().contains("Set-Cookie");
    }

    /** Ends {@code lease}, if there is one. */
    static void end(@Nullable SharedLease lease, SharedRecords.Ending ending) {
        if (lease != null) {
            lease.end(ending);
        }
    }

    /**
     * Removes {@code response}, which is superseded.
     *
     * @param isReplaced whether a newer response is written in place of that of the resource
     */
    void remove(StoredResponse response, boolean isReplaced, RouteCacheRules rules) {
        var from = use;
        var storage = rules.storage();
        if (from == null || storage == null) {
            return;
        }
        var hash = RecordKey.of(response.key(), storage).hash();
        if (isReplaced) {
            removals.removeVariant(from, response, hash);
        } else {
            removals.outdate(from, response, hash);
        }
    }

    /** Removes the response to {@code request}, which a newer one outdates that is not stored. */
    void outdate(CacheKey resource, SentRequest request, RouteCacheRules rules) {
        var from = use;
        var storage = rules.storage();
        if (from == null || storage == null) {
            return;
        }
        removals.outdate(from, request, RecordKey.of(resource, storage).hash());
    }

    /**
     * Removes the record of {@code resource} after an unsafe request (RFC 9111 §4.4), for a store
     * whose proxies do not tell each other. Of a response with {@code Vary} that is the list of its
     * variants. Returns false if the store cannot be asked.
     */
    public boolean invalidate(CacheKey resource, RouteCacheRules rules) {
        var from = use;
        var storage = rules.storage();
        if (storage == null) {
            return true;
        }
        var hash = RecordKey.of(resource, storage).hash();
        specs.invalidate(hash);
        return from != null
                && from.isUsable()
                && from.records().drop(new SharedRecords.Place(hash, null));
    }
}
