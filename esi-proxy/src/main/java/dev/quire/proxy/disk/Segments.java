package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordHash;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The open segments, by their slots, and in the order of the log. The writer changes them. */
final class Segments {
    private final AtomicReferenceArray<@Nullable Segment> slots;
    private final CopyOnWriteArrayList<Segment> ordered = new CopyOnWriteArrayList<>();
    private final AtomicLong lostUpTo = new AtomicLong(-1);
    private final Queue<Lost> lost = new ConcurrentLinkedQueue<>();
    private final AtomicLong removedBytes = new AtomicLong();

    /** A record that leaves the index without a removal in the log. */
    record Lost(RecordHash id, long location) {}

    Segments(int slots) {
        this.slots = new AtomicReferenceArray<>(slots);
    }

    @Nullable Segment at(int slot) {
        return slots.get(slot);
    }

    /** Returns an unused slot, or -1. */
    int freeSlot() {
        for (int slot = 0; slot < slots.length(); slot++) {
            if (slots.get(slot) == null) {
                return slot;
            }
        }
        return -1;
    }

    /** Adds the newest segment. */
    void add(Segment segment) {
        ordered.add(segment);
        slots.set(segment.slot(), segment);
    }

    /** Removes a segment. Its file is closed when the last reader is done. Blocks. */
    void remove(Segment segment) {
        slots.set(segment.slot(), null);
        ordered.remove(segment);
        segment.remove(removedBytes);
    }

    /** Removes all, like {@link #remove}. */
    void removeAll() {
        List.copyOf(ordered).forEach(this::remove);
    }

    /** The length of the removed files that readers keep open. */
    long removedBytes() {
        return removedBytes.get();
    }

    /** From the oldest on. */
    List<Segment> all() {
        return ordered;
    }

    int count() {
        return ordered.size();
    }

    /** The length of all files. */
    long bytes() {
        return ordered.stream().mapToLong(Segment::bytes).sum();
    }

    /** A lower bound of the positions of all records. */
    long oldest() {
        return ordered.stream().mapToLong(Segment::oldest).min().orElse(Long.MAX_VALUE);
    }

    /**
     * Notes that any records in the segment {@code number} leave the index without removals in the
     * log.
     */
    void loseAll(long number) {
        lostUpTo.accumulateAndGet(number, Math::max);
    }

    /** Notes that a record leaves the index. Called by readers, before it does. */
    void lose(Lost record) {
        lost.add(record);
    }

    /** The records that left the index; the writer takes them once their removals are appended. */
    Queue<Lost> lost() {
        return lost;
    }

    /** Whether the files may have records that are not in the index, and would be back later. */
    boolean mayHaveOthers() {
        return !lost.isEmpty()
                || (!ordered.isEmpty() && ordered.getFirst().number() <= lostUpTo.get());
    }
}
