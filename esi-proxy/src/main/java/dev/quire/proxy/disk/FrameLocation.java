package dev.quire.proxy.disk;

/**
 * Where a frame is, in one number: the slot of its segment, its place there, the upper bound of its
 * length, and how often it was found. Never 0. Greater numbers are later in the log while the slots
 * have the order of the segments.
 */
final class FrameLocation {
    /*
     *   bits 46 to 62   slot of the segment
     *   bits 21 to 45   place / 8
     *   bits  3 to 20   length class of the frame; 0 for a removal
     *   bits  0 to 2    how often it was found, at most 7
     */

    static final int MAX_SLOTS = 1 << 17;
    static final long MAX_SEGMENT_BYTES = 256L << 20;

    private static final int MAX_FINDS = 7;
    private static final int CLASS_AT = 3;
    private static final int CLASS_BITS = 18;
    private static final int PLACE_AT = CLASS_AT + CLASS_BITS;
    private static final int PLACE_BITS = 25;
    private static final int SLOT_AT = PLACE_AT + PLACE_BITS;

    /** A class from this one on counts larger steps. */
    private static final int COARSE = 1 << (CLASS_BITS - 1);

    private static final int COARSE_SHIFT = 8;

    private FrameLocation() {}

    static long of(int slot, long place, FrameHeader header) {
        long units = header.isRemoval() ? 0 : header.frameBytes() / FrameHeader.UNIT;
        long lengthClass = units < COARSE ? units : COARSE | ((units >>> COARSE_SHIFT) + 1);
        return ((long) slot << SLOT_AT)
                | ((place / FrameHeader.UNIT) << PLACE_AT)
                | (lengthClass << CLASS_AT);
    }

    static int slot(long location) {
        return (int) (location >>> SLOT_AT);
    }

    static long place(long location) {
        return ((location >>> PLACE_AT) & ((1L << PLACE_BITS) - 1)) * FrameHeader.UNIT;
    }

    /** The length of the frame, or at most 2 KiB more. */
    static long frameBytes(long location) {
        long lengthClass = (location >>> CLASS_AT) & ((1L << CLASS_BITS) - 1);
        long units =
                (lengthClass & COARSE) == 0 ? lengthClass : (lengthClass ^ COARSE) << COARSE_SHIFT;
        return units * FrameHeader.UNIT;
    }

    static boolean isRemoval(long location) {
        return frameBytes(location) == 0;
    }

    /** How often it was found, up to a limit. */
    static int finds(long location) {
        return (int) location & MAX_FINDS;
    }

    /** Counts that it was found once more. */
    static long found(long location) {
        return finds(location) == MAX_FINDS ? location : location + 1;
    }

    /** Returns {@code target} with half of the count of {@code former}, so that counts age. */
    static long movedTo(long target, long former) {
        return target | (finds(former) >>> 1);
    }

    /** Whether both are the same place in the same slot. */
    static boolean isSame(long one, long other) {
        return one >>> PLACE_AT == other >>> PLACE_AT;
    }

    static boolean isLater(long one, long other) {
        return one >>> PLACE_AT > other >>> PLACE_AT;
    }
}
