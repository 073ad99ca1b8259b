package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * Notes which stored pages contain inline documents ({@code <esi:inline>}), by route and name. An
 * inline document is read from the page that contains it, and only by includes of the same host and
 * route; it is never stored under its name, so it replaces no response of an origin. Thread-safe;
 * beyond the limit some notes are evicted.
 */
public final class InlineOwners {
    private static final long MAX_NOTES = 10_000;

    /**
     * A page that contains an inline document.
     *
     * @param isFetchable whether the origin serves the document under its name too
     */
    public record Owner(CacheKey page, boolean isFetchable) {}

    private record Name(String route, CacheKey key) {}

    private final Cache<Name, Owner> owners =
            Caffeine.newBuilder().maximumSize(MAX_NOTES).executor(Runnable::run).build();

    /** Sites without inline documents need no look-ups. */
    private volatile boolean isUsed;

    /** Whether there has never been a note. */
    public boolean isEmpty() {
        return !isUsed;
    }

    /** Returns the page of {@code route} that contains {@code key} inline, or null. */
    public @Nullable Owner of(String route, CacheKey key) {
        return owners.getIfPresent(new Name(route, key));
    }

    void note(String route, CacheKey key, Owner owner) {
        owners.put(new Name(route, key), owner);
        isUsed = true;
    }

    /** Records that no page of {@code route} contains {@code key} inline any more. */
    public void forget(String route, CacheKey key) {
        owners.invalidate(new Name(route, key));
    }
}
