package dev.quire.proxy.gzip;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Uncompressed deflate blocks (RFC 1951 §3.2.4): a header of five bytes, and at most 65,535 bytes
 * of data.
 */
final class StoredBlocks {
    static final int HEADER_BYTES = 5;
    static final int MAX_BYTES = 0xffff;

    private StoredBlocks() {}

    static int lengthOf(int bytes) {
        return bytes + HEADER_BYTES * ((bytes + MAX_BYTES - 1) / MAX_BYTES);
    }

    /** Writes the header of a block of {@code bytes}, which is not the last one. */
    static void writeHeader(ByteBuf out, int bytes) {
        out.writeByte(0).writeShortLE(bytes).writeShortLE(~bytes);
    }

    /** Writes the remaining bytes of {@code plain}, whose position does not change. */
    static void write(ByteBuffer plain, ByteBuf out) {
        for (int at = 0, left = plain.remaining(); left > 0; ) {
            int bytes = Math.min(left, MAX_BYTES);
            writeHeader(out, bytes);
            out.writeBytes(plain.slice(plain.position() + at, bytes));
            at += bytes;
            left -= bytes;
        }
    }
}
