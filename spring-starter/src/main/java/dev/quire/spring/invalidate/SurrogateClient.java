package dev.quire.spring.invalidate;

import java.util.Set;

/**
 * A client for one surrogate. There is one for each of {@code quire.surrogate.urls}, and every
 * other bean of this type is used as well. Called on virtual threads, one call at a time; may
 * block.
 */
public interface SurrogateClient {

    /** A capability of a surrogate. */
    enum Capability {
        TAGS,
        URLS,
        /** Make responses stale instead of dropping them. */
        SOFT
    }

    /** Returns the product for metrics: one short word. */
    String product();

    /** Returns the name of the surrogate for reports and logs, without secrets. */
    String name();

    /** Returns the capabilities of the surrogate; other requests are not sent. */
    Set<Capability> capabilities();

    /**
     * Sends {@code invalidation} to the surrogate.
     *
     * @param invalidation 1 to 256 keys, all within the capabilities
     */
    SurrogateAnswer send(Invalidation invalidation) throws InterruptedException;

    /** Checks whether the surrogate accepts requests, without changing anything. */
    SurrogateAnswer reach() throws InterruptedException;
}
