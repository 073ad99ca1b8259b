package dev.quire.proxy.disk;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads records from segments, and checks them. */
final class RecordReader {
    private RecordReader() {}

    /**
     * Fills {@code record} with the record after {@code header}. Returns false if it is damaged.
     *
     * @param place of the frame
     */
    static boolean fill(ByteBuf record, Segment segment, long place, FrameHeader header)
            throws IOException {
        var bytes = record.nioBuffer(0, header.length());
        if (!Checks.readFully(segment.file(), bytes, place + FrameHeader.BYTES)) {
            return false;
        }
        record.writerIndex(header.length());
        return isWhole(bytes.flip(), header);
    }

    private static boolean isWhole(ByteBuffer record, FrameHeader header) {
        var check = new CRC32C();
        check.update(record);
        return (int) check.getValue() == header.check();
    }

    /**
     * Reads the frame at {@code place} with one call. Null if its header is damaged.
     *
     * @param mostBytes the upper bound of its length
     */
    static @Nullable Frame frame(Segment segment, long place, long mostBytes) throws IOException {
        int most = (int) Math.max(mostBytes, FrameHeader.BYTES);
        var memory = PooledByteBufAllocator.DEFAULT.directBuffer(most, most);
        Frame frame = null;
        try {
            var bytes = memory.internalNioBuffer(0, most);
            int start = bytes.position();
            Checks.readFully(segment.file(), bytes, place);
            memory.writerIndex(bytes.position() - start);
            frame = frame(memory, segment, place);
        } finally {
            if (frame == null) {
                memory.release();
            }
        }
        return frame;
    }

    private static @Nullable Frame frame(ByteBuf memory, Segment segment, long place) {
        if (memory.readableBytes() < FrameHeader.BYTES) {
            return null;
        }
        var header =
                FrameHeader.read(
                        memory.nioBuffer(0, FrameHeader.BYTES), 0, segment.number(), place);
        return header == null ? null : new Frame(header, memory);
    }

    /**
     * A frame that was read.
     *
     * @param memory has its header and what the file has of its record, and may have more; its
     *     owner releases it
     */
    record Frame(FrameHeader header, ByteBuf memory) {

        /** Returns the record, a part of the memory; null if it is damaged or missing. */
        @Nullable ByteBuf record() {
            int end = FrameHeader.BYTES + header.length();
            if (header.isRemoval() || memory.writerIndex() < end) {
                return null;
            }
            var bytes = memory.internalNioBuffer(FrameHeader.BYTES, header.length());
            return isWhole(bytes, header) ? memory.slice(FrameHeader.BYTES, header.length()) : null;
        }
    }
}
