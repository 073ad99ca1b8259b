package dev.quire.proxy.disk;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.zip.CRC32C;

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
        var check = new CRC32C();
        check.update(bytes.flip());
        record.writerIndex(header.length());
        return (int) check.getValue() == header.check();
    }
}
