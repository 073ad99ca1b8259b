package dev.quire.spring;

import java.time.Instant;
import java.util.List;

/** The last invalidations, for who operates the application; a bean of it feeds the actuator. */
public interface InvalidationHistory {

    /** The last ones, the newest first; a bounded number of them. */
    List<Entry> latest();

    /**
     * One invalidation.
     *
     * @param at when it was sent
     * @param tags names of what is dropped
     * @param urls of what is dropped
     * @param outcome what became of it, in a few words
     */
    record Entry(Instant at, List<String> tags, List<String> urls, String outcome) {

        public Entry {
            tags = List.copyOf(tags);
            urls = List.copyOf(urls);
        }
    }
}
