package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Has no memory for some of the next calls.
 *
 * @param appends how many of them fail
 * @param reads the same
 * @param removals the same
 */
record LogWithoutMemory(
        RecordLog log, AtomicInteger appends, AtomicInteger reads, AtomicInteger removals)
        implements RecordLog {

    LogWithoutMemory(RecordLog log) {
        this(log, new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
    }

    private static void failIf(AtomicInteger lacks) {
        if (lacks.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("for the test");
        }
    }

    @Override
    public boolean has(RecordHash id) {
        return log.has(id);
    }

    @Override
    public boolean mayHaveOthers() {
        return log.mayHaveOthers();
    }

    @Override
    public @Nullable RecordPlace find(RecordHash id) {
        return log.find(id);
    }

    @Override
    public @Nullable ByteBuf read(RecordHash id) {
        failIf(reads);
        return log.read(id);
    }

    @Override
    public boolean append(RecordHash id, long position, long expiryMillis, ByteBuf record) {
        failIf(appends);
        return log.append(id, position, expiryMillis, record);
    }

    @Override
    public void remove(RecordHash id) {
        failIf(removals);
        log.remove(id);
    }

    @Override
    public void flush() {
        log.flush();
    }

    @Override
    public long maxRecordBytes() {
        return log.maxRecordBytes();
    }
}
