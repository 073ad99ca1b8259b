package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The store: responses by key, weighed in bytes, expiring by key. Thread-safe; a purge locks out
 * storing for a moment.
 */
public final class PageStore {

    /** How long a response with a validator is stored after it is usable only with validation. */
    private static final Duration VALIDATION_WINDOW = Duration.ofHours(1);

    private final Cache<CacheKey, Variants> cache;
    private final InFlightBudget transit;
    private final Supplier<Instant> now;
    private final Invalidations invalidations;
    private final HeldResponses held;
    private final InlineOwners inlines = new InlineOwners();
    private final HintNotes hints;
    private final KeysOfUrls keyed = new KeysOfUrls();
    private final LongAdder evictions = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** Whether there is memory for any response. */
    private volatile boolean hasMemory;

    private volatile boolean hasDisk;
    private volatile boolean hasSharedTier;

    /** Null if every response is admitted. */
    private volatile @Nullable SizeGate gate;

    /**
     * Creates a store that admits every response.
     *
     * @param maxBytes the limit of all stored responses
     * @param transit accounts for evicted responses that readers still hold
     * @param now monotonic
     */
    public PageStore(long maxBytes, InFlightBudget transit, Supplier<Instant> now) {
        this(maxBytes, false, transit, now, () -> nanos(now.get()));
    }

    /**
     * @param isBySize whether large responses must be requested more often than others to be
     *     admitted, once the store is full
     * @param ticks the same clock in nanoseconds since an arbitrary origin; read by each lookup
     */
    public PageStore(
            long maxBytes,
            boolean isBySize,
            InFlightBudget transit,
            Supplier<Instant> now,
            Ticks ticks) {
        this(maxBytes, isBySize, transit, now, ticks, Invalidations.empty(now));
    }

    /** Creates a store with the invalidations of another process. */
    public PageStore(
            long maxBytes,
            boolean isBySize,
            InFlightBudget transit,
            Supplier<Instant> now,
            Ticks ticks,
            Invalidations invalidations) {
        this.transit = transit;
        this.now = now;
        this.invalidations = invalidations;
        this.held = new HeldResponses(transit);
        this.hints = new HintNotes(invalidations, ticks);
        this.cache =
                Caffeine.newBuilder()
                        .maximumWeight(maxBytes)
                        .<CacheKey, Variants>weigher((key, variants) ->
                                (int)
                                        Math.min(
                                                Integer.MAX_VALUE,
                                                variants.weightBytes() + Footprint.entry(key)))
                        .expireAfter(
                                Expiry.writing(
                                        (CacheKey key, Variants variants) -> keepFor(variants)))
                        .ticker(ticks::nanos)
                        .executor(Runnable::run)
                        .removalListener(this::removed)
                        .build();
        limit(maxBytes, isBySize);
    }

    /** A clock in nanoseconds. */
    public interface Ticks {
        long nanos();
    }

    /**
     * Returns the response that matches {@code request}, fresh or stale, or null; the caller owns
     * one reference.
     */
    public @Nullable StoredResponse find(CacheKey key, VariantRequest request) {
        var variants = cache.getIfPresent(key);
        var match = variants == null ? null : variants.match(request);
        if (match == null) {
            return held(key, request);
        }
        if (!match.tryRetain()) {
            // Replaced or dropped since the lookup: the store releases it only after that.
            return find(key, request);
        }
        if (invalidations.isUsable(match)) {
            return match;
        }
        match.release();
        change(key, response -> response == match ? invalidations.applied(match) : response);
        return find(key, request);
    }

    private @Nullable StoredResponse held(CacheKey key, VariantRequest request) {
        var match = held.find(key, request);
        if (match == null || invalidations.isUsable(match)) {
            return match;
        }
        // A hidden one stays: an older one that a lower tier has must not take its place.
        boolean isHidden = InvalidationEffect.isHidden(match, invalidations);
        var applied = isHidden ? null : invalidations.applied(match);
        if (applied != match) {
            match.release();
        }
        return applied;
    }

    /** The responses that readers find beside those in memory. */
    HeldResponses held() {
        return held;
    }

    /** Whether there is a tier below the memory. */
    boolean hasLowerTier() {
        return hasDisk || hasSharedTier;
    }

    void hasDisk(boolean now) {
        hasDisk = now;
    }

    void hasSharedTier(boolean now) {
        hasSharedTier = now;
    }

    /** Whether it may keep responses. */
    boolean hasMemory() {
        return hasMemory;
    }

