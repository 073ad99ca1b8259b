package dev.quire.proxy.disk;

import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link SegmentLog}.
 *
 * @param objects records in the index
 * @param bytes of all files
 * @param indexBytes memory of the index
 * @param appended records, since the start
 * @param reinserted records that were written again when their segment was evicted
 * @param evicted segments
 * @param damaged records that could not be read
 * @param damagedSegment the number of the segment of the last of these; 0 before the first
 * @param lostFiles segments that the start deleted since records or removals in them are lost
 * @param failedWrites since the start
 * @param isPaused whether nothing is written at the moment
 * @param failure the last error, or null
 */
public record LogStats(
        long objects,
        long bytes,
        int segments,
        long indexBytes,
        long appended,
        long reinserted,
        long evicted,
        long damaged,
        long damagedSegment,
        long lostFiles,
        long failedWrites,
        boolean isPaused,
        @Nullable String failure) {

    /** Of a log that is not open yet. */
    static final LogStats NONE = new LogStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, null);
}
