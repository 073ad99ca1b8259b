package dev.quire.proxy.redis;

import dev.quire.proxy.cache.SharedRecords.Reason;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a reply of bytes or a number. Owns the bytes until they are taken. */
final class ReplyOutput extends CommandOutput<byte[], StoredValue, StoreReply> {
    private final ByteBufAllocator allocator;
    private @Nullable ByteBuf bytes;
    private @Nullable Long number;

    ReplyOutput(RedisCodec<byte[], StoredValue> codec, ByteBufAllocator allocator) {
        super(codec, new StoreReply.Other());
        this.allocator = allocator;
    }

    @Override
    public void set(@Nullable ByteBuffer received) {
        release();
        if (received != null) {
            int length = received.remaining();
            bytes = allocator.directBuffer(length, length).writeBytes(received);
        }
    }

    @Override
    public void set(long received) {
        number = received;
    }

    /** Gives up the bytes, which the reply owns then. */
    StoreReply take() {
        if (hasError()) {
            release();
            return new StoreReply.Failure(Reason.ERROR, getError());
        }
        if (bytes != null) {
            var taken = new StoreReply.Bytes(bytes);
            bytes = null;
            return taken;
        }
        return number == null ? new StoreReply.Other() : new StoreReply.Count(number);
    }

    void release() {
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
    }
}
