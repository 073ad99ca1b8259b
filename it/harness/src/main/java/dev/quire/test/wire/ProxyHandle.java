package dev.quire.test.wire;

/** A running proxy, as tests use it. Thread-safe. */
public interface ProxyHandle extends AutoCloseable {

    HttpWire connect();

    /** Purges the responses stored for {@code urls}, which are absolute. */
    void purgeUrls(String... urls);

    void purgeTags(String... tags);

    void awaitNoFetch();

    @Override
    void close();
}