    /**
     * Lets readers find {@code response}, which a lower tier had; takes over the reference. Stores
     * it if the store admits it.
     *
     * @param asked returns the URL before rules changed it
     * @param route of its resource
     */
    HeldResponses.Hold found(StoredResponse response, UnaryOperator<CacheKey> asked, String route) {
        var hold = held.held(response);
        if (!hold.isReplaced()) {
            promote(response);
            inlines.note(response, asked, route);
        }
        return hold;
    }

    /** A newer one is not replaced. */
    private void promote(StoredResponse response) {
        if (!admits(response)) {
            // Requests would use older ones in its place.
            change(response.key(), each -> Variants.replacesBelow(response, each) ? null : each);
            return;
        }
        keyed.add(response.key());
        cache.asMap()
                .compute(
                        response.key(),
                        (key, before) ->
                                held.hasNewerThan(response)
                                        ? before
                                        : Variants.with(before, response));
        // Its removal may have been noted in between, or it is not stored.
        keyed.add(response.key());
        keyed.forget(response.key(), cache.asMap()::containsKey);
    }

    /**
     * Returns {@code response} in another form: the cached one, or else the result of {@code
     * maker}, which is cached if the response is stored. Takes over the caller's reference of
     * {@code response}, and the caller owns one of the result. Returns null if there is no such
     * form; then the caller keeps its reference.
     */
    public @Nullable StoredResponse inForm(
            StoredResponse response, DerivedForm form, DerivedForm.Maker maker) {
        return response.in(form, maker, this::weighAnew);
    }

    /**
     * Returns {@code response} without its content coding. Takes over the caller's reference, and
     * the caller owns one of the result. Returns null if it cannot be decoded; then the caller
     * keeps its reference.
     */
    public @Nullable StoredResponse decoded(StoredResponse response, long mostBytes) {
        return inForm(
                response,
                DerivedForm.Whole.DECODED,
                coded -> {
                    var bytes = DecodedBody.of(coded, mostBytes);
                    return bytes == null ? null : new DerivedForm.Content(bytes, null);
                });
    }

    /** Updates the weight of {@code response}, or of the response that it is a form of. */
    void weighsMore(StoredResponse response) {
        weighAnew(response.root());
    }

    private void weighAnew(StoredResponse response) {
        cache.asMap().computeIfPresent(response.key(), (key, variants) -> variants);
    }

    /** Whether anything is stored under {@code key}, for any variant. */
    public boolean hasVariants(CacheKey key) {
        return usable(key) != null;
    }

    /** Counts a request for {@code key}, whatever it was answered with. */
    public void requested(CacheKey key) {
        var gate = this.gate;
        if (gate != null) {
            gate.requested(key);
        }
    }

    /**
     * Whether {@code response} may be stored. A full store refuses new entries, and further
     * variants of an entry, that are too large for the number of requests for their key; what
     * replaces a stored response is always admitted. A store without memory admits nothing, and
     * does not count that as refused.
     */
    boolean admits(StoredResponse response) {
        if (!hasMemory) {
            return false;
        }
        var gate = this.gate;
        if (gate == null) {
            return true;
        }
        var key = response.key();
        var before = cache.policy().getIfPresentQuietly(key);
        if (before != null && before.count(each -> each.isSameVariant(response)) > 0) {
            return true;
        }
        long entryBytes =
                response.weightBytes()
                        + (before == null ? Footprint.entry(key) : before.weightBytes());
        if (gate.admits(key, entryBytes, weightBytes(), size())) {
            return true;
        }
        refused.increment();
        return false;
    }

    /**
     * Stores {@code response}, taking its own references. Returns false if an invalidation since
     * {@code fetch} began covers it.
     *
     * @param renewed the stored response that was validated, or null
     * @param asked the request whose response has links to remember; null to remember none
     */
    boolean put(
            StoredResponse response,
            @Nullable StoredResponse renewed,
            OrderedFetch fetch,
            @Nullable RequestHead asked) {
        // An invalidation after this test applies on lookup.
        if (!invalidations.isUsable(response, renewed, fetch)) {
            return false;
        }
        // Hidden ones must not keep it out.
        usable(response.key());
        keyed.add(response.key());
        var isCovered = new AtomicBoolean();
        cache.asMap()
                .compute(
                        response.key(),
                        (key, before) -> {
                            // A response that was stored since must not give way to a hidden one.
                            isCovered.set(!invalidations.isUsable(response));
                            return isCovered.get() ? before : Variants.with(before, response);
                        });
        if (isCovered.get()) {
            keyed.forget(response.key(), cache.asMap()::containsKey);
            return false;
        }
        // Its removal may have been noted in between.
        keyed.add(response.key());
        held.drop(response.key(), each -> Variants.replaces(response, each));
        if (asked != null) {
            hints.note(response, asked);
        }
        return true;
    }

