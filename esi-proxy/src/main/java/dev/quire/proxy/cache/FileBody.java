package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A body that is in a file, in place of the bytes of a response. It is only sent as it is.
 *
 * @param record released with the response
 * @param start the place of the body in it
 * @param bytes its length
 */
public record FileBody(OpenRecord record, int start, int bytes) implements Representations {

    /** A body of so many bytes is sent by the kernel; a shorter one costs less in one write. */
    public static final int SENDFILE_BYTES = 64 * 1024;

    /** Whether the body of {@code response} is only sent as it is. */
    static boolean maySend(StoredResponse response) {
        return response.compiled() == null && !response.isRecoded();
    }

    /**
     * Returns {@code length} bytes of the body at {@code from} as a message for channels, which the
     * caller releases.
     */
    public FileRegion region(int from, int length) {
        return record.region((long) start + from, length);
    }

    /**
     * Reads {@code length} bytes of the body at {@code from}, which the caller releases; null if
     * they cannot be read. Then the record is not found any more.
     */
    public @Nullable ByteBuf read(int from, int length, ByteBufAllocator alloc) {
        var bytes = alloc.directBuffer(length, length);
        try {
            record.read((long) start + from, length, bytes);
            return bytes;
        } catch (IOException e) {
            bytes.release();
            return null;
        }
    }

    @Override
    public Pieces pieces() {
        throw isInFile();
    }

    IllegalStateException isInFile() {
        return new IllegalStateException("expected a body in memory, found it in a file");
    }
}
