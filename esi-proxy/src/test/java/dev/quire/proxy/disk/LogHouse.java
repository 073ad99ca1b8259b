package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A log in a directory of a test, whose records show which ones they are. */
final class LogHouse implements AutoCloseable {
    static final UUID TIER = new UUID(0x1234, 0x5678);
    static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    static final RecordLog.Reinsertion UNCHANGED =
            (id, record) -> new RecordLog.Reinserted(Long.MAX_VALUE, record.retain());
    static final long SIZE = LogSize.MIN_BYTES;
    static final long LATER = NOON.plus(Duration.ofDays(1)).toEpochMilli();

    /** The header of a record of a test: its id and its version. */
    private static final int OWN_BYTES = 24;

    final Path path;
    final HandSetClock clock = new HandSetClock();
    final AtomicLong position = new AtomicLong(100);
    final FaultyAccess access = new FaultyAccess();
    RecordLog.Reinsertion again = UNCHANGED;

    /** Called while a record is appended. */
    Runnable whileAppending = () -> {};

    UUID tier = TIER;
    long sizeBytes = SIZE;
    long indexBytes = IndexTable.MIN_BYTES;
    SegmentLog log;

    LogHouse(Path path) throws IOException {
        this.path = Files.createDirectories(path);
        this.log = open();
    }

    /** A clock that goes on when a test says so. */
    static final class HandSetClock extends Clock {
        private volatile Instant now = NOON;

        void pass(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    SegmentLog open() throws IOException {
        return SegmentLog.open(
                new LogDirectory(path, access),
                sizeBytes,
                indexBytes,
                new LogSequence(tier, this::position, again),
                clock);
    }

    private long position() {
        whileAppending.run();
        return position.get();
    }

    void reopen() throws IOException {
        log.close();
        log = open();
    }

    /** Copies the files as if the process was killed once all so far was written. */
    void crash(Path copy) throws IOException {
        log.flush();
        copy(path, copy);
    }

    static void copy(Path from, Path to, CopyOption... options) throws IOException {
        Files.createDirectories(to);
        try (var files = Files.list(from)) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), options);
            }
        }
    }

    static RecordHash id(long number) {
        return new RecordHash(number * 0x9e3779b97f4a7c15L, number);
    }

    /** A record whose bytes all depend on its id and its version. */
    static ByteBuf record(long number, int version, int length) {
        return Unpooled.wrappedBuffer(bytes(number, version, length));
    }

    static ByteBuf direct(long number, int version, int length) {
        return Unpooled.directBuffer(length).writeBytes(bytes(number, version, length));
    }

    private static byte[] bytes(long number, int version, int length) {
        int all = Math.max(length, OWN_BYTES);
        var bytes = ByteBuffer.allocate(all);
        bytes.putLong(number).putLong(version).putLong(all);
        var random = new SplittableRandom(number * 31 + version);
        while (bytes.remaining() >= Long.BYTES) {
            bytes.putLong(random.nextLong());
        }
        while (bytes.hasRemaining()) {
            bytes.put((byte) random.nextInt());
        }
        return bytes.array();
    }

    /** Returns whether the record is in the file. */
    boolean put(long number, int version, int length) {
        boolean isAppended = append(number, version, length);
        log.flush();
        return isAppended && log.has(id(number));
    }

    /** Appends a record, which may be written later. */
    boolean append(long number, int version, int length) {
        return log.append(id(number), position.get(), LATER, record(number, version, length));
    }

    boolean put(long number) {
        return put(number, 1, 1000);
    }

    /** Returns the version of the record, or null if the log has none; fails if it is wrong. */
    static @Nullable Integer version(RecordLog log, long number) {
        var record = log.read(id(number));
        if (record == null) {
            return null;
        }
        try {
            return version(number, record);
        } finally {
            record.release();
        }
    }

    private static int version(long number, ByteBuf record) {
        // In few calls: the detector of leaks notes each.
        var bytes = new byte[record.readableBytes()];
        record.getBytes(0, bytes);
        int version = (int) ByteBuffer.wrap(bytes).getLong(8);
        if (!Arrays.equals(bytes(number, version, bytes.length), bytes)
                || !record.isDirect()
                || record.capacity() != bytes.length) {
            throw new AssertionError("a wrong record for " + number);
        }
        return version;
    }

    @Nullable Integer version(long number) {
        return version(log, number);
    }

    @Override
    public void close() throws IOException {
        log.close();
        access.awaitOpen(0);
    }
}
