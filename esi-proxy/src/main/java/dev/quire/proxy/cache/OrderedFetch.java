package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import org.jspecify.annotations.Nullable;

/** A fetch in flight whose response may be stored. */
final class OrderedFetch {
    private final RequestHead request;

    /** The newest entry when it began; 0 while it begins. */
    volatile long order;

    volatile Own own = new Own(0, 0);

    /**
     * The invalidation of its URL by its own request, which does not apply to its response.
     *
     * @param before the newest entry in the same position before it
     */
    record Own(long number, long before) {}

    OrderedFetch(RequestHead request) {
        this.request = request;
    }

    long withoutOwn(long number) {
        var known = own;
        return number == known.number() ? known.before() : number;
    }

    @SuppressWarnings("ReferenceEquality") // An equal request may be a different one.
    boolean isFor(@Nullable RequestHead cause) {
        return request == cause;
    }
}
