package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses, weighed in bytes, each for its own time. Safe for all threads; nothing in
 * it waits.
 */
public final class PageStore {

    /** How long a response that can be validated is kept past its last use as it is. */
    private static final Duration VALIDATION_WINDOW = Duration.ofHours(1);

    private final Cache<CacheKey, Variants> cache;
    private final Transit transit;
    private final Supplier<Instant> now;
    private final BanList bans;
    private final GroupInvalidations groups = new GroupInvalidations();
    private final PurgeLog purges;
    private final Carriers carriers = new Carriers();
    private final LongAdder evictions = new LongAdder();

    /**
     * @param maxBytes all it may keep
     * @param transit counts what has left the store while readers still hold it
     * @param now monotonic
     */
    public PageStore(long maxBytes, Transit transit, Supplier<Instant> now) {
        this(maxBytes, transit, now, () -> nanos(now.get()));
    }

    /**
     * @param ticks the same clock in nanoseconds from any beginning; asked for with every look-up
     */
    public PageStore(long maxBytes, Transit transit, Supplier<Instant> now, Ticks ticks) {
        this.transit = transit;
        this.now = now;
        this.bans = new BanList(now);
        this.purges = new PurgeLog(bans, groups);
        this.cache =
                Caffeine.newBuilder()
                        .maximumWeight(maxBytes)
                        .<CacheKey, Variants>weigher((key, variants) ->
                                (int)
                                        Math.min(
                                                Integer.MAX_VALUE,
                                                variants.weightBytes()
                                                        + Footprint.KEY_BYTES
                                                        + key.authority().length()
                                                        + Footprint.string(key.target())))
                        .expireAfter(
                                Expiry.writing(
                                        (CacheKey key, Variants variants) -> keepFor(variants)))
                        .ticker(ticks::nanos)
                        .executor(Runnable::run)
                        .removalListener(this::removed)
                        .build();
    }

    /** A clock in nanoseconds. */
    public interface Ticks {
        long nanos();
    }

    /** The response that answers {@code request}, fresh or stale; the caller owns one reference. */
    public @Nullable StoredResponse find(CacheKey key, RequestHead request) {
        var variants = cache.getIfPresent(key);
        if (variants == null) {
            return null;
        }
        var match = variants.match(request);
        if (match == null) {
            return null;
        }
        if (!match.tryRetain()) {
            // Replaced or dropped since the look-up: the store lets go of it after that.
            return find(key, request);
        }
        if (!isHidden(match)) {
            return match;
        }
        match.release();
        drop(key, response -> response == match);
        return find(key, request);
    }

    /**
     * {@code response} in another form: the one that is kept with it, or else what {@code maker}
     * makes, which is kept from now on if the response is stored. Takes over the caller's reference
     * of {@code response}, who owns one of the result; null if there is no such form, and then the
     * caller's reference remains his.
     */
    public @Nullable StoredResponse inForm(StoredResponse response, Form form, Form.Maker maker) {
        return response.in(form, maker, this::weighAnew);
    }

    /**
     * {@code response} without its content coding. Takes over the caller's reference, who owns one
     * of the result; null if it cannot be undone, and then the caller's reference remains his.
     */
    public @Nullable StoredResponse decoded(StoredResponse response, long mostBytes) {
        return inForm(
                response,
                Form.Whole.DECODED,
                coded -> {
                    var bytes = Inflating.decoded(coded, mostBytes);
                    return bytes == null ? null : new Form.Shape(bytes, null);
                });
    }

    /** More is kept with {@code response}, or with what it is a form of. */
    void weighsMore(StoredResponse response) {
        weighAnew(response.root());
    }

    /** A stored response has come to weigh more. */
    private void weighAnew(StoredResponse response) {
        cache.asMap().computeIfPresent(response.key(), (key, variants) -> variants);
    }

    /** Whether anything is stored under {@code key}, for whatever selecting fields. */
    public boolean hasVariants(CacheKey key) {
        return cache.getIfPresent(key) != null;
    }

    /** A fetch for {@code request} begins whose answer may be stored. */
    PurgeLog.Epoch fetchBegins(RequestHead request) {
        return purges.open(request);
    }

    void fetchEnded(PurgeLog.Epoch epoch) {
        purges.close(epoch);
    }

    /** How many fetches are under way whose answers may be stored. */
    public int openFetches() {
        return purges.open();
    }

