package dev.quire.proxy.exchange;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import io.netty.buffer.ByteBuf;

/**
 * Takes one response as it arrives, on the loop of the exchange that asked: interim heads, a head,
 * data, then either the end or a failure. Nothing follows an end or a failure.
 */
public interface ResponseSink {

    /**
     * A request goes out that bears {@code stamp}; the head that may follow answers the last that
     * did.
     */
    default void asked(Stamp stamp) {}

    /** A 1xx response other than 100 and 101; any number, before the head. */
    default void interim(ResponseHead head) {}

    /**
     * The final response begins.
     *
     * @param flow slows or ends the body
     */
    void head(ResponseHead head, BodyFlow flow);

    /** Part of the body; the sink releases it. */
    void data(ByteBuf data);

    /** The body is whole: exactly as long as the head announced, or cleanly ended. */
    void end();

    /** No response, or the body broke off. */
    void failed(Failure failure);
}
