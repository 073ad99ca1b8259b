package dev.quire.proxy.exchange;

import dev.quire.core.assemble.Failure;
import io.netty.buffer.ByteBuf;

/** A request's body as it comes from the client. On the exchange's loop. */
public interface RequestBody {

    /** The announced length in bytes, or -1 when the body is chunked. */
    long length();

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    boolean expectsContinue();

    /** Lets the body flow into {@code sink}; asks the client to go on if it waits. Once only. */
    void flowTo(Sink sink);

    /** No more data after what is already being handed over. */
    void pause();

    /** Data again. */
    void resume();

    /** Where a body goes. */
    interface Sink {
        /** Part of the body; the sink releases it. */
        void data(ByteBuf data);

        /** The body is whole. */
        void end();

        /**
         * The client has gone, its bytes are no body, or they come too slowly: the origin must not
         * take it for whole.
         *
         * @param failure the client's
         */
        void broken(Failure failure);
    }
}