    /**
     * Stores {@code response}, taking references of its own; false if a purge, a ban or an
     * invalidation since {@code epoch} forbids it.
     */
    boolean put(StoredResponse response, PurgeLog.Epoch epoch) {
        testedBefore(response, epoch);
        // A ban that is made after this look is met when the response is asked for.
        if (isHidden(response)) {
            return false;
        }
        return purges.unlessPurged(
                epoch,
                response,
                () -> {
                    cache.asMap()
                            .compute(
                                    response.key(),
                                    (key, before) -> Variants.with(before, response));
                    return true;
                });
    }

    /**
     * Stores what {@code page}, which is stored, brings along, each document under its own name.
     *
     * @param heads renders their heads
     */
    void putInlines(StoredResponse page, PurgeLog.Epoch epoch, HeadBytes heads) {
        var compiled = page.compiled();
        if (compiled == null) {
            return;
        }
        for (var inline : compiled.inlines()) {
            var document = page.bringing(inline, heads);
            put(document, epoch);
            document.release();
            if (inline.isFetchable()) {
                carriers.forget(inline.key());
            } else {
                carriers.note(inline.key(), page.key());
            }
        }
    }

    /** {@code source}, a stamped document as it came, without its stamps; references pass on. */
    public StoredResponse unstamped(StoredResponse source) {
        var unstamped = inForm(source, Form.Whole.UNSTAMPED, StoredResponse::unstamped);
        if (unstamped == null) {
            throw new IllegalStateException("removing stamps returned no result");
        }
        return unstamped;
    }

    /** The page that brings {@code key} along, which no origin can be asked for; else null. */
    public @Nullable CacheKey carrierOf(CacheKey key) {
        return carriers.of(key);
    }

    /** The page that was thought to bring {@code key} along does not. */
    public void forgetCarrierOf(CacheKey key) {
        carriers.forget(key);
    }

    /**
     * Whether a purge, a ban or an invalidation since {@code epoch} covers {@code response}, which
     * is not stored.
     */
    boolean isPurged(StoredResponse response, PurgeLog.Epoch epoch) {
        testedBefore(response, epoch);
        return isHidden(response) || !purges.unlessPurged(epoch, response, () -> true);
    }

    /** A newer answer could not be stored: the one it supersedes goes, if it is stale. */
    void supersede(StoredResponse stale) {
        drop(stale.key(), response -> response == stale);
    }

    /**
     * Drops all variants of {@code key} and what they brought along: an unsafe method succeeded
     * there (RFC 9111 §4.4). Walks nothing, so event loops may do it.
     *
     * @param cause the unsafe request, whose own answer may be stored all the same
     */
    public void invalidate(CacheKey key, RequestHead cause) {
        var purge = Purge.of(key);
        purges.enter(purge, cause);
        var variants = cache.getIfPresent(key);
        if (variants == null) {
            return;
        }
        drop(key, purge::covers);
        variants.forEach(response -> {
            var page = response.compiled();
            if (page != null) {
                page.inlines().forEach(inline -> drop(inline.key(), purge::covers));
            }
        });
    }

    /**
     * Hides all responses in any of the groups called one of {@code names}, of the origin that
     * {@code key} is of, stored now or on their way: an unsafe method succeeded there that said so
     * (RFC 9875 §3). Walks nothing, so event loops may do it.
     */
    public void invalidateGroups(CacheKey key, Set<String> names) {
        groups.add(key, names);
    }

    /**
     * Purges, so that the next request already sees it. Walks through the store.
     *
     * @param soft makes stale what is covered, keeping its grace, instead of dropping it
     */
    public Covered purge(Purge purge, boolean soft) {
        purges.enter(purge, null);
        var all = Covered.NOTHING;
        for (var entry : cache.asMap().entrySet()) {
            var covered = covered(entry.getValue(), purge);
            if (covered.all() > 0) {
                all = all.and(covered);
                if (soft) {
                    expire(entry.getKey(), purge);
                } else {
                    drop(entry.getKey(), purge::covers);
                }
            }
        }
        return all;
    }

    /** How many responses {@code purge} would cover. */
    public Covered count(Purge purge) {
        var all = Covered.NOTHING;
        for (var variants : cache.asMap().values()) {
            all = all.and(covered(variants, purge));
        }
        return all;
    }

    /**
     * Hides all that meets {@code condition} and is stored now or on its way, from the very next
     * request on.
     *
     * @return its number, or nothing if there are too many bans
     */
    public OptionalLong ban(BanCondition condition) {
        return bans.add(condition);
    }

    /** How many responses a ban on {@code condition} would hide. */
    public long count(BanCondition condition) {
        var since = now.get();
        return count(response -> condition.covers(response, since) && !isHidden(response));
    }

    /** Takes a ban back: what it has hidden stays hidden. False if it does not stand. */
    public boolean liftBan(long number) {
        return bans.lift(number);
    }

