package dev.quire.test.memory;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is stored, by key and variant, and what has been noted of keys. Any thread: all of it is
 * guarded by its monitor, under which nothing waits.
 */
final class Store {
    /*
     * A fetch carries the number of purges as it stood when it began; what it brings is not stored
     * if a purge since then covers it. Purges are remembered while fetches are under way.
     */
    private static final int MAX_VARIANTS = 64;

    /** How much longer than it is of use by itself something is kept that can be validated. */
    private static final Duration VALIDATION_WINDOW = Duration.ofHours(1);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final Supplier<Instant> now;
    private final Map<CacheKey, List<Kept>> stored = new HashMap<>();
    private final Map<CacheKey, Instant> hitForMiss = new HashMap<>();
    private final Map<CacheKey, Pause> pauses = new HashMap<>();
    private final Map<CacheKey, CacheKey> carriers = new HashMap<>();
    private final ArrayDeque<Purge> purges = new ArrayDeque<>();
    private long purged;
    private int underWay;

    /** Refreshes of a key that fails are not tried again at once. */
    private record Pause(Instant end, Duration length, Instant begun) {}

    /**
     * @param cause the request that brought it about, whose own answer may be stored all the same
     */
    private record Purge(long number, Predicate<Kept> covers, @Nullable RequestHead cause) {}

    /** When a fetch began, in purges. */
    record Epoch(long purged, RequestHead request) {}

    Store(Supplier<Instant> now) {
        this.now = now;
    }

    /** What is stored for {@code request} under {@code key}, fresh or not; or null. */
    synchronized @Nullable Kept find(CacheKey key, RequestHead request) {
        dropUseless(key);
        for (var each : stored.getOrDefault(key, List.of())) {
            if (each.selecting().matches(request)) {
                return each;
            }
        }
        return null;
    }

    /** Whether anything is stored under {@code key}, for whatever selecting fields. */
    synchronized boolean hasVariants(CacheKey key) {
        dropUseless(key);
        return stored.containsKey(key);
    }

    /** Whether {@code kept} is there at this moment. */
    @SuppressWarnings("ReferenceEquality") // It and no other.
    private synchronized boolean holds(Kept kept) {
        return stored.getOrDefault(kept.key(), List.of()).stream().anyMatch(one -> one == kept);
    }

    /** How long {@code kept}, which has come by {@code way}, is kept; empty if it is not. */
    Optional<Freshness> keeps(Kept kept, Asked.Way way) {
        boolean isFromHere = way == Asked.Way.HIT || way == Asked.Way.STALE;
        return kept.isShared() && (isFromHere || holds(kept))
                ? Optional.of(kept.freshness())
                : Optional.empty();
    }

    /** A fetch for {@code request} begins whose answer may be stored. */
    synchronized Epoch fetchBegins(RequestHead request) {
        underWay++;
        return new Epoch(purged, request);
    }

    /** A fetch has ended. */
    synchronized void fetchEnded() {
        underWay--;
        if (underWay == 0) {
            purges.clear();
        }
    }

    /** Stores {@code kept}; false if a purge since {@code epoch} forbids it. */
    synchronized boolean put(Kept kept, Epoch epoch) {
        if (isPurged(kept, epoch)) {
            return false;
        }
        var before = stored.getOrDefault(kept.key(), List.of());
        if (before.stream().anyMatch(one -> isNewer(one, kept))) {
            return true;
        }
        var variants = new ArrayList<Kept>();
        for (var one : before) {
            if (variants.size() < MAX_VARIANTS - 1 && !one.selecting().equals(kept.selecting())) {
                variants.add(one);
            }
        }
        int newer = 0;
        while (newer < variants.size() && variants.get(newer).date().isAfter(kept.date())) {
            newer++;
        }
        variants.add(newer, kept);
        stored.put(kept.key(), variants);
        return true;
    }

    private static boolean isNewer(Kept one, Kept other) {
        return one.freshness().receivedAt().isAfter(other.freshness().receivedAt())
                && one.selecting().equals(other.selecting());
    }

