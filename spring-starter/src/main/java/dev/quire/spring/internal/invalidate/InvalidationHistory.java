package dev.quire.spring.internal.invalidate;

import java.time.Instant;
import java.util.List;

/** The most recent invalidations, for operators; a bean of this type feeds the actuator. */
public interface InvalidationHistory {

    /** Returns a bounded number of recent invalidations, newest first. */
    List<Entry> latest();

    /**
     * One invalidation.
     *
     * @param at the time it was sent
     * @param tags the invalidated tags
     * @param urls the invalidated URLs
     * @param outcome the result, in a few words
     */
    record Entry(Instant at, List<String> tags, List<String> urls, String outcome) {

        public Entry {
            tags = List.copyOf(tags);
            urls = List.copyOf(urls);
        }
    }
}
