package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.channel.EventLoop;

/**
 * Takes the answer to one request, on its own loop: either one whole response, or a response as it
 * arrives, or a failure. An answer that comes too late is released and otherwise ignored.
 */
public interface AnswerSink extends ResponseSink {

    /** The loop all calls are made on. */
    EventLoop loop();

    /** The request it stands for; picks the variant. */
    RequestHead request();

    /** What comes next is the head of a stamped document, which is not kept: an answer to HEAD. */
    default void stamped() {}

    /** Whether it takes nothing piecemeal as long as the whole is on its way. */
    boolean wantsWhole();

    /** The answer, whole; the sink owns one reference. */
    void stored(StoredResponse response);

    /**
     * The answer has become whole while the sink took it piecemeal, more slowly than it came: the
     * rest of it, and its end. The sink owns one reference.
     *
     * @param from the bytes it has had
     */
    void rest(StoredResponse response, int from);

    /** The fetch it had joined turned out to be for somebody else: it must fetch for itself. */
    void alone();

    /**
     * The fetch it wanted to join had just ended, or what it brought was purged meanwhile: it must
     * look again.
     */
    void again();

    /** A call of these has thrown: what it answers ends, and nobody else is to notice. */
    void failed(RuntimeException bug);
}
