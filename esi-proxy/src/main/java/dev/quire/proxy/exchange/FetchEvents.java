package dev.quire.proxy.exchange;

import java.time.Duration;

/** Counts the requests of one origin client. Called on any loop, so it must not wait. */
@FunctionalInterface
public interface FetchEvents {

    /** An attempt brought no answer, and another one begins. */
    void retried();

    /** Another attempt would have been safe, but the retry budget is exhausted. */
    default void retryRefused() {}

    /** A request was not sent: no server of the origin is to be asked now. */
    default void refused() {}

    /** A server has failed so often that nothing is sent to it for a while. */
    default void ejected() {}

    /**
     * A response has ended: it is complete, or it was cancelled after its head. One that was
     * cancelled counts too, or an error that a stale response replaces would not show.
     *
     * @param took since the request was made
     */
    default void answered(int status, Duration took) {}

    /**
     * A request brought no response, or one that broke off. A request that was not sent is not
     * counted, nor one that was cancelled before its head or that its client has broken.
     *
     * @param took since the request was made
     */
    default void failed(Duration took) {}
}
