package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import java.io.IOException;

/** A record in a file that remains readable until {@link #release}. Thread-safe. */
public interface OpenRecord {

    /**
     * Returns {@code bytes} of the record at {@code from} as a message for channels. The caller
     * releases it; it keeps the file readable by itself.
     */
    FileRegion region(long from, long bytes);

    /**
     * Reads {@code bytes} of the record at {@code from} into {@code to}, which has room for them.
     * Does not block if they are in the memory of the kernel. After an error the record is not
     * found any more.
     */
    void read(long from, int bytes, ByteBuf to) throws IOException;

    /** Called once. */
    void release();
}
