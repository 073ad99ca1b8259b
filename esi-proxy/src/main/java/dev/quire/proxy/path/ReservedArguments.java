package dev.quire.proxy.path;

import dev.quire.core.policy.CacheKey;
import java.util.Optional;

/**
 * The arguments of a query that are for pages' expressions alone: neither the cache nor an origin
 * sees them.
 *
 * @param prefix what their names begin with; without it there are none
 */
public record ReservedArguments(Optional<String> prefix) {

    /** {@code key} without them; itself if it has none. */
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
        return isAnyReserved ? new CacheKey(key.scheme(), key.authority(), key.path() + kept) : key;
    }
}