    /** The bans that stand and the last completed ones, newest first. */
    public List<Ban> bans() {
        return bans.all();
    }

    /** How many bans stand. */
    public int standingBans() {
        return bans.count();
    }

    /** How many responses bans have hidden. */
    public long hiddenByBans() {
        return bans.hidden();
    }

    /** What a long walk does now and then, to leave room for others. */
    interface Rest {
        void rest() throws InterruptedException;
    }

    /**
     * Drops all that is hidden, and completes the bans that nothing is left for. Long work: not for
     * event loops.
     *
     * @param keysAtATime after so many it rests
     */
    void sweep(int keysAtATime, Rest rest) throws InterruptedException {
        // Before the walk: a fetch that ends meanwhile may store behind it.
        long tested = purges.banBeforeAllFetches();
        int keys = 0;
        for (var entry : cache.asMap().entrySet()) {
            if (entry.getValue().count(this::isHidden) > 0) {
                drop(entry.getKey(), this::isHidden);
            }
            keys++;
            if (keys % keysAtATime == 0) {
                rest.rest();
            }
        }
        bans.complete(tested);
    }

    /** Hands every stored response to {@code visitor}, who must not keep it. */
    public void forEach(Consumer<StoredResponse> visitor) {
        for (var variants : cache.asMap().values()) {
            visit(variants, visitor);
        }
    }

    /** Hands the responses stored under {@code key} to {@code visitor}, who must not keep them. */
    public void forEachVariant(CacheKey key, Consumer<StoredResponse> visitor) {
        var variants = cache.getIfPresent(key);
        if (variants != null) {
            visit(variants, visitor);
        }
    }

    /** How many keys something is stored under. */
    public long size() {
        return cache.estimatedSize();
    }

    /** The bytes of all that is stored. */
    public long weightBytes() {
        return cache.policy()
                .eviction()
                .orElseThrow(() -> new IllegalStateException("the store has no size limit"))
                .weightedSize()
                .orElse(0);
    }

    /** How many keys went because there was no room. */
    public long evictions() {
        return evictions.sum();
    }

    /** Drops everything. */
    public void close() {
        cache.invalidateAll();
        cache.cleanUp();
    }

    /** What is hidden is there no more. */
    private Covered covered(Variants variants, Purge purge) {
        var all = new Covered[] {Covered.NOTHING};
        variants.forEach(response -> {
            var covered = purge.covered(response);
            if (covered.all() > 0 && !isHidden(response)) {
                all[0] = all[0].and(covered);
            }
        });
        return all[0];
    }

    private long count(Predicate<StoredResponse> condition) {
        return cache.asMap().values().stream()
                .mapToLong(variants -> variants.count(condition))
                .sum();
    }

    private void visit(Variants variants, Consumer<StoredResponse> visitor) {
        variants.forEach(response -> {
            if (response.tryRetain()) {
                try {
                    if (!isHidden(response)) {
                        visitor.accept(response);
                    }
                } finally {
                    response.release();
                }
            }
        });
    }

    /** Whether it may not be used any more, though it is still there. */
    private boolean isHidden(StoredResponse response) {
        return bans.hides(response) || groups.hides(response);
    }

    /** What came before the fetch of {@code response} began cannot hide it. */
    private static void testedBefore(StoredResponse response, PurgeLog.Epoch epoch) {
        if (epoch.ban() > 0) {
            response.marks().passed(epoch.ban());
        }
        if (epoch.groups() > 0 && !response.groups().isEmpty()) {
            response.marks().groupsTested(epoch.groups());
        }
    }

    private void drop(CacheKey key, Predicate<StoredResponse> dropped) {
        cache.asMap().computeIfPresent(key, (same, variants) -> without(variants, dropped));
    }

    private static @Nullable Variants without(
            Variants variants, Predicate<StoredResponse> dropped) {
        return variants.count(dropped) == 0 ? variants : variants.without(dropped);
    }

    private void expire(CacheKey key, Purge purge) {
        Instant moment = now.get();
        cache.asMap()
                .computeIfPresent(
                        key, (same, variants) -> variants.expiredAt(moment, purge::covers));
    }

    private void removed(@Nullable CacheKey key, @Nullable Variants variants, RemovalCause cause) {
        if (variants != null) {
            variants.release(transit);
        }
        if (cause == RemovalCause.SIZE) {
            evictions.increment();
        }
    }

    private Duration keepFor(Variants variants) {
        Instant moment = now.get();
        return variants.keepFor(response -> {
            var keep = Duration.between(moment, response.freshness().uselessAfter());
            return response.hasValidator() ? keep.plus(VALIDATION_WINDOW) : keep;
        });
    }

    static long nanos(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
}
