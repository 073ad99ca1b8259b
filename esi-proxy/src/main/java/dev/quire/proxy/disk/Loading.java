package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Restores the index of a log from its files, at the start. */
final class Loading {
    private static final int THREADS = 2;
    private static final String LOST = "its files are newer than its journal";

    private final LogDirectory directory;
    private final UUID tier;
    private final long position;
    private final IndexTable table;
    private final Segments segments;

    /** Segments up to this number are deleted. */
    private final AtomicLong cut = new AtomicLong(-1);

    private volatile LogWriter.@Nullable Open last;
    private volatile @Nullable String emptied;

    /** Segments that were deleted because of a cut. */
    private int lostFiles;

    /**
     * Segments that were deleted.
     *
     * @param emptied why these are all, in the words of operators; null if they are not
     * @param files those up to one that is cut or damaged, or has no room in the index
     */
    record Losses(@Nullable String emptied, int files) {}

    /**
     * @param position the last known one of the invalidations; no earlier process has written a
     *     later one
     */
    Loading(LogDirectory directory, UUID tier, long position, IndexTable table, Segments segments) {
        this.directory = directory;
        this.tier = tier;
        this.position = position;
        this.table = table;
        this.segments = segments;
    }

    /**
     * Restores the index. Returns the newest segment, to be continued, or null if there is not one.
     */
    LogWriter.@Nullable Open load(LogSize size) throws IOException {
        openSegments(size);
        var all = segments.all();
        if (all.isEmpty()) {
            return null;
        }
        // From the newest on: if the index becomes full, the oldest are those without a place.
        var queue = new ConcurrentLinkedQueue<>(all.reversed());
        var newest = all.getLast();
        inParallel(() -> {
            for (var next = queue.poll(); next != null; next = queue.poll()) {
                if (next.number() > cut.get()) {
                    load(next, next == newest);
                }
            }
            return true;
        });
        for (var segment : List.copyOf(all)) {
            if (segment.number() <= cut.get()) {
                discard(segment);
                lostFiles++;
            }
        }
        table.removeRemovals();
        return last;
    }

    Losses losses() {
        return new Losses(emptied, emptied == null ? lostFiles : 0);
    }

    private void discard(Segment segment) throws IOException {
        var open = last;
        if (open != null && open.segment() == segment) {
            open.index().close();
            last = null;
        }
        table.removeSegment(segment.slot());
        directory.delete(segment.number());
        segments.remove(segment);
    }

