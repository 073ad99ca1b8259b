package dev.quire.proxy.disk;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A log in a directory of a test, whose records show which ones they are. */
final class LogHouse implements AutoCloseable {
    static final UUID TIER = new UUID(0x1234, 0x5678);
    static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");
    static final long SIZE = LogSize.MIN_BYTES;
    static final long LATER = NOON.plus(Duration.ofDays(1)).toEpochMilli();

    /** The header of a record of a test: its id and its version. */
    private static final int OWN_BYTES = 24;

    final Path path;
    final HandSetClock clock = new HandSetClock();
    final AtomicLong position = new AtomicLong(100);
    final FaultyAccess access = new FaultyAccess();
    UUID tier = TIER;
    long sizeBytes = SIZE;
    long indexBytes = IndexTable.MIN_BYTES;
    SegmentLog log;

    LogHouse(Path path) throws IOException {
        this.path = path;
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
                new LogDirectory(path, access), sizeBytes, indexBytes, tier, position::get, clock);
    }

    void reopen() throws IOException {
        log.close();
        log = open();
    }

    /** Opens a copy of the files as they are now, as if the process was killed. */
    void crash(Path copy) throws IOException {
        Files.createDirectories(copy);
        try (var files = Files.list(path)) {
            for (var file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
    }

    static RecordId id(long number) {
        return new RecordId(number * 0x9e3779b97f4a7c15L, number);
    }

    /** A record whose bytes all depend on its id and its version. */
    static ByteBuf record(long number, int version, int length) {
        var bytes = Unpooled.buffer(Math.max(length, OWN_BYTES));
        bytes.writeLong(number).writeLong(version).writeLong(Math.max(length, OWN_BYTES));
        var random = new SplittableRandom(number * 31 + version);
        while (bytes.writableBytes() >= Long.BYTES) {
            bytes.writeLong(random.nextLong());
        }
        while (bytes.isWritable()) {
            bytes.writeByte(random.nextInt());
        }
        return bytes;
    }

    boolean put(long number, int version, int length) {
        return log.append(id(number), position.get(), LATER, record(number, version, length));
    }

    boolean put(long number) {
        return put(number, 1, 1000);
    }

    /** Returns the version of the record, or null if the log has none; fails if it is wrong. */
    static @Nullable Integer version(SegmentLog log, long number) {
        var found = log.find(id(number));
        if (found == null) {
            return null;
        }
        try {
            var record = log.read(found);
            if (record == null) {
                return null;
            }
            try {
                int version = (int) record.getLong(8);
                var expected = record(number, version, (int) record.getLong(16));
                if (!expected.equals(record)
                        || !record.isDirect()
                        || record.capacity() != record.readableBytes()
                        || found.maxBytes() < record.readableBytes()) {
                    throw new AssertionError("a wrong record for " + number);
                }
                return version;
            } finally {
                record.release();
            }
        } finally {
            found.release();
        }
    }

    @Nullable Integer version(long number) {
        return version(log, number);
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
