package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.RecordPosition;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Translates positions in the log of the fleet into numbers of this node's invalidations, and back.
 * Thread-safe; both take O(log n).
 */
public final class FleetPositions {

    /*
     * The log has one order of all entries, this node another one: it applies its own entries before
     * they have an id. So a record with position p, which was tested against all entries up to p, is
     * only known to be tested here up to the number before the first entry that is later in the log,
     * or that has no id yet. A response that was tested here up to number n has the latest position
     * such that all entries up to it have numbers up to n.
     *
     * Ids ascend. For the first question there is a stack of the entries with a smaller number than
     * all entries after them; for the second one, each entry has the largest number up to it.
     *
     * A position is the id of an entry, or the floor. If this node has not read that entry, it does
     * not know the entries up to it either: the log may have lost some that it has read here, before
     * the node that wrote the record has read it.
     */

    /** The number of a position that is not known here. */
    public static final long UNKNOWN = -1;

    static final int MAX_ENTRIES = 1_000_000;

    private final LongSupplier newest;
    private final int maxEntries;

    // Guarded by this.
    /** Entries that are applied here and have no id in this epoch yet. */
    private final NavigableSet<Long> pending = new TreeSet<>();

    private long epoch;
    private boolean isReadable;
    private boolean isWritable;

    /** No position before this one is known. */
    private long floor;

    /** A former process has read up to this entry; not all entries up to it are known. */
    private long resumed;

    /** All entries up to the floor have numbers up to this one. */
    private long floorNumber;

    private Columns entries = new Columns();
    private Columns stack = new Columns();

    /**
     * @param newest returns the number of the newest invalidation of this node
     */
    public FleetPositions(LongSupplier newest) {
        this(newest, MAX_ENTRIES);
    }

    FleetPositions(LongSupplier newest, int maxEntries) {
        this.newest = newest;
        this.maxEntries = maxEntries;
    }

    /** Forgets all positions, until {@link #begin}. */
    synchronized void end() {
        isReadable = false;
        isWritable = false;
    }

    /**
     * Begins an epoch. Until it is {@link #read}able and {@link #write}able, no position is known.
     *
     * @param floor no record with a position before this one can be tested
     */
    public synchronized void begin(long epoch, long floor) {
        this.epoch = epoch;
        this.floor = floor;
        resumed = LogId.NONE;
        floorNumber = 0;
        entries = new Columns();
        stack = new Columns();
        end();
    }

    /**
     * Continues what a former process has noted, as {@link #begin}. Its entries that are not in the
     * log {@link #enter} first.
     */
    synchronized void resume(LogState state) {
        begin(state.epoch(), state.floor());
        resumed = state.applied();
        floorNumber = newest.getAsLong();
        for (var place : state.places()) {
            entries.add(place.id(), floorNumber);
            stack.add(place.id(), place.number());
        }
        if (state.applied() > floor && !isRead(state.applied())) {
            entries.add(state.applied(), floorNumber);
        }
    }

    /** No position before this one is known. */
    synchronized long floor() {
        return floor;
    }

    /** From now on records can be tested: all entries up to the floor are applied here. */
    public synchronized void read() {
        isReadable = true;
    }

    /**
     * From now on responses have positions, if they were tested up to now: this node knows of all
     * entries up to the floor.
     */
    public synchronized void write() {
        floorNumber = Math.max(floorNumber, newest.getAsLong());
        isWritable = true;
    }

    /** Adds an entry without an id yet; before {@code newest} returns its number. */
    public synchronized void enter(long number) {
        pending.add(number);
    }

    /** Whether that entry has no id yet. */
    synchronized boolean isPending(long number) {
        return pending.contains(number);
    }

    /** Forgets entries that no record needs to be tested against. */
    synchronized void drop(long... numbers) {
        for (long number : numbers) {
            pending.remove(number);
        }
    }

    /**
     * Adds the entry {@code id}, which was applied as {@code numbers}, if it has any effect here;
     * ids ascend.
     *
     * @param numbers ascending
     */
    public synchronized void assign(long id, long... numbers) {
        drop(numbers);
        assignPending(id, numbers);
    }

    /** The same, but {@code numbers} stay without an id, since later entries have them too. */
    synchronized void assignPending(long id, long... numbers) {
        long first = numbers.length == 0 ? Long.MAX_VALUE : numbers[0];
        long last = numbers.length == 0 ? 0 : numbers[numbers.length - 1];
        if (id > floor) {
            add(id, first, last);
        } else {
            floorNumber = Math.max(floorNumber, last);
        }
    }

    private void add(long id, long first, long last) {
        if (!entries.isEmpty() && id <= entries.lastId()) {
            throw new IllegalStateException(
                    LogId.text(id) + " is not after " + LogId.text(entries.lastId()));
        }
        entries.add(id, entries.isEmpty() ? last : Math.max(last, entries.lastNumber()));
        if (first != Long.MAX_VALUE) {
            while (!stack.isEmpty() && stack.lastNumber() >= first) {
                stack.removeLast();
            }
            stack.add(id, first);
        }
        if (entries.size() > maxEntries) {
            // Some at once, since each time has its own costs.
            forget(entries.id(maxEntries / 10));
        }
    }

