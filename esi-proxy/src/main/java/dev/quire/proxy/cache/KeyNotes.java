package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import java.util.function.ToLongFunction;

/**
 * Limits notes about keys by their size in memory: clients choose the keys, which may be as long as
 * a request line and its fields.
 */
final class KeyNotes {
    /** Some 25,000 notes of keys with 100 characters. */
    static final long MAX_BYTES = 8 << 20;

    private KeyNotes() {}

    /** Returns a builder of small notes, of at most {@value #MAX_BYTES} bytes with their keys. */
    static Caffeine<CacheKey, Object> builder() {
        return builder(note -> 0);
    }

    /**
     * Returns a builder of notes of at most {@value #MAX_BYTES} bytes.
     *
     * @param noteBytes the size of a note without its key
     */
    static <V> Caffeine<CacheKey, V> builder(ToLongFunction<? super V> noteBytes) {
        return Caffeine.newBuilder()
                .maximumWeight(MAX_BYTES)
                .<CacheKey, V>weigher(
                        (key, note) -> (int) (Footprint.key(key) + noteBytes.applyAsLong(note)))
                .executor(Runnable::run);
    }
}
