package dev.quire.proxy.exchange;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import io.netty.buffer.ByteBuf;

/**
 * Receives one response as it arrives, on the loop of the exchange: interim heads, a head, data,
 * then either the end or a failure. No calls follow a failure, or an end that has not thrown.
 */
public interface ResponseSink {

    /** A request with {@code stamp} is sent; a head answers the last such request. */
    default void asked(Stamp stamp) {}

    /** The request is for the server with this URL; called again for each attempt. */
    default void sentTo(String server) {}

    /** It is sent now, and no longer waits for a connection; called again for each attempt. */
    default void sending() {}

    /** A 1xx response other than 100 and 101; any number, before the head. */
    default void interim(ResponseHead head) {}

    /**
     * The origin has switched to the protocol of {@link OriginRequest#upgrade}: the last call, only
     * for a request with one.
     *
     * @param head the 101
     * @param origin the connection to the origin; the sink joins or closes it
     */
    default void switched(ResponseHead head, TunnelEnd origin) {
        origin.close();
    }

    /**
     * The head of the final response.
     *
     * @param flow pauses or cancels the body
     */
    void head(ResponseHead head, BodyFlow flow);

    /** Part of the body; the sink releases it. */
    void data(ByteBuf data);

    /** The trailer fields of the origin, before the end; not called without any. */
    default void trailers(Fields fields) {}

    /** The body is complete: exactly as long as announced, or cleanly ended. */
    void end();

    /** There is no response, or the body broke off; also after {@link #end} if that has thrown. */
    void failed(Failure failure);
}
