package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames to the newest segment, and evicts the oldest. Confined to the writer's thread. An
 * {@link IOException} leaves the files as they were before, apart from evicted segments: then the
 * caller {@linkplain #takeUnwritten takes} the frames that are not written. The newest file may
 * have some of them behind its last frame until it is {@linkplain #cut cut}. The same holds for an
 * {@link OutOfMemoryError}, after which the caller may go on.
 */
final class LogWriter {
    /** So many bytes are written between two looks at the free space. */
    private static final long SPACE_STEP_BYTES = 1 << 20;

    /** Of the budget: a smaller part of it is not worth another look at all records. */
    private static final int LEAST_PART = 16;

    private static final long[] NOTHING = {};

    /** How often a reader looks whether its record is written. */
    private static final Duration LOOK = Duration.ofNanos(500_000);

    private final LogDirectory directory;
    private final LogSequence sequence;
    private final InstantSource wall;
    private final LogSize size;
    private final IndexTable table;
    private final Segments segments;
    private final UnwrittenFrames unwritten = new UnwrittenFrames();

    private @Nullable Open current;
    private long nextNumber;
    private long sinceSpaceBytes;

    /** Whether the other segments leave space for the current one. */
    private boolean isSpaceMade = true;

    /** Whether records of evicted segments are written again. */
    private volatile boolean writesAgain = true;

    /** Whether segments are completed, evicted and deleted, which may take seconds. */
    private volatile boolean isBusy;

    /** Whether a reader waits for a record that is not written yet. */
    private volatile boolean isAwaited;

    private final AtomicLong reinserted = new AtomicLong();
    private final AtomicLong evicted = new AtomicLong();

    /** The segment that is written. */
    record Open(Segment segment, IndexFile.Writer index) {}

    LogWriter(
            LogDirectory directory,
            LogSequence sequence,
            InstantSource wall,
            LogSize size,
            IndexTable table,
            Segments segments) {
        this.directory = directory;
        this.sequence = sequence;
        this.wall = wall;
        this.size = size;
        this.table = table;
        this.segments = segments;
        this.nextNumber = segments.all().isEmpty() ? 1 : segments.all().getLast().number() + 1;
    }

    /** Goes on with the newest segment of an earlier process. */
    void resume(Open last) {
        current = last;
    }

    /** Appends a record, which may be written later; returns false if it is too long. */
    boolean append(RecordHash id, long testedUpTo, long expiryMillis, ByteBuf record)
            throws IOException {
        var header = header(id, testedUpTo, expiryMillis, record);
        if (header.frameBytes() > size.maxFrameBytes()) {
            return false;
        }
        boolean isFirst = table.find(id) == 0 && !segments.mayHaveOthers();
        var open = prepared(header.frameBytes());
        while (!table.hasSpace(header.id())) {
            open = withFreeIndex(open, header.frameBytes());
        }
        long place = write(open, header, record, isFirst);
        return table.put(header.id(), FrameLocation.of(open.segment().slot(), place, header));
    }

    /** The index is full: deletes the oldest segment. Returns one with space for a frame. */
    private Open withFreeIndex(Open open, long frameBytes) throws IOException {
        if (segments.count() == 1) {
            discardCurrent();
            return prepared(frameBytes);
        }
        isBusy = true;
        try {
            discardOldest(open);
        } finally {
            isBusy = false;
        }
        return open;
    }

    /** Appends a frame that removes the earlier record, and may be written later. */
    void appendRemoval(RecordHash id) throws IOException {
        var removal = FrameHeader.removal(id);
        write(prepared(removal.frameBytes()), removal, Unpooled.EMPTY_BUFFER, false);
    }

    /** Appends removals of the records that were damaged, since they may be readable later. */
    void removeLost() throws IOException {
        var lost = segments.lost();
        for (var next = lost.peek(); next != null; next = lost.peek()) {
            table.remove(next.id(), next.location());
            if (table.find(next.id()) == 0) {
                appendRemoval(next.id());
            }
            lost.remove();
        }
    }

    private FrameHeader header(RecordHash id, long testedUpTo, long expiryMillis, ByteBuf record) {
        var check = new CRC32C();
        for (var piece : record.nioBuffers()) {
            check.update(piece);
        }
        return new FrameHeader(
                id,
                // A later process may not know any entries after that position.
                Math.min(testedUpTo, sequence.position().getAsLong()),
                expiryMillis,
                record.readableBytes(),
                (int) check.getValue());
    }

    /** Returns a segment with space for a frame. */
    private Open prepared(long frameBytes) throws IOException {
        var open = current;
        if (open == null || !isSpaceMade || !hasSpace(open, frameBytes)) {
            isBusy = true;
            try {
                open = withSpace(open, frameBytes);
            } finally {
                isBusy = false;
            }
        }
        sinceSpaceBytes += frameBytes;
        if (sinceSpaceBytes > SPACE_STEP_BYTES) {
            sinceSpaceBytes = 0;
            if (isShortOf(frameBytes)) {
                throw new IOException("the file system has no space: " + directory.path());
            }
        }
        return open;
    }

    private boolean hasSpace(Open open, long frameBytes) {
        long bytes =
                open.segment().end()
                        + unwritten.bytes()
                        + frameBytes
                        + open.index().bytes()
                        + IndexFile.ENTRY_BYTES * (unwritten.count() + 1L);
        return !open.segment().isTooDamaged() && bytes <= size.segmentBytes();
    }

    /** Returns {@code open}, or the next segment, once there is space for it. */
    private Open withSpace(@Nullable Open open, long frameBytes) throws IOException {
        var next = open;
        if (next != null && !hasSpace(next, frameBytes)) {
            seal();
            next = null;
        }
        if (next == null) {
            next = open();
            isSpaceMade = false;
        }
        if (!isSpaceMade) {
            makeSpace(next, frameBytes);
            isSpaceMade = true;
        }
        return next;
    }

    private Open open() throws IOException {
        if (segments.freeSlot() < 0) {
            discard(segments.all().getFirst());
        }
        long number = nextNumber++;
        var header =
                new SegmentHeader(
                        LogDirectory.VERSION,
                        sequence.tier(),
                        sequence.position().getAsLong(),
                        wall.millis());
        var file = directory.access().open(directory.segment(number));
        var segment = new Segment(number, segments.freeSlot(), file);
        try {
            Checks.writeFully(file, header.toBytes(number), 0);
            var index =
                    new IndexFile.Writer(
                            directory.access().open(directory.index(number)),
                            number,
                            sequence.tier(),
                            0);
            segment.hasIndexFile(index.bytes());
            var open = new Open(segment, index);
            segments.add(segment);
            current = open;
            return open;
        } catch (IOException | OutOfMemoryError e) {
            file.close();
            directory.delete(number);
            throw e;
        }
    }

    /** Whether records of evicted segments are written again. Thread-safe. */
    void writeAgain(boolean isWanted) {
        writesAgain = isWanted;
    }

    /**
     * Waits until {@code isWritten} if segments are being evicted, since a flush would wait until
     * that ends. Thread-safe; not called within an eviction.
     */
    void awaitWritten(BooleanSupplier isWritten) {
        while (isBusy && !isWritten.getAsBoolean()) {
            isAwaited = true;
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /** Evicts segments so that {@code open} can be filled, from a frame of that length on. */
    private void makeSpace(Open open, long frameBytes) throws IOException {
        long needed = size.spaceBytes(frameBytes);
        long budget = size.reinsertedBytes();
        while (segments.count() > 1
                && segments.bytes() - open.segment().bytes() + needed > size.maxBytes()) {
            budget -= evictOldest(open, budget);
        }
        if (segments.count() > 1 && isShortOf(needed)) {
            evictOldest(open, budget);
        }
    }

    private boolean isShortOf(long bytes) throws IOException {
        return directory.access().space(directory.path()).usableBytes()
                < size.keptFreeBytes() + bytes;
    }

    /** Returns how many bytes of the oldest segment were written again. */
    private long evictOldest(Open open, long budget) throws IOException {
        var oldest = segments.all().getFirst();
        if (writesAgain && budget > size.reinsertedBytes() / LEAST_PART) {
            markInMemory(open, oldest, segments.all().get(1));
        }
        long written = reinsertFound(open, oldest, budget);
        discardOldest(open);
        return written;
    }

    /** Counts the records of {@code oldest} as found that requests find in memory. */
    private void markInMemory(Open open, Segment oldest, Segment next) throws IOException {
        // Their readers do not wait until all of the memory is looked at.
        unwritten.write(open);
        try {
            sequence.again()
                    .forEachInMemory(
                            openedMillis(next),
                            () -> writesAgain,
                            id -> table.markFoundOnce(id, oldest.slot()));
        } catch (OutOfMemoryError lack) {
            // Eviction needs no memory.
        }
    }

    private static long openedMillis(Segment segment) {
        try {
            return segment.openedMillis();
        } catch (IOException e) {
            // Eviction needs no reads.
            return Long.MAX_VALUE;
        }
    }

    private void discardOldest(Open open) throws IOException {
        // Their readers do not wait until the file is deleted.
        unwritten.write(open);
        discard(segments.all().getFirst());
    }

    /** Writes records again, the most found ones as long as they fit into {@code budget}. */
    private long reinsertFound(Open open, Segment from, long budget) throws IOException {
        long written = 0;
        var found = table.found(from.slot());
        var next = takeFitting(found, budget);
        long least = budget / LEAST_PART;
        // Those of no more use leave room for others.
        while (next.length > 0) {
            for (long location : next) {
                if (!writesAgain) {
                    return written;
                }
                written += reinsert(open, from, location, budget - written);
                if (isAwaited) {
                    isAwaited = false;
                    unwritten.write(open);
                }
            }
            long left = budget - written;
            next = left > least ? takeFitting(found, left) : NOTHING;
        }
        return written;
    }

    /**
     * Takes the first locations that fit into {@code budget}, and replaces them by 0. Returns them
     * in the order of the file, since reads go fastest like that.
     */
    private static long[] takeFitting(long[] locations, long budget) {
        var taken = new long[locations.length];
        int count = 0;
        long left = budget;
        for (int i = 0; i < locations.length; i++) {
            long bytes = FrameLocation.frameBytes(locations[i]);
            if (locations[i] != 0 && bytes <= left) {
                taken[count++] = locations[i];
                locations[i] = 0;
                left -= bytes;
            }
        }
        var inOrder = Arrays.copyOf(taken, count);
        Arrays.sort(inOrder);
        return inOrder;
    }

    private long reinsert(Open open, Segment from, long location, long budget) throws IOException {
        if (FrameLocation.frameBytes(location) > budget) {
            return 0;
        }
        var former = readable(from, location);
        if (former == null || former.expiryMillis() <= wall.millis()) {
            return 0;
        }
        var tested = tested(from, location, former);
        if (tested == null) {
            return 0;
        }
        try {
            return reinsert(open, former, location, budget, tested);
        } finally {
            tested.record().release();
        }
    }

    /** Returns the record of {@code former} as it is written again; null if it is not. */
    private RecordLog.@Nullable Reinserted tested(Segment from, long location, FrameHeader former) {
        try {
            var record = Unpooled.directBuffer(former.length(), former.length());
            try {
                return isRead(record, from, location, former)
                        ? sequence.again().again(former.id(), record)
                        : null;
            } finally {
                record.release();
            }
        } catch (OutOfMemoryError lack) {
            // Eviction needs no memory.
            return null;
        }
    }

    private long reinsert(
            Open open, FrameHeader former, long location, long budget, RecordLog.Reinserted tested)
            throws IOException {
        var header = header(former.id(), tested.position(), former.expiryMillis(), tested.record());
        if (header.frameBytes() > budget) {
            return 0;
        }
        long place = write(open, header, tested.record(), false);
        long target = FrameLocation.of(open.segment().slot(), place, header);
        if (table.replace(header.id(), location, FrameLocation.movedTo(target, location))) {
            reinserted.incrementAndGet();
        }
        return header.frameBytes();
    }

    private static @Nullable FrameHeader readable(Segment from, long location) {
        try {
            var header = from.header(FrameLocation.place(location));
            return header == null || header.isRemoval() ? null : header;
        } catch (IOException e) {
            // Eviction needs no reads.
            return null;
        }
    }

    private static boolean isRead(ByteBuf record, Segment from, long location, FrameHeader header) {
        try {
            return RecordReader.fill(record, from, FrameLocation.place(location), header);
        } catch (IOException e) {
            return false;
        }
    }

    private void discard(Segment segment) throws IOException {
        // Until the file is deleted, its records could be back at the next start.
        segments.loseAll(segment.number());
        table.removeSegment(segment.slot());
        // If that fails, the segment remains the oldest, and no newer one is deleted before it.
        directory.delete(segment.number());
        segments.remove(segment);
        evicted.incrementAndGet();
    }

    private void discardCurrent() throws IOException {
        var open = current;
        if (open != null) {
            current = null;
            open.index().close();
            discard(open.segment());
            unwritten.taken();
        }
    }

    private long write(Open open, FrameHeader header, ByteBuf record, boolean isFirst)
            throws IOException {
        if (!unwritten.hasSpace(header.frameBytes())) {
            unwritten.write(open);
        }
        if (!header.isRemoval()) {
            open.segment().hasPosition(header.position());
        }
        return unwritten.add(open.segment(), header, record, isFirst);
    }

    /** Writes all frames so far to the file. */
    void flush() throws IOException {
        var open = current;
        if (open != null) {
            unwritten.write(open);
        }
    }

    /** Returns the frames that are not written, and never will be. */
    List<UnwrittenFrames.Frame> takeUnwritten() {
        return unwritten.taken();
    }

    /** Completes the index file of the newest segment. */
    void seal() throws IOException {
        var open = current;
        if (open != null) {
            unwritten.write(open);
            // A failed write may have left a part of a frame.
            open.segment().file().truncate(open.segment().end());
            open.index().flush(open.segment().end(), true);
            open.index().close();
            current = null;
        }
    }

    /** Removes frames behind the last one from the newest file: they are valid in their places. */
    void cut() throws IOException {
        var open = current;
        if (open != null) {
            open.segment().file().truncate(open.segment().end());
        }
    }

    /** After a failed write. Frees space if the file system has none. */
    void recover() throws IOException {
        cut();
        if (!isShortOf(SPACE_STEP_BYTES)) {
            return;
        }
        if (segments.count() > 1) {
            discard(segments.all().getFirst());
        } else {
            discardCurrent();
        }
    }

    /** Deletes all segments. */
    void discardAll() throws IOException {
        discardCurrent();
        while (segments.count() > 0) {
            discard(segments.all().getFirst());
        }
    }

    /** Closes the index file. Entries that are not written yet are found by the next start. */
    void close() throws IOException {
        var open = current;
        current = null;
        unwritten.taken();
        if (open != null) {
            open.index().close();
        }
    }

    long maxRecordBytes() {
        return size.maxRecordBytes();
    }

    /** The most bytes of removed files that clients still receive. */
    long maxRemovedBytes() {
        return size.maxRemovedBytes();
    }

    long reinserted() {
        return reinserted.get();
    }

    long evicted() {
        return evicted.get();
    }
}
