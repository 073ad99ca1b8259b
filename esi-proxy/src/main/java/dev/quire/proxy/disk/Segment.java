package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An open file of frames. Reads are positional, from any platform thread. An interrupt of a reading
 * thread closes the file for all, so such threads are never interrupted. Thread-safe.
 */
final class Segment {
    /** So many damaged frames make the others doubtful too. */
    private static final int MAX_DAMAGED = 3;

    /** Closes the files whose last readers may be event loops. */
    private static final Executor CLOSER = closer();

    private final long number;
    private final int slot;
    private final FileChannel file;

    // The log has one of them; each reader has another while it reads. The last closes the file.
    private final AtomicInteger references = new AtomicInteger(1);

    private final AtomicInteger damaged = new AtomicInteger();

    /** Written by one thread. */
    private volatile long end = SegmentHeader.BYTES;

    private volatile long indexFileBytes;

    /** Set before the log releases it. */
    private volatile @Nullable AtomicLong removedBytes;

    private volatile long oldest = Long.MAX_VALUE;

    Segment(long number, int slot, FileChannel file) {
        this.number = number;
        this.slot = slot;
        this.file = file;
    }

    private static Executor closer() {
        var closer =
                new ThreadPoolExecutor(
                        1,
                        1,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("quire-disk-closer").factory());
        closer.allowCoreThreadTimeOut(true);
        return closer;
    }

    long number() {
        return number;
    }

    int slot() {
        return slot;
    }

    /**
     * When it was opened for writing, in milliseconds on the wall clock; the end of time if
     * unknown.
     */
    long openedMillis() throws IOException {
        var bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
        var header =
                Checks.readFully(file, bytes, 0) ? SegmentHeader.read(bytes.flip(), number) : null;
        return header == null ? Long.MAX_VALUE : header.openedMillis();
    }

    FileChannel file() {
        return file;
    }

    /** The place after the last whole frame. */
    long end() {
        return end;
    }

    void endsAt(long place) {
        end = place;
    }

    void hasIndexFile(long bytes) {
        indexFileBytes = bytes;
    }

    /** The length of both files. */
    long bytes() {
        return end + indexFileBytes;
    }

    /** A lower bound of the positions of its records. */
    long oldest() {
        return oldest;
    }

    void hasPosition(long position) {
        if (position < oldest) {
            oldest = position;
        }
    }

    /** Counts a damaged frame; returns whether the segment has just become too damaged. */
    boolean countDamaged() {
        return damaged.incrementAndGet() == MAX_DAMAGED;
    }

    boolean isTooDamaged() {
        return damaged.get() >= MAX_DAMAGED;
    }

    /** Keeps the file open until {@link #release}; returns false if it is closed already. */
    boolean retain() {
        return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /**
     * Releases it for the log, on a thread that may block. It counts in {@code removed} until the
     * last reader is done.
     */
    void remove(AtomicLong removed) {
        removed.addAndGet(end);
        removedBytes = removed;
        if (isLastReleased()) {
            close();
        }
    }

    /** Ends a {@link #retain}. Never blocks: the kernel may take long to free a deleted file. */
    void release() {
        if (isLastReleased()) {
            try {
                CLOSER.execute(this::close);
            } catch (OutOfMemoryError lack) {
                // There can be no thread now.
                close();
            }
        }
    }

    private boolean isLastReleased() {
        return references.decrementAndGet() == 0;
    }

    private void close() {
        try {
            file.close();
        } catch (IOException ignored) {
            // The descriptor is free all the same, and nothing is written any more.
        }
        var removed = removedBytes;
        if (removed != null) {
            removed.addAndGet(-end);
        }
    }

    /** Returns the header of the frame at {@code place}, or null if it is damaged. */
    @Nullable FrameHeader header(long place) throws IOException {
        var bytes = ByteBuffer.allocate(FrameHeader.BYTES);
        return Checks.readFully(file, bytes, place)
                ? FrameHeader.read(bytes, 0, number, place)
                : null;
    }
}
