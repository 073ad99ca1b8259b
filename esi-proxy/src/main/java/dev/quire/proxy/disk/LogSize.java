package dev.quire.proxy.disk;

/**
 * The bounds of a log.
 *
 * @param maxBytes of all its files
 * @param keptFreeBytes of the file system
 */
record LogSize(long maxBytes, long keptFreeBytes) {
    /** The smallest log. */
    static final long MIN_BYTES = 16L << 20;

    /** Of all files: a segment may have as much for one long frame. */
    private static final int SHARE_OF_FRAME = 8;

    private static final int SEGMENTS = 32;

    /** Of a segment: if it is filled, up to 1.5 bytes are written for a byte that is stored. */
    private static final int PERCENT_REINSERTED = 30;

    private static final long MIN_SEGMENT_BYTES = 2L << 20;

    /** Of a segment with one frame. */
    private static final long SEGMENT_OVERHEAD_BYTES =
            SegmentHeader.BYTES + IndexFile.HEADER_BYTES + IndexFile.ENTRY_BYTES;

    private static final int PERCENT = 100;
    private static final long MAX_KEPT_FREE_BYTES = 256L << 20;

    /**
     * Returns the bounds of a log that may have {@code wantedBytes}, and has {@code ownBytes} on a
     * file system with {@code space}.
     */
    static LogSize of(long wantedBytes, long ownBytes, FileAccess.Space space) {
        long kept = Math.min(space.totalBytes() / PERCENT, MAX_KEPT_FREE_BYTES);
        long possible = ownBytes + space.usableBytes() - kept;
        return new LogSize(Math.max(MIN_BYTES, Math.min(wantedBytes, possible)), kept);
    }

    /**
     * The length of a segment with its index file. Whole segments fit beside the frames that are
     * written again while the oldest segment is still there.
     */
    long segmentBytes() {
        return Math.clamp(
                maxBytes * PERCENT / (SEGMENTS * PERCENT + PERCENT_REINSERTED),
                MIN_SEGMENT_BYTES,
                FrameLocation.MAX_SEGMENT_BYTES);
    }

    /** Frames that are written again when a segment is evicted. */
    long reinsertedBytes() {
        return segmentBytes() * PERCENT_REINSERTED / PERCENT;
    }

    /** The space that is left for a segment whose first frame has {@code frameBytes}. */
    long spaceBytes(long frameBytes) {
        return Math.max(segmentBytes(), frameBytes + SEGMENT_OVERHEAD_BYTES + reinsertedBytes())
                + reinsertedBytes();
    }

    /** Removed files that clients still receive: beyond it no more records are sent from files. */
    long maxRemovedBytes() {
        return maxBytes / 4;
    }

    /** The longest frame. If it is longer than a segment, it has a longer one. */
    long maxFrameBytes() {
        return Math.clamp(
                        maxBytes / SHARE_OF_FRAME,
                        MIN_SEGMENT_BYTES,
                        FrameLocation.MAX_SEGMENT_BYTES)
                - SEGMENT_OVERHEAD_BYTES;
    }

    long maxRecordBytes() {
        return maxFrameBytes() / FrameHeader.UNIT * FrameHeader.UNIT - FrameHeader.BYTES;
    }

    /** Segments, of which some may be short. */
    int slots() {
        return (int) Math.min(FrameLocation.MAX_SLOTS, 2 * (maxBytes / segmentBytes()) + 8);
    }
}
