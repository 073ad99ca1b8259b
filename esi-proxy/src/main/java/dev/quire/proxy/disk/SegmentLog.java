package dev.quire.proxy.disk;

import dev.quire.proxy.cache.OpenRecord;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.cache.RecordPlace;
import dev.quire.proxy.exchange.PlainWords;
import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records by their ids, in append-only files of one directory. The oldest records go first. A
 * record that was flushed, or read, is there after a crash of the process.
 *
 * <p>Whatever writes holds the lock of this object, so a caller waits for another. Whatever reads
 * or writes blocks, and is called on platform threads that are never interrupted: an interrupt
 * closes the file for all threads.
 */
public final class SegmentLog implements RecordLog, AutoCloseable {
    /*
     * Of two frames with one id, the later in the log is valid: that of the greater segment number,
     * then of the greater place. So a restart needs no order of its own. It follows that no frame
     * may be lost that removes or replaces an earlier one which is still in a file. That is why
     * segments are deleted from the oldest on, why a segment with damage in its middle takes the
     * older ones with it, and why the file "format" is deleted while a removal cannot be written:
     * the next start then deletes all segments.
     */

    private static final Duration PAUSE = Duration.ofSeconds(30);

    /**
     * Removals that wait for the end of a pause, which take some 5 MB of the heap. If there are
     * more, the log is emptied.
     */
    static final int MAX_PENDING = 1 << 16;

    /** Look-ups that another thread may disturb. */
    private static final int ATTEMPTS = 3;

    private final LogDirectory directory;
    private final LogSequence sequence;
    private final InstantSource wall;
    private final IndexTable table;
    private final Segments segments;
    private final LogWriter writer;
    private final Loading.Losses losses;
    private final LinkedHashSet<RecordHash> pending = new LinkedHashSet<>();
    private final Queue<Segment> doubtful = new ConcurrentLinkedQueue<>();
    private final AtomicLong appended = new AtomicLong();
    private final AtomicLong damaged = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** Whether files remain that are to be deleted. */
    private boolean isDropping;

    /** Whether the next start uses the files. */
    private boolean isValid = true;

    /** Then the files may be those of another log. */
    private boolean isClosed;

    private volatile @Nullable Instant pausedAt;
    private volatile @Nullable String failure;

    /** The segment of the last damaged record; 0 before the first. */
    private volatile long damagedSegment;

    private SegmentLog(
            LogDirectory directory,
            LogSequence sequence,
            InstantSource wall,
            IndexTable table,
            Segments segments,
            LogWriter writer,
            Loading.Losses losses) {
        this.directory = directory;
        this.sequence = sequence;
        this.wall = wall;
        this.table = table;
        this.segments = segments;
        this.writer = writer;
        this.losses = losses;
    }

    /**
     * Opens the log in {@code directory}, which no other log uses. Files of another tier, of
     * another version, and of a later position than the current one are deleted.
     *
     * @param sizeBytes of all files, at least 16 MiB
     * @param indexBytes the bound of the index in memory, at least 1 MiB
     * @param tier id of the sequence of invalidations that positions belong to
     * @param position the last one in it that every later process will know
     */
    public static SegmentLog open(
            Path directory,
            long sizeBytes,
            long indexBytes,
            UUID tier,
            LongSupplier position,
            Reinsertion again,
            InstantSource wall)
            throws IOException {
        return open(
                new LogDirectory(directory, FileAccess.SYSTEM),
                sizeBytes,
                indexBytes,
                new LogSequence(tier, position, again),
                wall);
    }

    static SegmentLog open(
            LogDirectory directory,
            long sizeBytes,
            long indexBytes,
            LogSequence sequence,
            InstantSource wall)
            throws IOException {
        var tier = sequence.tier();
        if (!directory.format().read().equals(new TierFormat.Reading.Known(tier))) {
            directory.deleteAll();
            directory.format().write(tier);
        }
        var space = directory.access().space(directory.path());
        var size = LogSize.of(sizeBytes, directory.bytes(), space);
        var table = new IndexTable(indexBytes, tier);
        var segments = new Segments(size.slots());
        SegmentLog opened = null;
        try {
            long position = sequence.position().getAsLong();
            var loading = new Loading(directory, tier, position, table, segments);
            var last = loading.load(size);
            var writer = new LogWriter(directory, sequence, wall, size, table, segments);
            if (last != null) {
                writer.resume(last);
            }
            opened =
                    new SegmentLog(
                            directory, sequence, wall, table, segments, writer, loading.losses());
            return opened;
        } finally {
            if (opened == null) {
                segments.removeAll();
            }
        }
    }

