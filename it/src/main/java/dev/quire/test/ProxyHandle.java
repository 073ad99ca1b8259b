package dev.quire.test;

/** The real proxy at work, as a test reaches it. Any thread. */
interface ProxyHandle extends AutoCloseable {

    /** A client's connection. */
    HttpWire connect();

    /** Purges what is stored for {@code urls}, which are whole. */
    void purgeUrls(String... urls);

    /** Purges what bears one of {@code tags}. */
    void purgeTags(String... tags);

    /** Waits until no fetch is under way, refreshes that no client waits for included. */
    void awaitNoFetch();

    /** Stops it at once. */
    @Override
    void close();
}
