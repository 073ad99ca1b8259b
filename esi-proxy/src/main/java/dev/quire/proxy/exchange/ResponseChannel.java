package dev.quire.proxy.exchange;

import dev.quire.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/**
 * Takes the response of one exchange: one head, its body, its end. It adds the fields that belong
 * to the connection, and drops the body where the request was HEAD. On the exchange's loop.
 */
public interface ResponseChannel {

    EventLoop loop();

    ByteBufAllocator alloc();

    /** Whether the client is still connected, as far as is known. */
    boolean isOpen();

    /** Whether the client takes more without our keeping it. */
    boolean isWritable();

    /** The status of the head that was written; 0 before. */
    int status();

    /** Bytes of the body so far, without framing. */
    long bodyBytes();

    /** A 1xx head; dropped if the client does not understand it or a head was written. */
    void interim(ResponseHead head);

    /** Begins the head of a response of our own. */
    HeadLines head(int status);

    /** Begins a head with the status and reason of {@code from}, without its fields. */
    HeadLines head(ResponseHead from);

    /**
     * Begins a head with all that {@code template} says.
     *
     * @param bodyBytes of the body that follows the head at once as one part; 0 if none does
     */
    HeadLines head(int status, HeadTemplate template, boolean inGzip, int bodyBytes);

    /**
     * Ends the head.
     *
     * @param isLengthKnown whether its lines say how long the body is, or there is none
     */
    void endHead(boolean isLengthKnown);

    /** Part of the body; takes over one reference. */
    void body(ByteBuf data);

    /** As {@link #body(ByteBuf)}; {@code gone} runs once the bytes have left, or never will. */
    void body(ByteBuf data, Runnable gone);

    /** {@code length} bytes of {@code from} at {@code index}; its indices do not change. */
    void body(ByteBuf from, int index, int length);

    /** Several parts of the body, for one gathering write; empties {@code parts}. */
    void body(Gathering parts);

    /** Runs {@code gone} once everything written so far has left, or never will. */
    void whenGone(Runnable gone);

    /** Sends what has been written, at the latest when the current batch of reads is done. */
    void flush();

    /** The response is complete; ends the exchange. */
    void end();

    /** The response cannot be completed: the client must see that it is cut. */
    void abort();
}
