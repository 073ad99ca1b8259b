package dev.quire.proxy.path;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import org.jspecify.annotations.Nullable;

/** The pages that hold fragments inline which no origin can be asked for. */
final class InlineOwners {
    private final PageStore store;

    InlineOwners(PageStore store) {
        this.store = store;
    }

    /** The page that holds the fragment {@code key}, or null. */
    @Nullable CacheKey of(CacheKey key) {
        return store.carrierOf(key);
    }

    /** The page that was noted for {@code key} does not hold it. */
    void forget(CacheKey key) {
        store.forgetCarrierOf(key);
    }

    /** The fragment {@code key} of {@code page}, or null; the caller owns a reference. */
    static @Nullable StoredResponse fragmentOf(StoredResponse page, CacheKey key) {
        var compiled = page.compiled();
        if (compiled != null) {
            for (var inline : compiled.inlines()) {
                if (inline.key().equals(key)) {
                    return page.bringing(inline);
                }
            }
        }
        return null;
    }
}
