package dev.quire.proxy.gzip;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32;

/** The header of a gzip member (RFC 1952 §2.3). */
final class GzipHeader {
    static final int MIN_BYTES = 10;

    /** A longer one is malformed: real ones hold at most the name of a file. */
    static final int MAX_BYTES = 4 * 1024;

    static final int INCOMPLETE = 0;
    static final int MALFORMED = -1;

    /** That of our bodies: no name, no time; unknown operating system. */
    static final ByteBuf OURS =
            Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(MIN_BYTES, MIN_BYTES)
                            .writeBytes(
                                    new byte[] {
                                        0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff
                                    })
                            .asReadOnly());

    private static final byte[] START = {0x1f, (byte) 0x8b, 8};
    private static final int FLAGS = 3;
    private static final int CHECKSUM = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private GzipHeader() {}

    /** Returns the length of the header that {@code bytes} begins with, or one of the constants. */
    static int length(ByteBuf bytes) {
        int from = bytes.readerIndex();
        int there = bytes.readableBytes();
        for (int i = 0; i < Math.min(there, START.length); i++) {
            if (bytes.getByte(from + i) != START[i]) {
                return MALFORMED;
            }
        }
        if (there < MIN_BYTES) {
            return INCOMPLETE;
        }
        int flags = bytes.getByte(from + FLAGS);
        if ((flags & RESERVED) != 0) {
            return MALFORMED;
        }
        int length = MIN_BYTES;
        if ((flags & EXTRA) != 0) {
            if (there < length + Short.BYTES) {
                return INCOMPLETE;
            }
            length += Short.BYTES + bytes.getUnsignedShortLE(from + length);
        }
        for (int text : new int[] {NAME, COMMENT}) {
            if ((flags & text) != 0) {
                int end =
                        length >= there ? -1 : bytes.indexOf(from + length, from + there, (byte) 0);
                if (end < 0) {
                    return INCOMPLETE;
                }
                length = end + 1 - from;
            }
        }
        boolean hasChecksum = (flags & CHECKSUM) != 0;
        int whole = hasChecksum ? length + Short.BYTES : length;
        if (there < whole) {
            return INCOMPLETE;
        }
        return hasChecksum && bytes.getShortLE(from + length) != checksum(bytes, from, length)
                ? MALFORMED
                : whole;
    }

    private static short checksum(ByteBuf bytes, int from, int length) {
        var sum = new CRC32();
        sum.update(ByteBufUtil.getBytes(bytes, from, length));
        return (short) sum.getValue();
    }
}
