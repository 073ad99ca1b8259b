package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Notes which stored pages contain inline documents ({@code <esi:inline>}) that other pages may
 * read: those written by stamped tags, under a name that the page's own route serves, for includes
 * of the same host and route. They are read from the page that contains them and never stored under
 * their names, so they replace no response of an origin. Thread-safe; beyond a limit in memory some
 * notes are evicted.
 */
public final class InlineOwners {
    /**
     * A page that contains an inline document.
     *
     * @param page its URL before rules changed it: they apply to each request for it
     * @param isFetchable whether the origin serves the document under its name too
     */
    public record Owner(CacheKey page, boolean isFetchable) {}

    /** A resource and the route that serves it. */
    public record Routed(String route, CacheKey key) {}

    private final Cache<Routed, Owner> owners =
            Caffeine.newBuilder()
                    .maximumWeight(KeyNotes.MAX_BYTES)
                    .<Routed, Owner>weigher((fragment, owner) ->
                            (int) (Footprint.key(fragment.key()) + Footprint.key(owner.page())))
                    .executor(Runnable::run)
                    .build();

    /** Sites without inline documents need no look-ups. */
    private volatile boolean isUsed;

    /** Whether there has never been a note. */
    public boolean isEmpty() {
        return !isUsed;
    }

    /** Returns the page whose inline document an include in {@code document} reads, or null. */
    public @Nullable Owner of(Routed fragment, Routed document) {
        return fragment.route().equals(document.route())
                        && fragment.key().isOfSameAuthority(document.key())
                ? owners.getIfPresent(fragment)
                : null;
    }

    /**
     * Notes the inline documents of {@code page}, the stored response of {@code route}.
     *
     * @param asked returns the URL before rules changed it
     */
    void note(StoredResponse page, UnaryOperator<CacheKey> asked, String route) {
        var compiled = page.compiled();
        if (compiled == null) {
            return;
        }
        for (var inline : compiled.inlinesForOthers()) {
            // Another route may serve the name; then no include is routed to this note.
            owners.put(
                    new Routed(route, inline.key()),
                    new Owner(asked.apply(page.key()), inline.isFetchable()));
            isUsed = true;
        }
    }

    /** Records that no page contains {@code fragment} inline any more. */
    public void forget(Routed fragment) {
        owners.invalidate(fragment);
    }
}
