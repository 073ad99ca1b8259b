package dev.quire.core.assemble;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The documents that one page was made of.
 *
 * @param readerPort the client's port of the connection on which the page was requested
 * @param parts the page itself first, then its fragments in the order they were requested,
 *     including those replaced by their {@code alt}
 */
public record Assembly(int readerPort, List<Part> parts) {

    public Assembly {
        parts = List.copyOf(parts);
    }

    /** How a document was obtained. */
    public enum CacheOutcome {
        /** Stored and fresh. */
        HIT,
        /** Stored and stale, served within grace or stale-if-error. */
        STALE,
        /** Stored, and revalidated by its origin. */
        REVALIDATED,
        /** Fetched from its origin, and cacheable. */
        MISS,
        /** Fetched from its origin, for this client only. */
        PASS,
        FAILED
    }

    /**
     * The page, or a fragment.
     *
     * @param key null if the reference must not be followed
     * @param parent the document that includes it; null for the page
     * @param depth levels below the page, which has depth 0
     * @param status of the response that was used or rejected; 0 without one
     * @param failure null if it was obtained
     * @param fields of the origin's response, as stored; empty without one
     * @param freshness empty if it is not stored
     * @param beganNanos when it was requested, on a clock shared by all parts of a page
     * @param endedNanos when it arrived or failed
     */
    public record Part(
            @Nullable CacheKey key,
            @Nullable CacheKey parent,
            int depth,
            CacheOutcome way,
            int status,
            @Nullable Failure failure,
            Fields fields,
            Optional<Freshness> freshness,
            long beganNanos,
            long endedNanos) {

        public Part {
            if ((failure == null) == (way == CacheOutcome.FAILED)) {
                throw new IllegalArgumentException(way + " with failure " + failure);
            }
        }
    }
}
