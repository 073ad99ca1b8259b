package dev.quire.core.assemble;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one page was made of.
 *
 * @param readerPort at the reader's end of the connection on which the page was asked for
 * @param parts the page itself first, then its fragments in the order they were asked for; one that
 *     an {@code alt} stood in for is there as well
 */
public record Assembly(int readerPort, List<Part> parts) {

    public Assembly {
        parts = List.copyOf(parts);
    }

    /** The way a document came into the page. */
    public enum Way {
        /** It was stored, and fresh. */
        HIT,
        /** It was stored, and stale, but allowed to stand in. */
        STALE,
        /** It was stored, and its origin said that it still holds. */
        REVALIDATED,
        /** Its origin was asked, and the answer is kept. */
        MISS,
        /** Its origin was asked, and the answer is this reader's alone. */
        PASS,
        /** There is none. */
        FAILED
    }

    /**
     * The page, or a fragment.
     *
     * @param key null where the reference is none that may be followed
     * @param parent of the document that includes it; null for the page
     * @param depth levels below the page, whose own is 0
     * @param status of the answer that was used or refused; 0 without one
     * @param failure why there is none; null otherwise
     * @param fields as they are kept of the origin's answer; none where nothing came
     * @param freshness empty where it is not kept
     * @param beganNanos when it was asked for, on a clock that is the same for all parts of a page
     * @param endedNanos when it was there, or had failed
     */
    public record Part(
            @Nullable CacheKey key,
            @Nullable CacheKey parent,
            int depth,
            Way way,
            int status,
            @Nullable Failure failure,
            Fields fields,
            Optional<Freshness> freshness,
            long beganNanos,
            long endedNanos) {

        public Part {
            if ((failure == null) == (way == Way.FAILED)) {
                throw new IllegalArgumentException(way + " with failure " + failure);
            }
        }
    }
}
