package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * Notes which pages contain inline fragments that no origin serves ({@code <esi:inline
 * fetchable="no">}). Thread-safe; beyond the limit some notes are evicted.
 */
final class InlineOwners {
    private static final long MAX_NOTES = 10_000;

    private final Cache<CacheKey, CacheKey> containingPages =
            Caffeine.newBuilder().maximumSize(MAX_NOTES).executor(Runnable::run).build();

    /** The page that contains {@code key} inline, or null. */
    @Nullable CacheKey of(CacheKey key) {
        return containingPages.getIfPresent(key);
    }

    void note(CacheKey key, CacheKey containingPage) {
        containingPages.put(key, containingPage);
    }

    void forget(CacheKey key) {
        containingPages.invalidate(key);
    }
}
