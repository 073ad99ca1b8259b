package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Notes of keys whose last response was not cacheable, so that requests for them are not coalesced.
 */
public final class HitForMiss {
    private static final long MAX_NOTES = 100_000;

    private final Cache<CacheKey, Boolean> notes;

    /**
     * @param keep how long a note is kept
     * @param now monotonic
     */
    public HitForMiss(Duration keep, Supplier<Instant> now) {
        this.notes =
                Caffeine.newBuilder()
                        .maximumSize(MAX_NOTES)
                        .expireAfterWrite(keep)
                        .ticker(() -> PageStore.nanos(now.get()))
                        .executor(Runnable::run)
                        .build();
    }

    /** Whether the last response for {@code key} was not cacheable, while its note lasts. */
    public boolean isNoted(CacheKey key) {
        return notes.getIfPresent(key) != null;
    }

    void note(CacheKey key) {
        notes.put(key, Boolean.TRUE);
    }

    void forget(CacheKey key) {
        notes.invalidate(key);
    }
}
