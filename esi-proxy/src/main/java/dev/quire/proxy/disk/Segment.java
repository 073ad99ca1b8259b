package dev.quire.proxy.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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

    long number() {
        return number;
    }

    int slot() {
        return slot;
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

    /** Releases it for the log. It counts in {@code removed} until the last reader is done. */
    void remove(AtomicLong removed) {
        removed.addAndGet(end);
        removedBytes = removed;
        release();
    }

    void release() {
        if (references.decrementAndGet() == 0) {
            var removed = removedBytes;
            if (removed != null) {
                removed.addAndGet(-end);
            }
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot close segment " + number, e);
            }
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