    /** Why all files were deleted when the log was opened, in the words of operators; or null. */
    @Nullable String emptied() {
        return losses.emptied();
    }

    @Override
    public synchronized boolean append(
            RecordHash id, long position, long expiryMillis, ByteBuf record) {
        if (isClosed) {
            return false;
        }
        try {
            if (isWriting() && writer.append(id, position, expiryMillis, record)) {
                appended.incrementAndGet();
                return true;
            }
        } catch (IOException e) {
            pause(e);
        }
        remove(id);
        return false;
    }

    @Override
    public synchronized void remove(RecordHash id) {
        if (isClosed) {
            return;
        }
        // In this order: a reader may lose the record meanwhile.
        if (!table.remove(id) && !segments.mayHaveOthers()) {
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
        pending.add(id);
        invalidate();
        if (pending.size() > MAX_PENDING) {
            drop();
        }
    }

    /** The next start deletes all segments, unless this process completes its work before. */
    private void invalidate() {
        if (isValid && (isDropping || !pending.isEmpty())) {
            try {
                directory.format().delete();
                isValid = false;
            } catch (IOException e) {
                failure = PlainWords.of(e);
            }
        }
    }

    /** Ends a pause if it is time; then writes what waits for it. */
    private boolean isWriting() throws IOException {
        dropDoubtful();
        var since = pausedAt;
        if (since != null) {
            // It may have failed before.
            invalidate();
            var passed = Duration.between(since, wall.instant());
            if (!passed.isNegative() && passed.compareTo(PAUSE) < 0) {
                return false;
            }
            writer.recover();
            complete();
            pausedAt = null;
        }
        writer.removeLost();
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
        writer.flush();
        if (isDropping || !pending.isEmpty()) {
            // It may be there although this fails.
            isValid = true;
            directory.format().write(sequence.tier());
        }
        isDropping = false;
        pending.clear();
    }

    private void pause(IOException e) {
        failure = PlainWords.of(e);
        failed.incrementAndGet();
        pausedAt = wall.instant();
        var frames = writer.takeUnwritten();
        // The file may have some of them, which the next start would find.
        boolean areGone = frames.isEmpty() || cut();
        for (var frame : frames) {
            var id = frame.header().id();
            table.remove(id);
            if (!frame.isFirst() || !areGone) {
                removeLater(id);
            }
        }
    }

    /** Cuts the newest file behind its last frame; returns false if that is not possible. */
    private boolean cut() {
        try {
            writer.cut();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void writeAgain(boolean isWanted) {
        writer.writeAgain(isWanted);
    }

    @Override
    public synchronized void flush() {
        try {
            writer.flush();
        } catch (IOException e) {
            pause(e);
        }
    }

    @Override
    public boolean mayHaveOthers() {
        return segments.mayHaveOthers();
    }

    @Override
    public boolean has(RecordHash id) {
        return table.find(id) != 0;
    }

    @Override
    public @Nullable RecordPlace find(RecordHash id) {
        var found = retained(id);
        if (found == null) {
            return null;
        }
        table.markFound(id, found.location);
        found.release();
        return new Place(id, found.segment.number(), found.location);
    }

    /** A record in this log. */
    private final class Place implements RecordPlace {
        private final RecordHash id;

        /** The number: another segment may get the same slot. */
        private final long segment;

        private final long location;

        Place(RecordHash id, long segment, long location) {
            this.id = id;
            this.segment = segment;
            this.location = location;
        }

        @Override
        public @Nullable Found open() {
            // Clients that are slow may keep the files of many evicted segments.
            var found = segments.removedBytes() > writer.maxRemovedBytes() ? null : found();
            if (found != null) {
                table.markFound(id, found.location);
            }
            return found;
        }

        private @Nullable Found found() {
            var found = retained(id);
            if (found == null) {
                return null;
            }
            if (found.segment.number() == segment
                    && FrameLocation.isSame(found.location, location)) {
                return found;
            }
            found.release();
            return null;
        }

        @Override
        public @Nullable ByteBuf read() {
            var found = found();
            if (found == null) {
                return null;
            }
            try {
                return SegmentLog.this.read(found);
            } finally {
                found.release();
            }
        }
    }

    @Override
    public long maxRecordBytes() {
        return writer.maxRecordBytes();
    }

    /**
     * A lower bound of the positions of all records in the files; {@link Long#MAX_VALUE} if there
     * are none. Never blocks.
     */
    public long oldestPosition() {
        return segments.oldest();
    }

    /** Returns the record of {@code id} in its file, or null. To be released. Never blocks. */
    @Nullable Found retained(RecordHash id) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long location = table.find(id);
            if (location == 0) {
                return null;
            }
            var segment = segments.at(FrameLocation.slot(location));
            if (segment != null && segment.retain()) {
                // Else the slot may have another segment by now.
                if (FrameLocation.isSame(location, table.find(id)) && !segment.isTooDamaged()) {
                    return new Found(id, segment, location);
                }
                segment.release();
            }
        }
        return null;
    }

    /** A record in a segment. */
    final class Found implements OpenRecord {
        private final RecordHash id;
        private final Segment segment;
        private final long location;

        Found(RecordHash id, Segment segment, long location) {
            this.id = id;
            this.segment = segment;
            this.location = location;
        }

        @Override
        public FileRegion region(long from, long bytes) {
            return new SegmentRegion(segment, place() + from, bytes, this::lost);
        }

        @Override
        public void read(long from, int bytes, ByteBuf to) throws IOException {
            var target = to.internalNioBuffer(to.writerIndex(), bytes);
            try {
                if (!Checks.readFully(segment.file(), target, place() + from)) {
                    throw new EOFException("segment " + segment.number() + " is cut");
                }
            } catch (IOException e) {
                failure = PlainWords.of(e);
                lost();
                throw e;
            }
            to.writerIndex(to.writerIndex() + bytes);
        }

        /** Counts it once, however many clients receive it. */
        private void lost() {
            if (FrameLocation.isSame(location, table.find(id))) {
                lose(this);
            }
        }

        private long place() {
            return FrameLocation.place(location) + FrameHeader.BYTES;
        }

        /** Whether its frame is in the file. */
        boolean isWritten() {
            return FrameLocation.place(location) < segment.end();
        }

        @Override
        public void release() {
            segment.release();
        }
    }

    /** Returns null if the record is damaged or cannot be read; then it leaves the index. */
    @Nullable ByteBuf read(Found found) {
        if (!isInFile(found)) {
            return null;
        }
        RecordReader.Frame frame = null;
        try {
            frame =
                    RecordReader.frame(
                            found.segment,
                            FrameLocation.place(found.location),
                            FrameLocation.frameBytes(found.location));
            if (frame != null && !frame.header().id().equals(found.id)) {
                // Another id has the same hash.
                return null;
            }
            var record = frame == null ? null : frame.record();
            if (record != null) {
                frame = null;
                return record;
            }
        } catch (IOException e) {
            failure = PlainWords.of(e);
        } finally {
            if (frame != null) {
                frame.memory().release();
            }
        }
        lose(found);
        return null;
    }

    /** Returns whether its frame is in the file, and writes it if needed. */
    private boolean isInFile(Found found) {
        if (!found.isWritten()) {
            writer.awaitWritten(found::isWritten);
        }
        if (!found.isWritten()) {
            flush();
        }
        return found.isWritten();
    }

    private void lose(Found found) {
        var segment = found.segment;
        damagedSegment = segment.number();
        damaged.incrementAndGet();
        segments.lose(new Segments.Lost(found.id, found.location));
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
                segments.loseAll(next.number());
                table.removeSegment(next.slot());
            }
        }
    }

    public LogStats stats() {
        return new LogStats(
                table.count(),
                segments.bytes(),
                segments.count(),
                table.bytes(),
                appended.get(),
                writer.reinserted(),
                writer.evicted(),
                damaged.get(),
                damagedSegment,
                losses.files(),
                failed.get(),
                pausedAt != null,
                failure);
    }

    /** Completes the newest segment. The next record opens another. */
    public synchronized void seal() {
        try {
            if (isWriting()) {
                writer.seal();
            }
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Removes all records. */
    public synchronized void drop() {
        if (isClosed) {
            return;
        }
        table.clear();
        pending.clear();
        segments.lost().clear();
        isDropping = true;
        invalidate();
        try {
            complete();
        } catch (IOException e) {
            pause(e);
        }
    }

    /** Completes the newest segment and closes the files, those in use when they are released. */
    @Override
    public synchronized void close() throws IOException {
        seal();
        closeFiles();
    }

    /** Closes the files without writing. */
    synchronized void closeFiles() throws IOException {
        isClosed = true;
        try {
            writer.close();
        } finally {
            segments.removeAll();
        }
    }
}
