package dev.quire.test;

/**
 * What stands between readers and the application and assembles its pages. Several threads at a
 * time.
 */
public interface Surrogate extends AutoCloseable {

    /**
     * What a reader gets. Returns once nothing that this has started is under way any more, a
     * refresh in the background included.
     *
     * @throws AssertionError if no proper response comes
     */
    Assembled ask(Request request);

    /** Drops what bears one of {@code tags}. */
    void purgeTags(String... tags);

    /** Drops what is stored for {@code targets}. */
    void purge(String... targets);

    /** What it is called in messages: {@code the proxy}, {@code the application itself}. */
    String name();

    /** Whether it keeps anything, so that there are hits, purges and time to travel through. */
    boolean hasCache();

    @Override
    void close();
}
