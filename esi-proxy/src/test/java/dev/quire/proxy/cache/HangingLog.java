package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Returns no record that it reads, and appends none, before it may, and counts both.
 *
 * @param goOn for reads
 * @param append for appends
 */
record HangingLog(
        RecordLog log,
        CountDownLatch goOn,
        CountDownLatch append,
        AtomicInteger reads,
        AtomicInteger appends)
        implements RecordLog {

    /** Only reads have to wait. */
    HangingLog(RecordLog log) {
        this(log, new CountDownLatch(1), new CountDownLatch(0));
    }

    private HangingLog(RecordLog log, CountDownLatch goOn, CountDownLatch append) {
        this(log, goOn, append, new AtomicInteger(), new AtomicInteger());
    }

    /** Appends have to wait as reads have. */
    static HangingLog ofAppends(RecordLog log) {
        var goOn = new CountDownLatch(1);
        return new HangingLog(log, goOn, goOn);
    }

    /** Only counts. */
    static HangingLog counting(RecordLog log) {
        return new HangingLog(log, new CountDownLatch(0), new CountDownLatch(0));
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
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
        var place = log.find(id);
        return place == null ? null : new HangingPlace(place);
    }

    /** A record that is read later. */
    private final class HangingPlace implements RecordPlace {
        private final RecordPlace place;

        HangingPlace(RecordPlace place) {
            this.place = place;
        }

        @Override
        public @Nullable ByteBuf read() {
            var record = place.read();
            reads.incrementAndGet();
            HangingLog.await(goOn);
            return record;
        }

        @Override
        public @Nullable OpenRecord open() {
            return place.open();
        }
    }

    @Override
    public boolean append(RecordHash id, long position, long expiryMillis, ByteBuf record) {
        appends.incrementAndGet();
        await(append);
        return log.append(id, position, expiryMillis, record);
    }

    @Override
    public void remove(RecordHash id) {
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
