package dev.quire.spring.invalidate;

import java.util.Set;

/**
 * Speaks to one surrogate. Those that {@code quire.surrogate.urls} names have one; every other bean
 * of this type is told as well. Called on virtual threads, one call at a time, and may block.
 */
public interface SurrogateClient {

    /** What a surrogate can do. */
    enum Capability {
        /** Invalidate by tag. */
        TAGS,
        /** Invalidate by URL. */
        URLS,
        /** Make stale what is invalidated, instead of dropping it. */
        SOFT
    }

    /** Which product it speaks to, for metrics: one short word. */
    String product();

    /** Which surrogate it speaks to, for reports and logs; no secrets. */
    String name();

    /** What that surrogate can do; it is asked for nothing else. */
    Set<Capability> capabilities();

    /**
     * Has the surrogate do what {@code invalidation} says.
     *
     * @param invalidation names 1 to 256 keys, all within the capabilities
     */
    SurrogateAnswer send(Invalidation invalidation) throws InterruptedException;

    /** Finds out whether the surrogate could be told something, without changing anything. */
    SurrogateAnswer reach() throws InterruptedException;
}
