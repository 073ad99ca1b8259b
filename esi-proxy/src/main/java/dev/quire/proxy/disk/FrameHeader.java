package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The fixed part of a frame, which is a record in a segment, or the removal of one.
 *
 * @param position up to which invalidations were applied to the record
 * @param expiryMillis when the record has no more use, on the wall clock
 * @param length of the record, in bytes; {@link #REMOVAL} if the frame removes an earlier one
 * @param check CRC-32C of the record
 */
record FrameHeader(RecordHash id, long position, long expiryMillis, int length, int check) {
    /*
     * All numbers are big-endian.
     *
     *    0   8   magic
     *    8  16   id
     *   24   8   position
     *   32   8   expiry, in milliseconds since 1970
     *   40   4   length of the record
     *   44   4   CRC-32C of the record
     *   48   4   0
     *   52   4   CRC-32C of all before, changed by the number of the segment and the offset
     */

    static final int BYTES = 56;

    /** Frames start at multiples of it. */
    static final int UNIT = 8;

    static final int REMOVAL = -1;

    /** QUIREFRM. */
    private static final long MAGIC = 0x51554952_4546524dL;

    private static final int CHECK_AT = BYTES - Integer.BYTES;

    static FrameHeader removal(RecordHash id) {
        return new FrameHeader(id, 0, 0, REMOVAL, 0);
    }

    boolean isRemoval() {
        return length == REMOVAL;
    }

    /** The length of the frame, with the padding after it. */
    long frameBytes() {
        return frameBytes(Math.max(0, length));
    }

    static long frameBytes(int length) {
        return ((long) BYTES + length + UNIT - 1) / UNIT * UNIT;
    }

    void writeTo(ByteBuffer out, long segment, long offset) {
        int start = out.position();
        out.putLong(MAGIC).putLong(id.high()).putLong(id.low()).putLong(position);
        out.putLong(expiryMillis).putInt(length).putInt(check).putInt(0);
        out.putInt(Checks.check(out, start, CHECK_AT, segment, offset));
    }

    /** Returns the header at {@code at}, or null if it is not one of that place. */
    static @Nullable FrameHeader read(ByteBuffer in, int at, long segment, long offset) {
        if (in.getLong(at) != MAGIC
                || in.getInt(at + CHECK_AT) != Checks.check(in, at, CHECK_AT, segment, offset)) {
            return null;
        }
        int length = in.getInt(at + 40);
        return length < REMOVAL
                ? null
                : new FrameHeader(
                        new RecordHash(in.getLong(at + 8), in.getLong(at + 16)),
                        in.getLong(at + 24),
                        in.getLong(at + 32),
                        length,
                        in.getInt(at + 44));
    }
}
