package dev.quire.proxy.path;

import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.SpacedInvalidations;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Invalidates stored responses after unsafe requests (RFC 9111 §4.4, RFC 9875 §3). */
public final class UnsafeMethodInvalidation {
    private final PageStore store;
    private final @Nullable SpacedInvalidations spaced;

    /**
     * @param spaced invalidates the URLs in Location and Content-Location; null if they are kept
     */
    public UnsafeMethodInvalidation(PageStore store, @Nullable SpacedInvalidations spaced) {
        this.store = store;
        this.spaced = spaced;
    }

    /**
     * Handles the response to {@code lookup}: after a success of an unsafe method, invalidates its
     * target, its Location and Content-Location, and the groups it names.
     *
     * @return completes once the response may begin; null if it may at once
     */
    @Nullable CompletionStage<Durability> after(Lookup lookup, ResponseHead head) {
        if (lookup.request().isSafe() || head.status() >= 400) {
            return null;
        }
        store.invalidate(lookup.key(), lookup.request());
        if (spaced != null) {
            var keys = new HashSet<CacheKey>();
            add("location", lookup, head, keys);
            add("content-location", lookup, head, keys);
            keys.remove(lookup.key().ofUrl());
            keys.forEach(key -> spaced.invalidate(key, lookup.loop()));
        }
        var groups = CacheGroups.invalidatedBy(head.fields());
        if (!groups.isEmpty()) {
            store.invalidations().invalidateGroups(lookup.key(), groups);
        }
        var durable = store.invalidations().sync().toCompletableFuture();
        return durable.isDone() ? null : durable;
    }

    private static void add(String field, Lookup lookup, ResponseHead head, Set<CacheKey> to) {
        var location = head.fields().first(field);
        if (location != null
                && ReferenceResolver.OWN_AUTHORITY.resolve(location, lookup.key())
                        instanceof Reference.Allowed allowed) {
            to.add(allowed.key());
        }
    }
}
