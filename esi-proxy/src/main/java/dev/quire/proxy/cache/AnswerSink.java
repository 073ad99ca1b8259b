package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.ResponseSink;

/**
 * Receives the response to one request, on its own loop: a whole stored response, a response as it
 * arrives, or a failure. A response that arrives too late is released and otherwise ignored.
 */
public interface AnswerSink extends ResponseSink, SearchSink {

    /**
     * The next head is that of a response of {@code kind}, passed on as it arrives. A document is
     * passed on only to HEAD, or if its source is wanted.
     */
    default void arriving(DocumentKind kind) {}

    /** Whether it waits for the whole response instead of streaming it. */
    boolean wantsWhole();

    /**
     * Whether a response that was stored before its request may answer it without a decision; false
     * if its client wants a newer one, or none. Does not change.
     */
    default boolean takesStored() {
        return true;
    }

    /** Whether it could use a stale response if the origin is slow; asked once, when it joins. */
    default boolean hasStandIn() {
        return false;
    }

    /**
     * The origin is slow: the sink uses a stale response if there is one. Returns whether it does;
     * then it is not called again.
     */
    default boolean isServedStale() {
        return false;
    }

    /** Receives the whole response; the sink owns one reference. */
    void stored(StoredResponse response);

    /**
     * The response became complete while the sink was still streaming it: receives the rest of it,
     * and its end. The sink owns one reference.
     *
     * @param from the bytes it has received
     */
    void remainder(StoredResponse response, int from);

    /**
     * The response of the fetch it had joined does not apply to its request: it must fetch again.
     */
    void fetchSeparately();

    /**
     * The fetch it wanted to join has just ended, or its response was purged in the meantime: it
     * must look again.
     */
    void retryLookup();
}
