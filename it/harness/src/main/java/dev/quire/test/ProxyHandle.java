package dev.quire.test;

/** A running proxy, as tests use it. Thread-safe. */
interface ProxyHandle extends AutoCloseable {

    /** A client's connection. */
    HttpWire connect();

    /** Purges the responses stored for {@code urls}, which are absolute. */
    void purgeUrls(String... urls);

    /** Purges the responses that have one of {@code tags}. */
    void purgeTags(String... tags);

    /** Waits until no fetch is in flight, background refreshes included. */
    void awaitNoFetch();

    /** Stops it immediately. */
    @Override
    void close();
}
