package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Notes of keys whose last answer could not be stored, so that requests for them do not queue
 * behind one another.
 */
public final class HitForMiss {
    private static final long MAX_NOTES = 100_000;

    private final Cache<CacheKey, Boolean> notes;

    /**
     * @param keep how long a note stands
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

    /** Whether the last answer for {@code key} could not be stored. */
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
