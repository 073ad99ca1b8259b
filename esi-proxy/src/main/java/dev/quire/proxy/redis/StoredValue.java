package dev.quire.proxy.redis;

import io.netty.buffer.ByteBuf;

/** A record with its seal, as the store has it. */
final class StoredValue {
    private final ByteBuf record;
    private final byte[] seal;

    /**
     * @param record owned by the caller, and not consumed
     * @param seal empty without a secret
     */
    StoredValue(ByteBuf record, byte[] seal) {
        this.record = record;
        this.seal = seal;
    }

    int bytes() {
        return record.readableBytes() + seal.length;
    }

    void writeTo(ByteBuf out) {
        out.writeBytes(record, record.readerIndex(), record.readableBytes()).writeBytes(seal);
    }
}
