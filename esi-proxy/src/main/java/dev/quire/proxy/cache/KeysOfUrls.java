package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored keys of each URL that have values of rules. Invalidations of the URL find them here
 * without a walk through the store. Thread-safe.
 */
final class KeysOfUrls {

    /*
     * Most URLs have one such key, and need no set for it. Others may have as many as clients send
     * values, so that adding and removing one must not depend on their number. A set is changed
     * only within an update of its URL, and read without one.
     */

    private final ConcurrentHashMap<CacheKey, Keys> byUrl = new ConcurrentHashMap<>();

    private sealed interface Keys {
        record One(CacheKey key) implements Keys {}

        record Many(Set<CacheKey> keys) implements Keys {}
    }

    /** Notes {@code key}: before it is stored, and again afterwards. */
    void add(CacheKey key) {
        if (!key.parts().isEmpty()) {
            byUrl.compute(key.ofUrl(), (url, keys) -> with(keys, key));
        }
    }

    private static Keys with(@Nullable Keys keys, CacheKey added) {
        return switch (keys) {
            case null -> new Keys.One(added);
            case Keys.One(var only) when only.equals(added) -> keys;
            case Keys.One(var only) -> {
                var both = ConcurrentHashMap.<CacheKey>newKeySet();
                both.add(only);
                both.add(added);
                yield new Keys.Many(both);
            }
            case Keys.Many(var all) -> {
                all.add(added);
                yield keys;
            }
        };
    }

    /** Forgets {@code key} unless it {@code isStored} again. */
    void forget(CacheKey key, Predicate<CacheKey> isStored) {
        if (!key.parts().isEmpty()) {
            byUrl.computeIfPresent(
                    key.ofUrl(), (url, keys) -> isStored.test(key) ? keys : without(keys, key));
        }
    }

    private static @Nullable Keys without(Keys keys, CacheKey removed) {
        return switch (keys) {
            case Keys.One(var only) -> only.equals(removed) ? null : keys;
            case Keys.Many(var all) -> {
                all.remove(removed);
                yield all.isEmpty() ? null : keys;
            }
        };
    }

    /** Returns the key of the URL of {@code key}, and its other stored keys. */
    List<CacheKey> of(CacheKey key) {
        var url = key.ofUrl();
        return switch (byUrl.get(url)) {
            case null -> List.of(url);
            case Keys.One(var only) -> List.of(url, only);
            case Keys.Many(var keys) -> {
                var all = new ArrayList<CacheKey>();
                all.add(url);
                all.addAll(keys);
                yield all;
            }
        };
    }

    /** The number of URLs with such keys. */
    int size() {
        return byUrl.size();
    }
}