    /** Whether there is a newer response than {@code response} that replaces it in lower tiers. */
    boolean hasNewerThan(StoredResponse response) {
        var stored = cache.policy().getIfPresentQuietly(response.key());
        return held.hasNewerThan(response) || (stored != null && stored.hasNewerThan(response));
    }

    /** Returns {@code source}, a stamped document, without its stamps; references pass on. */
    public StoredResponse unstamped(StoredResponse source) {
        var unstamped = inForm(source, DerivedForm.Whole.UNSTAMPED, StoredResponse::unstamped);
        if (unstamped == null) {
            throw new IllegalStateException("removing stamps returned no result");
        }
        return unstamped;
    }

    /** The remembered links of stored responses. */
    public HintNotes hints() {
        return hints;
    }

    /** The invalidations that apply to the responses. */
    public Invalidations invalidations() {
        return invalidations;
    }

    /** The notes on inline documents of stored pages. */
    public InlineOwners inlines() {
        return inlines;
    }

    /** Drops {@code written}, which a lower tier has, and older ones that would be used instead. */
    void drop(StoredResponse written) {
        change(written.key(), each -> Variants.leavesWith(written, each) ? null : each);
    }

    /** Drops {@code stale}, which a newer response supersedes, and copies of it. */
    void supersede(StoredResponse stale) {
        change(stale.key(), response -> Variants.areOne(response, stale) ? null : response);
        held.drop(stale.key(), response -> Variants.areOne(response, stale));
    }

    /**
     * Drops all variants of the URL of {@code key} after an unsafe method succeeded (RFC 9111
     * §4.4). Does not walk through the store, so it may run on event loops.
     *
     * @param cause the unsafe request, whose own response may still be stored; null if that is not
     *     for this URL
     */
    public void invalidate(CacheKey key, @Nullable RequestHead cause) {
        invalidations.invalidate(key, cause);
        keyed.of(key).forEach(this::usable);
    }

    /**
     * Purges with effect from the next request, and counts the responses. Walks through the store
     * unless the purge names only URLs: such a purge may run on event loops.
     *
     * @param soft makes the responses stale, keeping their grace, instead of dropping them
     */
    public Covered purge(Purge purge, boolean soft) {
        var covered = invalidations.purge(purge, soft, false);
        candidates(purge).forEach(this::usable);
        return covered.get();
    }

    /**
     * Purges with effect from the next request, without a walk through the store. Later a sweep
     * drops the responses that no request has found.
     */
    public void purgeUncounted(Purge purge, boolean soft) {
        if (purge.isOfUrls()) {
            purge(purge, soft);
        } else {
            invalidations.purge(purge, soft, true);
        }
    }

    /** How many responses {@code purge} would cover. */
    public Covered count(Purge purge) {
        var all = new Covered[] {Covered.NOTHING};
        for (var key : candidates(purge)) {
            visit(key, response -> all[0] = all[0].and(purge.covered(response)));
        }
        return all[0];
    }

    /** Returns the keys under which {@code purge} may cover responses. */
    private Collection<CacheKey> candidates(Purge purge) {
        return purge.isOfUrls()
                ? purge.keys().stream().flatMap(key -> keyed.of(key).stream()).toList()
                : cache.asMap().keySet();
    }

    /** How many responses a ban on {@code condition} would hide. */
    public long count(BanCondition condition) {
        var since = now.get();
        var count = new LongAdder();
        forEach(response -> count.add(condition.covers(BanSubject.of(response), since) ? 1 : 0));
        return count.sum();
    }

    /** Called during a long walk, to let others run. */
    interface Pause {
        void pause() throws InterruptedException;
    }

    /**
     * Drops all hidden responses, and completes the invalidations that everything was tested
     * against. Long: not for event loops.
     *
     * @param keysAtATime how many keys to visit between two rests
     */
    void sweep(int keysAtATime, Pause pause) throws InterruptedException {
        // Before the walk: a fetch that ends during it may store behind the current position.
        long tested = invalidations.beforeAllFetches();
        int keys = 0;
        for (var key : cache.asMap().keySet()) {
            usable(key);
            keys++;
            if (keys % keysAtATime == 0) {
                pause.pause();
            }
        }
        held.forEach(invalidations::isUsable);
        hints.sweep();
        invalidations.complete(tested);
    }

