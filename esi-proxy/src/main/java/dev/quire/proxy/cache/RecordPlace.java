package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Where a {@link RecordLog} has a record. Thread-safe. */
public interface RecordPlace {

    /**
     * Reads the record, whose bytes are checked, into pooled direct memory, which the caller
     * releases. Returns null if it is not there any more, or cannot be read.
     */
    @Nullable ByteBuf read();

    /**
     * Returns the record for sending, which the caller releases; null if it is not there any more,
     * or if too many files are kept for sending. Never blocks.
     */
    @Nullable OpenRecord open();
}