    private static void inParallel(Callable<Boolean> task) throws IOException {
        var threads = Thread.ofPlatform().daemon().name("disk-load-", 0).factory();
        try (var pool = Executors.newFixedThreadPool(THREADS, threads)) {
            var tasks = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < THREADS; i++) {
                tasks.add(task);
            }
            for (var done : pool.invokeAll(tasks)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("cannot load the index: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Opens the files that the log can have; deletes the others, from the oldest on. */
    private void openSegments(LogSize size) throws IOException {
        var numbers = directory.segments();
        deleteBeforeCut(numbers);
        while (!numbers.isEmpty() && isEmpty(numbers.last())) {
            directory.delete(numbers.pollLast());
        }
        emptied = foreign(numbers);
        if (emptied != null) {
            for (long number : numbers) {
                directory.delete(number);
            }
            return;
        }
        long total = 0;
        for (long number : numbers) {
            total += directory.bytes(number);
        }
        while (numbers.size() > size.slots() || total > size.maxBytes()) {
            long oldest = numbers.pollFirst();
            total -= directory.bytes(oldest);
            directory.delete(oldest);
        }
        for (long number : numbers) {
            var file = directory.access().open(directory.segment(number));
            segments.add(new Segment(number, segments.freeSlot(), file));
        }
    }

    /** Deletes the newest segment that is cut and those before it: removals are not known. */
    private void deleteBeforeCut(NavigableSet<Long> numbers) throws IOException {
        for (long number : numbers.descendingSet()) {
            if (isCut(number)) {
                var gone = numbers.headSet(number, true);
                lostFiles += gone.size();
                for (long each : gone) {
                    directory.delete(each);
                }
                gone.clear();
                return;
            }
        }
    }

    /** Whether its index file has frames that the segment lacks, or cannot be read. */
    private boolean isCut(long number) {
        try (var index = directory.access().open(directory.index(number))) {
            return IndexFile.coveredBytes(index, number, tier)
                    > Files.size(directory.segment(number));
        } catch (IOException e) {
            return true;
        }
    }

    /** Whether a process ended before it had written a frame. */
    private boolean isEmpty(long number) throws IOException {
        return Files.size(directory.segment(number)) <= SegmentHeader.BYTES;
    }

    private @Nullable String foreign(Iterable<Long> numbers) throws IOException {
        String reason = null;
        for (long number : numbers) {
            reason = reason == null ? foreign(number) : reason;
        }
        return reason;
    }

    /** Returns why no segment may be used; null if this one is of this log. */
    private @Nullable String foreign(long number) throws IOException {
        try (var file = directory.access().open(directory.segment(number))) {
            var bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
            Checks.readFully(file, bytes, 0);
            // Frames have checksums of their own: they are readable if the header is damaged.
            var header = SegmentHeader.read(bytes.flip(), number);
            if (header == null) {
                return null;
            }
            if (header.version() != LogDirectory.VERSION) {
                return "another version of Quire wrote its files";
            }
            if (!header.tier().equals(tier)) {
                return "its files are of another disk tier";
            }
            return header.position() > position ? LOST : null;
        }
    }

    private void load(Segment segment, boolean isNewest) throws IOException {
        var index = directory.access().open(directory.index(segment.number()));
        boolean isKept = false;
        try {
            isKept = load(segment, isNewest, index);
        } catch (IOException e) {
            // Its removals are not known: older records could be back.
            cutUpTo(segment.number());
        } finally {
            if (!isKept) {
                index.close();
            }
        }
    }

    /** Returns whether {@code index} is kept open to be continued. */
    private boolean load(Segment segment, boolean isNewest, FileChannel index) throws IOException {
        long number = segment.number();
        long bytes = segment.file().size();
        FrameVisitor show = (place, header) -> show(segment, place, header);
        var coverage = IndexFile.read(index, number, tier, bytes, show);
        if (coverage != null && coverage.isSealed() && !isNewest) {
            segment.endsAt(coverage.segmentBytes());
            segment.hasIndexFile(index.size());
            return false;
        }
        if (coverage == null) {
            index.truncate(0);
        }
        var writer =
                new IndexFile.Writer(index, number, tier, coverage == null ? 0 : coverage.count());
        var scan = new FrameScan(segment, isNewest);
        long end =
                scan.scan(
                        coverage == null ? SegmentHeader.BYTES : coverage.segmentBytes(),
                        bytes,
                        (place, header) -> {
                            show(segment, place, header);
                            if (writer.isBlockFull()) {
                                writer.flush(place, false);
                            }
                            writer.add(place, header);
                        });
        segment.endsAt(end);
        segment.hasIndexFile(writer.bytes());
        if (end < bytes && (!isNewest || scan.isFollowed(end, bytes))) {
            // Removals after the damage are not known. A cut, or a complete index file, would hide
            // it from the next start, while the segments may not be deleted yet.
            cutUpTo(number);
            return false;
        }
        if (isNewest) {
            segment.file().truncate(end);
            last = new LogWriter.Open(segment, writer);
            return true;
        }
        writer.flush(end, true);
        return false;
    }

    private void show(Segment segment, long place, FrameHeader header) {
        if (!header.isRemoval()) {
            segment.hasPosition(header.position());
            if (header.position() > position) {
                emptied = LOST;
                cutUpTo(Long.MAX_VALUE);
            }
        }
        if (!table.putIfLater(header.id(), FrameLocation.of(segment.slot(), place, header))) {
            cutUpTo(segment.number());
        }
    }

    private void cutUpTo(long number) {
        cut.accumulateAndGet(number, Math::max);
    }
}
