package dev.quire.proxy.path;

import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheGroups;
import dev.quire.proxy.cache.PageStore;

/** Invalidates stored responses after unsafe requests (RFC 9111 §4.4, RFC 9875 §3). */
public final class Invalidation {
    private final PageStore store;

    public Invalidation(PageStore store) {
        this.store = store;
    }

    /**
     * Handles the response to {@code inquiry}: after a success of an unsafe method, invalidates its
     * target, its Location and Content-Location, and the groups it names.
     */
    void after(Inquiry inquiry, ResponseHead head) {
        if (inquiry.request().isSafe() || head.status() >= 400) {
            return;
        }
        store.invalidate(inquiry.key(), inquiry.request());
        alsoAt(inquiry, head, "location");
        alsoAt(inquiry, head, "content-location");
        var groups = CacheGroups.invalidatedBy(head.fields());
        if (!groups.isEmpty()) {
            store.invalidateGroups(inquiry.key(), groups);
        }
    }

    private void alsoAt(Inquiry inquiry, ResponseHead head, String field) {
        var location = head.fields().first(field);
        if (location != null
                && ReferenceResolver.OWN_AUTHORITY.resolve(location, inquiry.key())
                        instanceof Reference.Allowed allowed) {
            store.invalidate(allowed.key(), inquiry.request());
        }
    }
}
