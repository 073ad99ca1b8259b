package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;

/** What a fetcher tells whoever counts; called on the loop of the fetch, so it must not wait. */
public interface FetchEvents {

    /** Counts nothing. */
    FetchEvents NONE = new FetchEvents() {};

    /** A connection to the origin stands. */
    default void connected() {}

    /** A request goes out on a connection that has carried one before. */
    default void reused() {}

    /** A first attempt ended in {@code failure}, and a second one begins. */
    default void retried(Failure failure) {}
}
