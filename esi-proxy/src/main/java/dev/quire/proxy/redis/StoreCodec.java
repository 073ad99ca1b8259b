package dev.quire.proxy.redis;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Writes keys and records into the buffer of the connection. Replies need no codec. */
final class StoreCodec
        implements RedisCodec<byte[], StoredValue>, ToByteBufEncoder<byte[], StoredValue> {

    @Override
    public void encodeKey(byte[] key, ByteBuf target) {
        target.writeBytes(key);
    }

    @Override
    public void encodeValue(StoredValue value, ByteBuf target) {
        value.writeTo(target);
    }

    @Override
    public int estimateSize(Object keyOrValue) {
        return keyOrValue instanceof StoredValue value
                ? value.bytes()
                : ((byte[]) keyOrValue).length;
    }

    @Override
    public boolean isEstimateExact() {
        return true;
    }

    @Override
    public ByteBuffer encodeKey(byte[] key) {
        return ByteBuffer.wrap(key);
    }

    @Override
    public ByteBuffer encodeValue(StoredValue value) {
        throw new IllegalStateException("expected a buffer to write to");
    }

    @Override
    public byte[] decodeKey(ByteBuffer bytes) {
        var key = new byte[bytes.remaining()];
        bytes.get(key);
        return key;
    }

    @Override
    public StoredValue decodeValue(ByteBuffer bytes) {
        throw new IllegalStateException("expected ReplyOutput to read replies");
    }
}
