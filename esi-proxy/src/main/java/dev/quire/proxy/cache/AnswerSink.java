package dev.quire.proxy.cache;

import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Receives the response to one request, on its own loop: a whole stored response, a response as it
 * arrives, or a failure. A response that arrives too late is released and otherwise ignored.
 */
public interface AnswerSink extends ResponseSink {

    /** The loop on which all calls are made. */
    EventLoop loop();

    /** The request as sent to the origin; it selects the variant. */
    SentRequest request();

    /**
     * The next head is that of a response of {@code kind}, passed on as it arrives. A document is
     * passed on only to HEAD, or if its source is wanted.
     */
    default void arriving(DocumentKind kind) {}

    /** Whether it waits for the whole response instead of streaming it. */
    boolean wantsWhole();

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

    /** Whether it can send a body that is in a file. */
    default boolean takesFiles() {
        return false;
    }

    /**
     * The search in a lower tier has ended: it must look again, and need not search again.
     *
     * @param inFile the response, if its body is in a file; the sink owns one reference
     * @param isFound whether there was something
     * @param tookNanos how long it waited
     */
    void searched(@Nullable StoredResponse inFile, boolean isFound, long tookNanos);

    /** A call of this sink has thrown: ends its exchange without affecting others. */
    void failed(RuntimeException bug);
}
