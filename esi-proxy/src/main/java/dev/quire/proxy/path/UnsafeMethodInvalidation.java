package dev.quire.proxy.path;

import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheGroups;
import dev.quire.proxy.cache.PageStore;

/** Invalidates stored responses after unsafe requests (RFC 9111 §4.4, RFC 9875 §3). */
public final class UnsafeMethodInvalidation {
    private final PageStore store;

    public UnsafeMethodInvalidation(PageStore store) {
        this.store = store;
    }

    /**
     * Handles the response to {@code lookup}: after a success of an unsafe method, invalidates its
     * target, its Location and Content-Location, and the groups it names.
     */
    void after(Lookup lookup, ResponseHead head) {
        if (lookup.request().isSafe() || head.status() >= 400) {
            return;
        }
        store.invalidate(lookup.key(), lookup.request());
        alsoAt(lookup, head, "location");
        alsoAt(lookup, head, "content-location");
        var groups = CacheGroups.invalidatedBy(head.fields());
        if (!groups.isEmpty()) {
            store.invalidateGroups(lookup.key(), groups);
        }
    }

    private void alsoAt(Lookup lookup, ResponseHead head, String field) {
        var location = head.fields().first(field);
        if (location != null
                && ReferenceResolver.OWN_AUTHORITY.resolve(location, lookup.key())
                        instanceof Reference.Allowed allowed) {
            store.invalidate(allowed.key(), lookup.request());
        }
    }
}
