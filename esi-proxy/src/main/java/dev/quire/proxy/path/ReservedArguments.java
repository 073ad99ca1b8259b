package dev.quire.proxy.path;

import dev.quire.core.policy.CacheKey;
import java.util.Optional;

/**
 * Query arguments reserved for the expressions of pages: neither the cache nor origins see them.
 *
 * @param prefix the prefix of their names; empty if none are reserved
 */
public record ReservedArguments(Optional<String> prefix) {

    /** Returns {@code key} without them; the same key if it has none. */
    CacheKey removedFrom(CacheKey key) {
        int question = key.target().indexOf('?');
        if (prefix.isEmpty() || question < 0) {
            return key;
        }
        var kept = new StringBuilder(key.target().length());
        boolean isAnyReserved = false;
        for (var argument : key.target().substring(question + 1).split("&", -1)) {
            if (argument.startsWith(prefix.get())) {
                isAnyReserved = true;
            } else {
                kept.append(kept.isEmpty() ? '?' : '&').append(argument);
            }
        }
        return isAnyReserved
                ? new CacheKey(key.scheme(), key.authority(), key.path() + kept, key.parts())
                : key;
    }
}
