package dev.quire.proxy.exchange;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import io.netty.buffer.ByteBuf;

/** A request body as it is received from the client. On the exchange's loop. */
public interface RequestBody {

    /** The announced length in bytes, or -1 if the body is chunked. */
    long length();

    /** Whether the client waits for 100 (Continue) before it sends the body. */
    boolean expectsContinue();

    /**
     * Limits the body: if more than {@code maxBytes} arrive, it is broken off. Returns false if its
     * announced length exceeds them; then the connection closes after the response.
     */
    default boolean limit(long maxBytes) {
        return length() <= maxBytes;
    }

    /**
     * Streams the body into {@code sink}; sends 100 (Continue) if the client waits. Called once.
     */
    void flowTo(Sink sink);

    /** Stops the data, except for what is already being passed on. */
    void pause();

    void resume();

    /** Receives a body. */
    interface Sink {
        /** Part of the body; the sink releases it. */
        void data(ByteBuf data);

        /** The trailer fields of the client, before the end; not called without any. */
        default void trailers(Fields fields) {}

        /** The body is complete. */
        void end();

        /**
         * The body is incomplete: the client disconnected, sent malformed data, or was too slow.
         * The origin must not take it for complete.
         *
         * @param failure the failure of the client
         */
        void broken(Failure failure);
    }
}
