package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a segment in their order. Confined to one thread. */
final class FrameScan {
    private static final int WINDOW_BYTES = 1 << 16;

    private final Segment segment;
    private final boolean checksLast;
    private final ByteBuffer window = ByteBuffer.allocateDirect(WINDOW_BYTES).limit(0);
    private long windowAt;

    /**
     * @param checksLast whether the last record is read too, since it may be incomplete; else only
     *     the headers
     */
    FrameScan(Segment segment, boolean checksLast) {
        this.segment = segment;
        this.checksLast = checksLast;
    }

    /**
     * Shows the frames between two places. Returns the place of the first that is damaged or
     * incomplete, else {@code to}.
     */
    long scan(long from, long to, FrameVisitor visitor) throws IOException {
        long place = from;
        for (var header = header(place, to); header != null; ) {
            long end = place + header.frameBytes();
            var next = header(end, to);
            if (end > to || (next == null && checksLast && !isRecordIntact(place, header))) {
                return place;
            }
            visitor.frame(place, header);
            place = end;
            header = next;
        }
        return place;
    }

    /** Whether a frame begins behind that at {@code place}, which is damaged or incomplete. */
    boolean isFollowed(long place, long to) throws IOException {
        var damaged = header(place, to);
        // The bytes of a record may be those of a header.
        long next = place + (damaged == null ? FrameHeader.UNIT : damaged.frameBytes());
        while (next < to && header(next, to) == null) {
            next += FrameHeader.UNIT;
        }
        return next < to;
    }

    private @Nullable FrameHeader header(long place, long to) throws IOException {
        if (to - place < FrameHeader.BYTES || !holds(place, FrameHeader.BYTES)) {
            return null;
        }
        return FrameHeader.read(window, (int) (place - windowAt), segment.number(), place);
    }

    private boolean isRecordIntact(long place, FrameHeader header) throws IOException {
        if (header.isRemoval()) {
            return true;
        }
        var check = new CRC32C();
        long at = place + FrameHeader.BYTES;
        int left = header.length();
        while (left > 0) {
            int step = Math.min(left, WINDOW_BYTES);
            if (!holds(at, step)) {
                return false;
            }
            check.update(window.slice((int) (at - windowAt), step));
            at += step;
            left -= step;
        }
        return (int) check.getValue() == header.check();
    }

    /** Reads the bytes at {@code place}, and those after them, unless the window has them. */
    private boolean holds(long place, int length) throws IOException {
        long windowEnd = windowAt + window.limit();
        if (place < windowAt || place + length > windowEnd) {
            window.clear();
            windowAt = place;
            // Fewer bytes at the end of the file.
            Checks.readFully(segment.file(), window, place);
            window.flip();
        }
        return window.limit() - (place - windowAt) >= length;
    }
}
