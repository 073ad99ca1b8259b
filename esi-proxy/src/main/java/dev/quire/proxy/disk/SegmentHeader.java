package dev.quire.proxy.disk;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The start of a segment.
 *
 * @param tier that the segment belongs to
 * @param position the last known one of the invalidations when the segment was opened
 * @param openedMillis when that was, on the wall clock
 */
record SegmentHeader(int version, UUID tier, long position, long openedMillis) {
    /*
     * All numbers are big-endian.
     *
     *    0   8   magic
     *    8   4   version of the format
     *   12   4   0
     *   16   8   number of the segment
     *   24  16   id of the tier
     *   40   8   position
     *   48   8   opened at, in milliseconds since 1970
     *   56   4   0
     *   60   4   CRC-32C of all before
     */

    static final int BYTES = 64;

    /** QUIRESEG. */
    private static final long MAGIC = 0x51554952_45534547L;

    private static final int CHECK_AT = BYTES - Integer.BYTES;

    ByteBuffer toBytes(long number) {
        var out = ByteBuffer.allocate(BYTES);
        out.putLong(MAGIC).putInt(version).putInt(0).putLong(number);
        out.putLong(tier.getMostSignificantBits()).putLong(tier.getLeastSignificantBits());
        out.putLong(position).putLong(openedMillis).putInt(0);
        return out.putInt(Checks.check(out, 0, CHECK_AT, number, 0)).flip();
    }

    /** Returns the header of the segment {@code number}, or null if the bytes are not one. */
    static @Nullable SegmentHeader read(ByteBuffer in, long number) {
        if (in.remaining() < BYTES
                || in.getLong(0) != MAGIC
                || in.getInt(CHECK_AT) != Checks.check(in, 0, CHECK_AT, number, 0)) {
            return null;
        }
        return new SegmentHeader(
                in.getInt(8),
                new UUID(in.getLong(24), in.getLong(32)),
                in.getLong(40),
                in.getLong(48));
    }
}