    /** Whether a purge since {@code epoch} covers {@code kept}. */
    @SuppressWarnings("ReferenceEquality") // Another request may well look the same.
    synchronized boolean isPurged(Kept kept, Epoch epoch) {
        return purges.stream()
                .anyMatch(purge ->
                        purge.number() > epoch.purged()
                                && purge.cause() != epoch.request()
                                && purge.covers().test(kept));
    }

    /** Stores what {@code page}, which is stored, brings along, each under its own name. */
    synchronized void putInlines(Kept page, Epoch epoch) {
        var compiled = page.compiled();
        if (compiled == null) {
            return;
        }
        for (var inline : compiled.inlines()) {
            put(page.bringing(inline), epoch);
            if (inline.isFetchable()) {
                carriers.remove(inline.key());
            } else {
                carriers.put(inline.key(), page.key());
            }
        }
    }

    /** The page that brings {@code key} along, which no application can be asked for; else null. */
    synchronized @Nullable CacheKey carrierOf(CacheKey key) {
        return carriers.get(key);
    }

    /** The page that was thought to bring {@code key} along does not. */
    synchronized void forgetCarrierOf(CacheKey key) {
        carriers.remove(key);
    }

    /** A newer answer could not be stored: the one it supersedes goes. */
    @SuppressWarnings("ReferenceEquality") // It and no other.
    synchronized void supersede(Kept stale) {
        drop(stale.key(), one -> one == stale);
    }

    /**
     * Drops what {@code covers} says, now and when it comes of a fetch under way.
     *
     * @param cause null unless a request has brought it about
     */
    synchronized void purge(Predicate<Kept> covers, @Nullable RequestHead cause) {
        purged++;
        purges.add(new Purge(purged, covers, cause));
        for (var key : List.copyOf(stored.keySet())) {
            drop(key, covers);
        }
    }

    /** What is called one of {@code keys}, or was brought along by a page called so. */
    static Predicate<Kept> called(Set<CacheKey> keys) {
        return kept -> {
            var carrier = kept.origins().carrier();
            return keys.contains(kept.key()) || (carrier != null && keys.contains(carrier));
        };
    }

    synchronized void noteHitForMiss(CacheKey key) {
        hitForMiss.put(key, now.get());
    }

    synchronized void forgetHitForMiss(CacheKey key) {
        hitForMiss.remove(key);
    }

    /** Whether the last answer for {@code key} could not be stored. */
    synchronized boolean isHitForMiss(CacheKey key) {
        var noted = hitForMiss.get(key);
        return noted != null && now.get().isBefore(noted.plus(Rules.HIT_FOR_MISS));
    }

    /** A refresh of {@code key} has failed: the next waits, each time twice as long. */
    synchronized void pauseRefreshes(CacheKey key) {
        var from = now.get();
        var last = pauses.get(key);
        boolean isRecent =
                last != null && from.isBefore(last.begun().plus(LONGEST_PAUSE.multipliedBy(2)));
        var length =
                last == null || !isRecent ? FIRST_PAUSE : shorter(last.length().multipliedBy(2));
        pauses.put(key, new Pause(from.plus(length), length, from));
    }

    synchronized void endPause(CacheKey key) {
        pauses.remove(key);
    }

    synchronized boolean isPaused(CacheKey key) {
        var pause = pauses.get(key);
        return pause != null && now.get().isBefore(pause.end());
    }

    private static Duration shorter(Duration length) {
        return length.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : length;
    }

    private void dropUseless(CacheKey key) {
        var moment = now.get();
        drop(
                key,
                kept -> {
                    var until = kept.freshness().uselessAfter();
                    var last = kept.hasValidator() ? until.plus(VALIDATION_WINDOW) : until;
                    return moment.isAfter(last);
                });
    }

    private void drop(CacheKey key, Predicate<Kept> dropped) {
        var variants = stored.get(key);
        if (variants != null && variants.stream().anyMatch(dropped)) {
            var left = variants.stream().filter(dropped.negate()).toList();
            if (left.isEmpty()) {
                stored.remove(key);
            } else {
                stored.put(key, left);
            }
        }
    }
}
