package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;

/**
 * Limits notes about keys by their size in memory: clients choose the keys, which may be as long as
 * a request line and its fields.
 */
final class KeyNotes {
    /** Some 25,000 notes of keys with 100 characters. */
    static final long MAX_BYTES = 8 << 20;

    private KeyNotes() {}

    /** Returns a builder of notes of at most {@value #MAX_BYTES} bytes. */
    static Caffeine<CacheKey, Object> builder() {
        return Caffeine.newBuilder()
                .maximumWeight(MAX_BYTES)
                .<CacheKey, Object>weigher((key, note) -> (int) Footprint.key(key))
                .executor(Runnable::run);
    }
}
