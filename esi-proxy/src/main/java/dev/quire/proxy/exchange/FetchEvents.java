package dev.quire.proxy.exchange;

import java.time.Duration;

/** Counts the requests of one origin client. Called on any loop, so it must not block. */
@FunctionalInterface
public interface FetchEvents {

    /** An attempt got no response, and is retried. */
    void retried();

    /** A retry would have been safe, but the retry budget is exhausted. */
    default void retryRefused() {}

    /** A request was not sent: no server of the origin accepts requests now. */
    default void refused() {}

    /** The circuit breaker of a server has opened. */
    default void ejected() {}

    /**
     * A response has ended: it is complete, or it was cancelled after its head. Cancelled ones
     * count, since otherwise an error that is replaced by a stale response would not show.
     *
     * @param took time since the request was created
     */
    default void answered(int status, Duration took) {}

    /**
     * A request got no response, or a truncated one. Not counted: a request that was not sent, was
     * cancelled before the head, or was broken off by its client.
     *
     * @param took time since the request was created
     */
    default void failed(Duration took) {}
}
