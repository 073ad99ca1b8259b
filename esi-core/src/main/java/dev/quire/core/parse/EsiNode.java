package dev.quire.core.parse;

import java.util.Optional;

/** One piece of a parsed page. A page is a list of these in document order (ESI 1.0 §3). */
public sealed interface EsiNode {

    /** Bytes between ESI tags, passed on exactly as the origin sent them. */
    record Text(Span span) implements EsiNode {}

    /**
     * {@code <esi:include>}: the fragment at {@code src}, else at {@code alt}, stands here.
     *
     * @param src as written, XML references decoded, one char for each byte (ISO 8859-1), not empty
     * @param alt likewise
     */
    record Include(String src, Optional<String> alt, OnError onError, Position at)
            implements EsiNode {}

    /** What an author asked for when a fragment and its alternative both fail. */
    enum OnError {
        /** {@code onerror="continue"}: the element disappears, and that is no error. */
        CONTINUE,
        /** Nothing said: the page policy decides. */
        PAGE_POLICY
    }
}
