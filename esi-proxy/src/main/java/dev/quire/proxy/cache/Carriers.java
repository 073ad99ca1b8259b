package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * Notes of which pages bring along what no origin can be asked for ({@code <esi:inline
 * fetchable="no">}). Safe for all threads; what is noted least lately goes first.
 */
final class Carriers {
    private static final long MAX_NOTES = 10_000;

    private final Cache<CacheKey, CacheKey> carriers =
            Caffeine.newBuilder().maximumSize(MAX_NOTES).executor(Runnable::run).build();

    /** The page that brings {@code key} along, null if none is known. */
    @Nullable CacheKey of(CacheKey key) {
        return carriers.getIfPresent(key);
    }

    void note(CacheKey key, CacheKey carrier) {
        carriers.put(key, carrier);
    }

    void forget(CacheKey key) {
        carriers.invalidate(key);
    }
}
