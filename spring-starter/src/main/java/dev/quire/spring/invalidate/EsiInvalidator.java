package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.concurrent.CompletionStage;

/**
 * Tells all surrogates what is no longer true. While a transaction is open on the calling thread,
 * what is named here is collected and sent after its commit, and forgotten if it is rolled back;
 * else it is sent at once. Sending never fails the caller: what cannot be delivered for a while is
 * in the log, in the metrics and in the actuator. Any thread.
 */
public interface EsiInvalidator {

    /**
     * Drops what bears one of {@code tags}.
     *
     * @throws IllegalArgumentException if one of them can be no tag
     */
    default void tags(String... tags) {
        purge(Invalidation.ofTags(tags));
    }

    /**
     * Drops what is stored for {@code urls}.
     *
     * @throws IllegalArgumentException if one of them is no absolute URL
     */
    default void urls(URI... urls) {
        purge(Invalidation.ofUrls(urls));
    }

    /** Does all that {@code invalidation} says. */
    void purge(Invalidation invalidation);

    /**
     * Sends what the transaction of this thread has collected so far without waiting for its
     * commit, and completes when all that has been queued is delivered or given up. It never
     * completes exceptionally.
     */
    CompletionStage<InvalidationReport> flush();
}
