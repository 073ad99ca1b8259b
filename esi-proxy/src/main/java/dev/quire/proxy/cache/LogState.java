package dev.quire.proxy.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The log of the fleet as this node has read it. Immutable.
 *
 * @param epoch 0 if none was read yet
 * @param floor no record with a position before this one can be tested
 * @param applied the last entry that was read
 * @param places of the entries that records are tested against; ids and numbers ascend
 * @param own the entries of this node that are not in the log, or are there since a minute ago, by
 *     number
 */
public record LogState(long epoch, long floor, long applied, List<Place> places, List<Own> own) {

    public LogState {
        places = List.copyOf(places);
        own = List.copyOf(own);
    }

    /** An entry of the log, and the first number that it has in this node. */
    public record Place(long id, long number) {}

    /** An entry that this node has made. */
    public static final class Own {
        private final long number;
        private final long id;
        private final long[] numbers;
        private final byte[] bytes;

        /**
         * @param number of the invalidation that it was made for
         * @param id in the log; 0 if it is not there yet
         * @param numbers of the invalidations that records are tested against, ascending; not
         *     copied
         * @param bytes the entry as it is in the log; not copied
         */
        public Own(long number, long id, long[] numbers, byte[] bytes) {
            this.number = number;
            this.id = id;
            this.numbers = numbers;
            this.bytes = bytes;
        }

        public long number() {
            return number;
        }

        public long id() {
            return id;
        }

        /** The invalidations that records are tested against, ascending. Not copied. */
        public long[] numbers() {
            return numbers;
        }

        /** The entry as it is in the log. Not copied. */
        public byte[] bytes() {
            return bytes;
        }

        /** Whether it is not in the log. */
        public boolean isPending() {
            return id == 0;
        }

        Own with(long id) {
            return new Own(number, id, numbers, bytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Own own
                    && number == own.number
                    && id == own.id
                    && Arrays.equals(numbers, own.numbers)
                    && Arrays.equals(bytes, own.bytes);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }

        @Override
        public String toString() {
            return number + "@" + id + Arrays.toString(numbers);
        }
    }

    /** Returns the last note behind the begin of the epoch and the own entries. */
    LogNote read() {
        var ids =
                own.stream()
                        .filter(each -> !each.isPending())
                        .map(each -> new LogNote.OwnId(each.number(), each.id()))
                        .toList();
        return new LogNote.Read(epoch, floor, applied, places, ids);
    }

    /** Returns notes that lead to this state from an empty one. */
    public List<LogNote> notes() {
        var notes = new ArrayList<LogNote>();
        if (epoch != 0) {
            notes.add(new LogNote.Begun(epoch, floor, 0));
        }
        own.forEach(each -> notes.add(new LogNote.Made(each)));
        if (epoch != 0) {
            notes.add(read());
        }
        return notes;
    }
}
