package dev.quire.proxy.disk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * A part of the {@link IndexTable}: linear probing, and removal by moving later entries back.
 * Readers take no lock unless a writer disturbs them. Thread-safe.
 */
final class IndexStripe {
    static final int CHUNK_BYTES = 1 << 14;

    private static final int ENTRY_BYTES = 16;
    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK_ENTRIES = CHUNK_BYTES / ENTRY_BYTES;

    /** The highest bits of a hash choose the stripe, the following ones the entry. */
    private static final int STRIPE_BITS = 6;

    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final StampedLock lock = new StampedLock();
    private final IndexTable.Chunks memory;
    private final AtomicLong total;

    private ByteBuffer[] chunks = {};
    private int count;

    /**
     * @param total count of the entries of all stripes
     */
    IndexStripe(IndexTable.Chunks memory, AtomicLong total) {
        this.memory = memory;
        this.total = total;
    }

    long find(long hash) {
        long stamp = lock.tryOptimisticRead();
        if (stamp != 0) {
            long location = probe(chunks, hash);
            if (lock.validate(stamp)) {
                return location;
            }
        }
        stamp = lock.readLock();
        try {
            return probe(chunks, hash);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private static long probe(ByteBuffer[] table, long hash) {
        int entry = entryOf(table, hash);
        return entry < 0 ? 0 : location(table, entry);
    }

    /** Returns the entry of {@code hash}, or minus the first free entry minus 1. */
    private static int entryOf(ByteBuffer[] table, long hash) {
        int capacity = capacity(table);
        if (capacity == 0) {
            return -1;
        }
        int entry = home(hash, capacity);
        // A reader without a lock could see entries without a gap.
        for (int step = 0; step < capacity; step++) {
            if (location(table, entry) == 0) {
                return -entry - 1;
            }
            if (hash(table, entry) == hash) {
                return entry;
            }
            entry = next(entry, capacity);
        }
        return -1;
    }

    void markFound(long hash, long location) {
        long found = FrameLocation.found(location);
        if (found == location) {
            return;
        }
        long stamp = lock.tryOptimisticRead();
        var table = chunks;
        int entry = stamp == 0 ? -1 : entryOf(table, hash);
        // A mark that is lost does little harm; one in a free entry would.
        if (entry >= 0 && lock.validate(stamp)) {
            LONGS.compareAndSet(chunk(table, entry), byteOf(entry) + Long.BYTES, location, found);
        }
    }

    boolean hasSpace(long hash) {
        long stamp = lock.writeLock();
        try {
            return entryOf(chunks, hash) >= 0 || canAdd();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    boolean put(long hash, long location, boolean onlyIfLater) {
        long stamp = lock.writeLock();
        try {
            int entry = entryOf(chunks, hash);
            if (entry >= 0) {
                if (!onlyIfLater || FrameLocation.isLater(location, location(chunks, entry))) {
                    set(chunks, entry, hash, location);
                }
                return true;
            }
            if (!canAdd()) {
                return false;
            }
            set(chunks, -entryOf(chunks, hash) - 1, hash, location);
            count++;
            total.incrementAndGet();
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    boolean replace(long hash, long old, long location) {
        long stamp = lock.writeLock();
        try {
            int entry = entryOf(chunks, hash);
            if (entry < 0 || !FrameLocation.isSame(old, location(chunks, entry))) {
                return false;
            }
            set(chunks, entry, hash, location);
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /**
     * @param location which the entry must have; 0 for any
     */
    boolean remove(long hash, long location) {
        long stamp = lock.writeLock();
        try {
            int entry = entryOf(chunks, hash);
            if (entry < 0
                    || (location != 0
                            && !FrameLocation.isSame(location, location(chunks, entry)))) {
                return false;
            }
            free(entry);
            return true;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    void removeIf(LongPredicate condition) {
        long stamp = lock.writeLock();
        try {
            for (int chunk = 0; chunk < chunks.length; chunk++) {
                var memory = chunks[chunk];
                for (int at = 0; at < CHUNK_BYTES; at += ENTRY_BYTES) {
                    long location = (long) LONGS.get(memory, at + Long.BYTES);
                    // Another entry may have moved to the place of a removed one.
                    while (location != 0 && condition.test(location)) {
                        free((chunk << CHUNK_SHIFT) + at / ENTRY_BYTES);
                        location = (long) LONGS.get(memory, at + Long.BYTES);
                    }
                }
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    long[] locations(LongPredicate condition) {
        long stamp = lock.readLock();
        try {
            var found = LongStream.builder();
            for (var memory : chunks) {
                for (int at = Long.BYTES; at < CHUNK_BYTES; at += ENTRY_BYTES) {
                    long location = (long) LONGS.get(memory, at);
                    if (location != 0 && condition.test(location)) {
                        found.add(location);
                    }
                }
            }
            return found.build().toArray();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Grows if that is needed and possible; returns whether there is space for another entry. */
    private boolean canAdd() {
        int capacity = capacity(chunks);
        if (count < capacity / 8 * 7) {
            return true;
        }
        int more = Math.max(1, chunks.length / 8);
        var taken = memory.take(chunks.length + more);
        if (taken == null) {
            return count < capacity / 16 * 15;
        }
        for (int entry = 0; entry < capacity; entry++) {
            if (location(chunks, entry) != 0) {
                long hash = hash(chunks, entry);
                set(taken, -entryOf(taken, hash) - 1, hash, location(chunks, entry));
            }
        }
        var old = chunks;
        chunks = taken;
        for (int entry = 0; entry < capacity; entry++) {
            set(old, entry, 0, 0);
        }
        memory.giveBack(old);
        return true;
    }

    private void free(int entry) {
        int capacity = capacity(chunks);
        int hole = entry;
        for (int at = next(hole, capacity); location(chunks, at) != 0; at = next(at, capacity)) {
            long hash = hash(chunks, at);
            int home = home(hash, capacity);
            if (distance(home, at, capacity) >= distance(hole, at, capacity)) {
                set(chunks, hole, hash, location(chunks, at));
                hole = at;
            }
        }
        set(chunks, hole, 0, 0);
        count--;
        total.decrementAndGet();
    }

    private static int distance(int from, int to, int capacity) {
        return to >= from ? to - from : to - from + capacity;
    }

    private static int capacity(ByteBuffer[] table) {
        return table.length << CHUNK_SHIFT;
    }

    private static int home(long hash, int capacity) {
        return (int) Math.unsignedMultiplyHigh(hash << STRIPE_BITS, capacity);
    }

    private static int next(int entry, int capacity) {
        return entry + 1 == capacity ? 0 : entry + 1;
    }

    private static ByteBuffer chunk(ByteBuffer[] table, int entry) {
        return table[entry >>> CHUNK_SHIFT];
    }

    private static int byteOf(int entry) {
        return (entry & (CHUNK_ENTRIES - 1)) * ENTRY_BYTES;
    }

    private static long hash(ByteBuffer[] table, int entry) {
        return (long) LONGS.get(chunk(table, entry), byteOf(entry));
    }

    private static long location(ByteBuffer[] table, int entry) {
        return (long) LONGS.get(chunk(table, entry), byteOf(entry) + Long.BYTES);
    }

    private static void set(ByteBuffer[] table, int entry, long hash, long location) {
        LONGS.set(chunk(table, entry), byteOf(entry), hash);
        LONGS.set(chunk(table, entry), byteOf(entry) + Long.BYTES, location);
    }
}
