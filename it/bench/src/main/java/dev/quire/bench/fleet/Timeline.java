package dev.quire.bench.fleet;

import java.util.Arrays;

/**
 * Pairs of a time and a value, for the question which is the greatest value before a time. A
 * question takes logarithmic time; the first one after an addition sorts.
 */
final class Timeline {
    /** Less than any value. */
    static final long NOTHING = Long.MIN_VALUE;

    private static final int FEW = 8;

    private record Pair(long time, long value) {}

    private Pair[] pairs = new Pair[FEW];
    private int size;
    private boolean isSorted = true;

    void add(long time, long value) {
        if (size == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * size);
        }
        pairs[size++] = new Pair(time, value);
        isSorted = false;
    }

    /** Returns the greatest value whose time is before {@code time}, or {@link #NOTHING}. */
    long greatestBefore(long time) {
        sort();
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pairs[middle].time() < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? NOTHING : pairs[low - 1].value();
    }

    /** Sorts by time, and replaces each value by the greatest one up to it. */
    private void sort() {
        if (isSorted) {
            return;
        }
        Arrays.sort(pairs, 0, size, (one, other) -> Long.compare(one.time(), other.time()));
        long greatest = NOTHING;
        for (int i = 0; i < size; i++) {
            greatest = Math.max(greatest, pairs[i].value());
            pairs[i] = new Pair(pairs[i].time(), greatest);
        }
        isSorted = true;
    }
}
