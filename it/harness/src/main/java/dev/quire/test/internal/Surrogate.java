package dev.quire.test.internal;

import dev.quire.test.wire.Request;

/** The assembler between readers and the application. Thread-safe. */
public interface Surrogate extends AutoCloseable {

    /**
     * Returns the response for a reader, when nothing that the request started is in flight any
     * more, background refreshes included.
     *
     * @throws AssertionError if there is no valid response
     */
    Assembled ask(Request request);

    void purgeTags(String... tags);

    void purge(String... targets);

    /** Its name in messages: {@code the proxy}, {@code the application itself}. */
    String name();

    /** Whether it has a cache, so that hits, purges and the clock can be tested. */
    boolean hasCache();

    @Override
    void close();
}
