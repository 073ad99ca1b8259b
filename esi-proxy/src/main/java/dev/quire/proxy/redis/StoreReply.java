package dev.quire.proxy.redis;

import dev.quire.proxy.cache.SharedRecords;
import io.netty.buffer.ByteBuf;

/** The reply of a server, or its absence. */
sealed interface StoreReply {

    /** Bytes, which the receiver owns. */
    record Bytes(ByteBuf bytes) implements StoreReply {
        @Override
        public void release() {
            bytes.release();
        }
    }

    record Count(long value) implements StoreReply {}

    /** Neither bytes nor a number. */
    record Other() implements StoreReply {}

    /**
     * It did not reply in time, or with an error.
     *
     * @param detail what happened, for operators
     */
    record Failure(SharedRecords.Reason reason, String detail) implements StoreReply {}

    /** Releases its bytes, if there are any. */
    default void release() {}
}
