package dev.quire.proxy.exchange;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;

/** A prepared request to an origin; each start is a new attempt. */
public interface PreparedFetch {

    /**
     * Sends the request, on the current loop.
     *
     * @param conditions conditional fields to add, to allow a 304 (Not Modified); may be empty
     */
    BodyFlow start(Fields conditions, ResponseSink sink);

    /** Whether the links of its response are remembered for a 103 (Early Hints). */
    default boolean remembersHints() {
        return false;
    }

    /** The URL that the client or the page asked for, before rules changed it to {@code key}. */
    default CacheKey asked(CacheKey key) {
        return key;
    }

    /** Its origin: only a fetch from the same one is joined. */
    default Object origin() {
        return PreparedFetch.class;
    }

    /** Whether the rules for its response still apply: otherwise it is not stored. */
    default boolean isCurrent() {
        return true;
    }
}
