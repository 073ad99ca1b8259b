package dev.quire.proxy.disk;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * Frames that follow the last one in the file of the newest segment, and are not written yet. Many
 * are written at once. Confined to the writer's thread.
 */
final class UnwrittenFrames {
    private static final int STAGING_BYTES = 1 << 18;

    /** Has the bytes from {@link #at} on; those before them are in the file. */
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES);

    private final Queue<Frame> frames = new ArrayDeque<>();
    private long at;
    private long bytes;

    /**
     * A frame that is not written yet.
     *
     * @param isFirst whether there is no earlier frame with its id
     */
    record Frame(long place, FrameHeader header, boolean isFirst) {
        private long end() {
            return place + header.frameBytes();
        }
    }

    /** The length of the frames. */
    long bytes() {
        return bytes;
    }

    int count() {
        return frames.size();
    }

    /** Whether a frame of this length can be added without a write. */
    boolean hasSpace(long frameBytes) {
        return frameBytes <= STAGING_BYTES - bytes;
    }

    /**
     * Adds a frame; returns its place. A frame that is longer than the space is the first, and a
     * part of it is written at once.
     *
     * @param isFirst whether there is no earlier frame with its id
     */
    long add(Segment segment, FrameHeader header, ByteBuf record, boolean isFirst)
            throws IOException {
        long place = segment.end() + bytes;
        if (frames.isEmpty()) {
            staging.clear();
            at = place;
        }
        int start = staging.position();
        boolean isAdded = false;
        try {
            stage(segment, header, record, place);
            frames.add(new Frame(place, header, isFirst));
            bytes += header.frameBytes();
            isAdded = true;
        } finally {
            if (!isAdded) {
                // The next frame has this place.
                staging.position(start);
            }
        }
        return place;
    }

    private void stage(Segment segment, FrameHeader header, ByteBuf record, long place)
            throws IOException {
        header.writeTo(staging, segment.number(), place);
        for (var piece : record.nioBuffers()) {
            int from = 0;
            while (from < piece.remaining()) {
                if (!staging.hasRemaining()) {
                    drain(segment);
                }
                int step = Math.min(staging.remaining(), piece.remaining() - from);
                staging.put(staging.position(), piece, piece.position() + from, step);
                staging.position(staging.position() + step);
                from += step;
            }
        }
        while (staging.position() % FrameHeader.UNIT != 0) {
            staging.put((byte) 0);
        }
    }

    /** Writes all to the file, and then to the index file. */
    void write(LogWriter.Open open) throws IOException {
        if (frames.isEmpty()) {
            return;
        }
        var segment = open.segment();
        var index = open.index();
        drain(segment);
        for (var frame = frames.peek(); frame != null; frame = frames.peek()) {
            if (index.isBlockFull()) {
                index.flush(frame.place(), false);
            }
            index.add(frame.place(), frame.header());
            segment.endsAt(frame.end());
            frames.remove();
            bytes -= frame.header().frameBytes();
        }
        segment.hasIndexFile(index.bytes());
    }

    private void drain(Segment segment) throws IOException {
        // A failure leaves the position, so that no frame is overwritten.
        var written = staging.duplicate().flip();
        Checks.writeFully(segment.file(), written, at);
        at += written.limit();
        staging.clear();
    }

    /** Returns the frames, which are forgotten. */
    List<Frame> taken() {
        var all = List.copyOf(frames);
        frames.clear();
        bytes = 0;
        return all;
    }
}
