package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records by their ids, in append-only files of one directory. The oldest records go first. A
 * record that was appended is there after a crash of the process.
 *
 * <p>{@link #append}, {@link #remove}, {@link #seal}, {@link #drop} and {@link #close} are called
 * by one thread at a time, the writer. The other methods are thread-safe. Whatever reads or writes
 * blocks, and is called on platform threads that are never interrupted: an interrupt closes the
 * file for all threads.
 */
public final class SegmentLog implements AutoCloseable {
    /*
     * Of two frames with one id, the later in the log is valid: that of the greater segment number,
     * then of the greater place. So a restart needs no order of its own. It follows that no frame
     * may be lost that removes or replaces an earlier one which is still in a file. That is why
     * segments are deleted from the oldest on, why a segment with damage in its middle takes the
     * older ones with it, and why the file "format" is deleted while a removal cannot be written:
     * the next start then deletes all segments.
     */

    private static final Duration PAUSE = Duration.ofSeconds(30);

    /** Removals that wait for the end of a pause. If there are more, the log is emptied. */
    static final int MAX_PENDING = 4096;

    /** Look-ups that another thread may disturb. */
    private static final int ATTEMPTS = 3;

    private final LogDirectory directory;
    private final UUID tier;
    private final Clock wall;
    private final FileChannel lock;
    private final IndexTable table;
    private final Segments segments;
    private final LogWriter writer;
    private final LinkedHashSet<RecordHash> pending = new LinkedHashSet<>();
    private final Queue<Segment> doubtful = new ConcurrentLinkedQueue<>();
    private final AtomicLong appended = new AtomicLong();
    private final AtomicLong damaged = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** Whether files remain that are to be deleted. */
    private boolean isDropping;

    private volatile @Nullable Instant pausedAt;
    private volatile @Nullable String failure;

    private SegmentLog(
            LogDirectory directory,
            UUID tier,
            Clock wall,
            FileChannel lock,
            IndexTable table,
            Segments segments,
            LogWriter writer) {
        this.directory = directory;
        this.tier = tier;
        this.wall = wall;
        this.lock = lock;
        this.table = table;
        this.segments = segments;
        this.writer = writer;
    }

    /**
     * Opens the log in {@code directory}, which is created if it is absent. Files of another tier,
     * of another version, and of a later position than the current one are deleted.
     *
     * @param sizeBytes of all files, at least 16 MiB
     * @param indexBytes the bound of the index in memory, at least 1 MiB
     * @param tier id of the sequence of invalidations that positions belong to
     * @param position the last known position in it
     * @throws IOException if the directory cannot be used, or another log uses it
     */
    public static SegmentLog open(
            Path directory,
            long sizeBytes,
            long indexBytes,
            UUID tier,
            LongSupplier position,
            Clock wall)
            throws IOException {
        return open(
                new LogDirectory(directory, FileAccess.SYSTEM),
                sizeBytes,
                indexBytes,
                tier,
                position,
                wall);
    }

    static SegmentLog open(
            LogDirectory directory,
            long sizeBytes,
            long indexBytes,
            UUID tier,
            LongSupplier position,
            Clock wall)
            throws IOException {
        var lock = directory.lock();
        var opened = new SegmentLog[1];
        try {
            if (!directory.isOf(tier)) {
                directory.deleteAll();
                directory.writeFormat(tier);
            }
            var space = directory.access().space(directory.path());
            var size = LogSize.of(sizeBytes, directory.bytes(), space);
            var table = new IndexTable(indexBytes, tier);
            var segments = new Segments(size.slots());
            long now = position.getAsLong();
            try {
                var loading = new Loading(directory, tier, now, wall.millis(), table, segments);
                var last = loading.load(size);
                var writer = new LogWriter(directory, tier, position, wall, size, table, segments);
                if (last != null) {
                    writer.resume(last);
                }
                opened[0] = new SegmentLog(directory, tier, wall, lock, table, segments, writer);
                return opened[0];
            } finally {
                if (opened[0] == null) {
                    segments.all().forEach(Segment::release);
                }
            }
        } finally {
            if (opened[0] == null) {
                lock.close();
            }
        }
    }

    /**
     * Appends {@code record}, which the caller still owns; its indexes are not changed. It replaces
     * the earlier record of {@code id}. Returns false if it was not written; then the earlier
     * record is removed.
     *
     * @param position up to which invalidations were applied to the record
     * @param expiryMillis when the record has no more use, on the wall clock
     */
    public boolean append(RecordHash id, long position, long expiryMillis, ByteBuf record) {
        try {
            if (isWriting()
                    && writer.append(
                            LogWriter.header(id, position, expiryMillis, record), record)) {
                appended.incrementAndGet();
                return true;
            }
        } catch (IOException e) {
            pause(e);
        }
        remove(id);
        return false;
    }

    /** Removes the record of {@code id}, also from the next start on. */
    public void remove(RecordHash id) {
        boolean isNeeded = segments.mayHaveOthers();
        if (!table.remove(id) && !isNeeded) {
            return;
        }
        try {
            if (isWriting()) {
                writer.appendRemoval(id);
                return;
            }
        } catch (IOException e) {
            pause(e);
        }
        removeLater(id);
    }

    private void removeLater(RecordHash id) {
        if (pending.isEmpty()) {
            try {
                directory.deleteFormat();
            } catch (IOException e) {
                failure = e.toString();
            }
        }
        pending.add(id);
        if (pending.size() > MAX_PENDING) {
            drop();
        }
    }

    /** Ends a pause if it is time; then writes what waits for it. */
    private boolean isWriting() throws IOException {
        dropDoubtful();
        var since = pausedAt;
        if (since != null) {
            var passed = Duration.between(since, wall.instant());
            if (!passed.isNegative() && passed.compareTo(PAUSE) < 0) {
                return false;
            }
            writer.recover();
            complete();
            pausedAt = null;
        }
        return true;
    }

    /** Writes what the log owes, and makes it valid for the next start. */
    private void complete() throws IOException {
        if (isDropping) {
            writer.discardAll();
        }
        for (var id : pending) {
            writer.appendRemoval(id);
        }
        if (isDropping || !pending.isEmpty()) {
            directory.writeFormat(tier);
        }
        isDropping = false;
        pending.clear();
    }

    private void pause(IOException e) {
        failure = e.toString();
        failed.incrementAndGet();
        pausedAt = wall.instant();
    }

    /** Returns where the record of {@code id} is, or null. To be released. Never blocks. */
    public @Nullable Found find(RecordHash id) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long location = table.find(id);
            if (location == 0) {
                return null;
            }
            var segment = segments.at(FrameLocation.slot(location));
            if (segment != null && segment.retain()) {
                // Else the slot may have another segment by now.
                if (FrameLocation.isSame(location, table.find(id)) && !segment.isTooDamaged()) {
                    table.markFound(id, location);
                    return new Found(id, segment, location);
                }
                segment.release();
            }
        }
        return null;
    }

    /** A record in a file that remains readable until {@link #release}. */
    public static final class Found {
        private final RecordHash id;
        private final Segment segment;
        private final long location;

        Found(RecordHash id, Segment segment, long location) {
            this.id = id;
            this.segment = segment;
            this.location = location;
        }

        /** The length of the record, or at most 2 KiB more. */
        public long maxBytes() {
            return FrameLocation.frameBytes(location) - FrameHeader.BYTES;
        }

        /** Gives the file back. To be called once. */
        public void release() {
            segment.release();
        }
    }

    /**
     * Reads a record into direct memory of its exact length, which the caller releases. Returns
     * null if the record is damaged or cannot be read; then it leaves the index. Blocks.
     */
    public @Nullable ByteBuf read(Found found) {
        long place = FrameLocation.place(found.location);
        ByteBuf record = null;
        try {
            var header = found.segment.header(place);
            if (header != null && !header.id().equals(found.id)) {
                // Another id has the same hash.
                return null;
            }
            if (header != null && !header.isRemoval()) {
                record = Unpooled.directBuffer(header.length(), header.length());
                if (RecordReader.fill(record, found.segment, place, header)) {
                    var whole = record;
                    record = null;
                    return whole;
                }
            }
        } catch (IOException e) {
            failure = e.toString();
        } finally {
            if (record != null) {
                record.release();
            }
        }
        lose(found);
        return null;
    }

    private void lose(Found found) {
        var segment = found.segment;
        damaged.incrementAndGet();
        segments.lose(segment.number());
        table.remove(found.id, found.location);
        if (segment.countDamaged()) {
            doubtful.add(segment);
        }
    }

    /**
     * Removes the records of segments with too much damage. Their files remain until their turn:
     * they may have removals.
     */
    private void dropDoubtful() {
        for (var next = doubtful.poll(); next != null; next = doubtful.poll()) {
            if (segments.at(next.slot()) == next) {
                table.removeSegment(next.slot());
            }
        }
    }

    /**
     * A record in the log.
     *
     * @param position up to which invalidations were applied to the record
     * @param expiryMillis when the record has no more use, on the wall clock
     * @param length in bytes
     */
    public record Stored(RecordHash id, long position, long expiryMillis, int length) {}

    /** Shows the records in the order of the log. Blocks: reads the headers of all frames. */
    public void forEach(Consumer<Stored> visitor) throws IOException {
        for (var segment : segments.all()) {
            if (!segment.retain()) {
                continue;
            }
            try {
                new FrameScan(segment, false)
                        .scan(
                                SegmentHeader.BYTES,
                                segment.end(),
                                (place, header) -> show(segment, place, header, visitor));
            } finally {
                segment.release();
            }
        }
    }

    private void show(Segment segment, long place, FrameHeader header, Consumer<Stored> visitor) {
        long location = table.find(header.id());
        if (location != 0
                && FrameLocation.isSame(
                        location, FrameLocation.of(segment.slot(), place, header))) {
            visitor.accept(
                    new Stored(
                            header.id(),
                            header.position(),
                            header.expiryMillis(),
                            header.length()));
        }
    }

    /**
     * The state of the log.
     *
     * @param objects records in the index
     * @param bytes of all files
     * @param indexBytes memory of the index
     * @param appended records, since the start
     * @param reinserted records that were written again when their segment was evicted
     * @param evicted segments
     * @param damaged records that could not be read
     * @param failedWrites since the start
     * @param isPaused whether nothing is written at the moment
     * @param failure the last error, or null
     */
    public record Stats(
            long objects,
            long bytes,
            int segments,
            long indexBytes,
            long appended,
            long reinserted,
            long evicted,
            long damaged,
            long failedWrites,
            boolean isPaused,
            @Nullable String failure) {}

    public Stats stats() {
        return new Stats(
                table.count(),
                segments.bytes(),
                segments.count(),
                table.bytes(),
                appended.get(),
                writer.reinserted(),
                writer.evicted(),
                damaged.get(),
                failed.get(),
                pausedAt != null,
                failure);
    }

    /** Completes the newest segment. The next record opens another. */
    public void seal() {
        try {
            if (isWriting()) {
                writer.seal();
            }
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Removes all records. */
    public void drop() {
        table.clear();
        pending.clear();
        isDropping = true;
        try {
            directory.deleteFormat();
            complete();
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Completes the newest segment and closes the files, those in use when they are released. */
    @Override
    public void close() throws IOException {
        try (lock) {
            seal();
            writer.close();
        } finally {
            for (var segment : List.copyOf(segments.all())) {
                segments.remove(segment);
            }
        }
    }
}