    /** Passes every stored response to {@code visitor}, which must not keep it. */
    public void forEach(Consumer<StoredResponse> visitor) {
        for (var key : cache.asMap().keySet()) {
            visit(key, visitor);
        }
    }

    /**
     * Passes the responses stored for the URL of {@code key} to {@code visitor}, which must not
     * keep them.
     */
    public void forEachVariant(CacheKey key, Consumer<StoredResponse> visitor) {
        for (var each : keyed.of(key)) {
            visit(each, visitor);
        }
    }

    /** The number of keys. */
    public long size() {
        return cache.estimatedSize();
    }

    public long weightBytes() {
        return eviction().weightedSize().orElse(0);
    }

    /**
     * Changes the limit of all stored responses, and evicts what exceeds it.
     *
     * @param isBySize as for the constructor
     */
    public void limit(long maxBytes, boolean isBySize) {
        hasMemory = maxBytes > 0;
        var next = isBySize && maxBytes > 0 ? gateFor(maxBytes) : null;
        gate = next;
        eviction().setMaximum(next == null ? maxBytes : next.maxBytes());
    }

    private SizeGate gateFor(long maxBytes) {
        var gate = this.gate;
        return gate != null && gate.isFor(maxBytes) ? gate : new SizeGate(maxBytes);
    }

    private Policy.Eviction<CacheKey, Variants> eviction() {
        return cache.policy()
                .eviction()
                .orElseThrow(() -> new IllegalStateException("the store has no size limit"));
    }

    /** The number of keys evicted for lack of space. */
    public long evictions() {
        return evictions.sum();
    }

    /** The number of responses refused because of their size while the store was full. */
    public long refused() {
        return refused.sum();
    }

    /** Drops everything. */
    public void close() {
        cache.invalidateAll();
        cache.cleanUp();
        held.clear();
    }

    private void visit(CacheKey key, Consumer<StoredResponse> visitor) {
        var variants = usable(key);
        if (variants != null) {
            variants.forEach(response -> {
                if (response.tryRetain()) {
                    try {
                        visitor.accept(response);
                    } finally {
                        response.release();
                    }
                }
            });
        }
    }

    /**
     * Applies the invalidations so far to the responses under {@code key}. Returns the remaining
     * ones, not retained, or null if none are left.
     */
    private @Nullable Variants usable(CacheKey key) {
        var variants = cache.policy().getIfPresentQuietly(key);
        return variants == null || variants.areAll(invalidations::isUsable)
                ? variants
                : change(key, invalidations::applied);
    }

    private @Nullable Variants change(
            CacheKey key, Function<StoredResponse, @Nullable StoredResponse> change) {
        return cache.asMap().computeIfPresent(key, (same, variants) -> variants.changed(change));
    }

    private void removed(@Nullable CacheKey key, @Nullable Variants variants, RemovalCause cause) {
        if (variants != null) {
            variants.release(transit);
        }
        if (key != null && cause != RemovalCause.REPLACED) {
            keyed.forget(key, cache.asMap()::containsKey);
        }
        if (cause == RemovalCause.SIZE) {
            evictions.increment();
        }
    }

    private Duration keepFor(Variants variants) {
        Instant moment = now.get();
        return variants.keepFor(response -> keepFor(response, moment));
    }

    private static Duration keepFor(StoredResponse response, Instant moment) {
        return keepFor(response.freshness(), response.hasValidator(), moment);
    }

    /**
     * Applies the invalidations to {@code response}, which was read from a lower tier; takes over
     * the reference, and the caller owns one of the result. Returns null if it is of no more use.
     */
    @Nullable StoredResponse useful(StoredResponse response) {
        var applied = invalidations.applied(response);
        if (applied != response) {
            response.release();
        }
        if (applied == null || keepFor(applied).isPositive()) {
            return applied;
        }
        applied.release();
        return null;
    }

    /** How long {@code response} can be of use; not positive if it cannot any more. */
    Duration keepFor(StoredResponse response) {
        return keepFor(response, now.get());
    }

    static Duration keepFor(Freshness freshness, boolean hasValidator, Instant moment) {
        var keep = Duration.between(moment, freshness.uselessAfter());
        return hasValidator ? keep.plus(VALIDATION_WINDOW) : keep;
    }

    static long nanos(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