    /**
     * Forgets the entries up to {@code id}. The last one of them becomes the floor: until the next
     * entry it is the position of new responses, however old it is.
     */
    synchronized void forget(long id) {
        int end = entries.after(id);
        if (end > 0) {
            raise(entries.id(end - 1), entries.number(end - 1));
        }
    }

    /**
     * Raises the floor to the entry {@code id}, which may not be read yet: the newest invalidation
     * of this node is in place of all that were not read up to it.
     */
    synchronized void raise(long id) {
        raise(id, newest.getAsLong());
    }

    private void raise(long id, long number) {
        if (id <= floor) {
            return;
        }
        floorNumber = Math.max(floorNumber, number);
        floor = id;
        entries.removeFirst(entries.after(id));
        stack.removeFirst(stack.after(id));
    }

    /**
     * Returns the number of this node's newest invalidation up to which a record with {@code
     * position} was tested, or {@link #UNKNOWN}.
     */
    public synchronized long order(RecordPosition position) {
        // First: an entry is pending before it is the newest one.
        long tested = newest.getAsLong();
        if (!isReadable || position.epoch() != epoch || !isRead(position.number())) {
            return UNKNOWN;
        }
        int later = stack.after(position.number());
        if (later < stack.size()) {
            tested = Math.min(tested, stack.number(later) - 1);
        }
        return pending.isEmpty() ? tested : Math.min(tested, pending.first() - 1);
    }

    /** Whether that is an entry of this epoch that was read. */
    synchronized boolean isApplied(RecordPosition position) {
        return position.epoch() == epoch && isRead(position.number());
    }

    /** Whether this node is known to have read the entry {@code id} in this epoch. */
    synchronized boolean hasRead(long id) {
        return isRead(id);
    }

    /** Whether it is known not to have read it. */
    synchronized boolean isUnread(long id) {
        return id > Math.max(floor, resumed) && !isRead(id);
    }

    /**
     * Returns the last entry up to {@code id} that is known to be read, or {@link LogId#NONE}. The
     * floor counts for all entries up to it.
     */
    synchronized long last(long id) {
        int end = entries.after(id);
        long before = floor <= id ? floor : LogId.NONE;
        return end == 0 ? before : entries.id(end - 1);
    }

    /** After a restart, not all entries that were read are known. */
    private boolean isRead(long id) {
        return id == floor || (id > floor && (entries.has(id) || stack.has(id)));
    }

    /** The position of a response that was tested up to {@code order}; null if it has none. */
    public synchronized @Nullable RecordPosition position(long order) {
        if (!isWritable || order < floorNumber) {
            return null;
        }
        int end = entries.upTo(order);
        return new RecordPosition(epoch, end == 0 ? floor : entries.id(end - 1));
    }

    /** The number of entries with an id. */
    synchronized int size() {
        return entries.size();
    }

    /** Pairs of an id and a number, both ascending. */
    private static final class Columns {
        private static final int FIRST_CAPACITY = 64;

        private long[] ids = new long[FIRST_CAPACITY];
        private long[] numbers = new long[FIRST_CAPACITY];
        private int start;
        private int end;

        boolean isEmpty() {
            return start == end;
        }

        int size() {
            return end - start;
        }

        long id(int index) {
            return ids[start + index];
        }

        long number(int index) {
            return numbers[start + index];
        }

        long lastId() {
            return ids[end - 1];
        }

        long lastNumber() {
            return numbers[end - 1];
        }

        void add(long id, long number) {
            if (end == ids.length) {
                makeRoom();
            }
            ids[end] = id;
            numbers[end] = number;
            end++;
        }

        private void makeRoom() {
            int capacity = Math.max(FIRST_CAPACITY, size() * 2);
            var oldIds = ids;
            var oldNumbers = numbers;
            ids = Arrays.copyOf(Arrays.copyOfRange(oldIds, start, end), capacity);
            numbers = Arrays.copyOf(Arrays.copyOfRange(oldNumbers, start, end), capacity);
            end -= start;
            start = 0;
        }

        void removeLast() {
            end--;
        }

        void removeFirst(int count) {
            start += count;
        }

        boolean has(long id) {
            int count = after(id);
            return count > 0 && id(count - 1) == id;
        }

        /** The number of pairs with ids up to {@code id}. */
        int after(long id) {
            return count(ids, id);
        }

        /** The number of pairs with numbers up to {@code number}. */
        int upTo(long number) {
            return count(numbers, number);
        }

        private int count(long[] ascending, long bound) {
            int low = start;
            int high = end;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (ascending[middle] <= bound) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - start;
        }
    }
}
