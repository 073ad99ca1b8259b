package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.concurrent.CompletionStage;

/**
 * Sends invalidations to all surrogates. While a transaction is open on the calling thread, they
 * are collected, sent after its commit, and discarded if it is rolled back; otherwise they are sent
 * at once. Sending never fails the caller: failures appear in the log, the metrics and the
 * actuator. Thread-safe.
 */
public interface EsiInvalidator {

    /**
     * Purges the responses that have one of {@code tags}.
     *
     * @throws IllegalArgumentException if one of them is not a valid tag
     */
    default void tags(String... tags) {
        purge(Invalidation.ofTags(tags));
    }

    /**
     * Purges the responses stored for {@code urls}.
     *
     * @throws IllegalArgumentException if one of them is not an absolute URL
     */
    default void urls(URI... urls) {
        purge(Invalidation.ofUrls(urls));
    }

    /** Sends {@code invalidation}. */
    void purge(Invalidation invalidation);

    /**
     * Sends the invalidations that the transaction of this thread has collected so far, without
     * waiting for its commit. Completes when all queued invalidations are delivered or given up;
     * never completes exceptionally.
     */
    CompletionStage<InvalidationReport> flush();
}
