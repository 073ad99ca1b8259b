package dev.quire.proxy.exchange;

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
     * Returns the events of requests to one server; the same for the same server.
     *
     * @param server {@code HOST:PORT}
     */
    default ServerEvents of(String server) {
        return ServerEvents.NONE;
    }
}
