package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The locations of records by their ids, outside the heap, in at most a given number of bytes.
 * Thread-safe.
 */
final class IndexTable {
    /*
     * An entry has 16 bytes: 64 bits of a hash of the id, and the location. Two ids with the same
     * hash share an entry: the later record replaces the other, and the id in its frame tells them
     * apart. The table has 64 stripes with a lock each. A stripe is an open-addressed table on
     * chunks of 16 KiB; when it is seven eighths full, it moves to an eighth more chunks. Its old
     * chunks go to the next stripe that grows. So the table is never half empty, and memory is
     * never freed while a reader without a lock may look at it.
     */

    private static final int STRIPES = 64;
    private static final int SLAB_BYTES = 1 << 20;

    /** The smallest size at which each stripe can have a chunk. */
    static final long MIN_BYTES = (long) STRIPES * IndexStripe.CHUNK_BYTES;

    private final IndexStripe[] stripes = new IndexStripe[STRIPES];
    private final AtomicLong count = new AtomicLong();
    private final Chunks chunks;
    private final long seedHigh;
    private final long seedLow;

    /**
     * @param seed so that clients cannot choose ids of one stripe
     */
    IndexTable(long maxBytes, UUID seed) {
        chunks = new Chunks(Math.max(maxBytes, MIN_BYTES));
        seedHigh = seed.getMostSignificantBits();
        seedLow = seed.getLeastSignificantBits();
        Arrays.setAll(stripes, i -> new IndexStripe(chunks, count));
    }

    private long hash(RecordHash id) {
        long hash = mixed(id.high() ^ seedHigh) ^ id.low() ^ seedLow;
        return mixed(hash);
    }

    /** The finalizer of MurmurHash3. */
    private static long mixed(long number) {
        long mixed = (number ^ (number >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    private IndexStripe stripe(long hash) {
        return stripes[(int) (hash >>> (Long.SIZE - 6))];
    }

    /** Returns the location of {@code id}, or 0. */
    long find(RecordHash id) {
        long hash = hash(id);
        return stripe(hash).find(hash);
    }

    /** Counts that the record there was found, unless it was replaced since. */
    void markFound(RecordHash id, long location) {
        long hash = hash(id);
        stripe(hash).markFound(hash, location);
    }

    /** Counts a record of the segment in {@code slot} as found if it was not. */
    void markFoundOnce(RecordHash id, int slot) {
        long hash = hash(id);
        long location = stripe(hash).find(hash);
        if (FrameLocation.slot(location) == slot && FrameLocation.finds(location) == 0) {
            stripe(hash).markFound(hash, location);
        }
    }

    /** Returns whether {@code id} has an entry, or there is space for one. */
    boolean hasSpace(RecordHash id) {
        long hash = hash(id);
        return stripe(hash).hasSpace(hash);
    }

    /** Sets the location of {@code id}; returns false if the table is full. */
    boolean put(RecordHash id, long location) {
        long hash = hash(id);
        return stripe(hash).put(hash, location, false);
    }

    /** As {@link #put}, but keeps an entry that is later in the log. */
    boolean putIfLater(RecordHash id, long location) {
        long hash = hash(id);
        return stripe(hash).put(hash, location, true);
    }

    /** Moves the record from {@code old}; returns false if it is not there any longer. */
    boolean replace(RecordHash id, long old, long location) {
        long hash = hash(id);
        return stripe(hash).replace(hash, old, location);
    }

    /** Returns whether there was an entry. */
    boolean remove(RecordHash id) {
        long hash = hash(id);
        return stripe(hash).remove(hash, 0);
    }

    /** Removes the entry if it is still at {@code location}. */
    boolean remove(RecordHash id, long location) {
        long hash = hash(id);
        return stripe(hash).remove(hash, location);
    }

    void removeSegment(int slot) {
        for (var stripe : stripes) {
            stripe.removeIf(location -> FrameLocation.slot(location) == slot);
        }
    }

    void removeRemovals() {
        for (var stripe : stripes) {
            stripe.removeIf(FrameLocation::isRemoval);
        }
    }

    void clear() {
        for (var stripe : stripes) {
            stripe.removeIf(location -> true);
        }
    }

    /**
     * The locations of the records of a segment that were found: the most found first, and those
     * with the same count in their order.
     */
    long[] found(int slot) {
        return Arrays.stream(stripes)
                .flatMapToLong(stripe ->
                        Arrays.stream(
                                stripe.locations(location ->
                                        FrameLocation.slot(location) == slot
                                                && FrameLocation.finds(location) > 0)))
                .boxed()
                .sorted(
                        Comparator.comparingInt(FrameLocation::finds)
                                .reversed()
                                .thenComparingLong(FrameLocation::place))
                .mapToLong(Long::longValue)
                .toArray();
    }

    long count() {
        return count.get();
    }

    /** The memory in use. */
    long bytes() {
        return chunks.bytes();
    }

    /** Memory in pieces of one size. Thread-safe. */
    static final class Chunks {
        private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
        private final long maxBytes;
        private long bytes;

        Chunks(long maxBytes) {
            this.maxBytes = maxBytes / IndexStripe.CHUNK_BYTES * IndexStripe.CHUNK_BYTES;
        }

        /** Returns {@code count} chunks of zeros, or null if there are not so many. */
        synchronized ByteBuffer @Nullable [] take(int count) {
            while (free.size() < count) {
                int slab = (int) Math.min(SLAB_BYTES, maxBytes - bytes);
                if (slab == 0) {
                    return null;
                }
                var memory = ByteBuffer.allocateDirect(slab + Long.BYTES).alignedSlice(Long.BYTES);
                for (int at = 0; at < slab; at += IndexStripe.CHUNK_BYTES) {
                    free.addLast(memory.slice(at, IndexStripe.CHUNK_BYTES));
                }
                bytes += slab;
            }
            var taken = new ByteBuffer[count];
            Arrays.setAll(taken, i -> free.removeFirst());
            return taken;
        }

        /** Takes back chunks of zeros. */
        synchronized void giveBack(ByteBuffer[] chunks) {
            for (var chunk : chunks) {
                free.addFirst(chunk);
            }
        }

        synchronized long bytes() {
            return bytes;
        }
    }
}
