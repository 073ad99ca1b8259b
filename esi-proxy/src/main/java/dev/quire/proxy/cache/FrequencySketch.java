package dev.quire.proxy.cache;

/**
 * Estimates how often keys were requested lately. Thread-safe, without locks: requests on several
 * threads at once may be counted as one.
 */
public final class FrequencySketch {

    /*
     * A count-min sketch of 4-bit counters that ages as in TinyLFU (Einziger, Friedman and Manes,
     * 2017). A key has four counters, all in one block of 128, so that a request reads one cache
     * line. The smallest of the four is the estimate: never too low, and too high only where other
     * keys share all four. Each block halves its counters after a number of changes of its own, so
     * that threads share no count of all requests, and ageing never takes long. A counter at its
     * maximum does not change: popular keys cost no write, and do not age their neighbours.
     */

    /** The highest estimate. */
    static final int MAX_COUNT = 15;

    private static final int ROWS = 4;
    private static final int COUNTERS_OF_LONG = 16;
    private static final int LONGS_OF_ROW = 2;
    private static final int LONGS_OF_BLOCK = ROWS * LONGS_OF_ROW;

    private static final int BLOCK_BYTES = LONGS_OF_BLOCK * Long.BYTES;

    /** They are on the heap, which need not grow with the store: enough for eight million keys. */
    private static final int MAX_BLOCKS = 1 << 18;

    /** Changes until a block is halved: ten for each of its longs. */
    private static final int PERIOD = 10 * LONGS_OF_BLOCK;

    private static final long LOW_THREE_BITS = 0x7777_7777_7777_7777L;

    private final long[] counters;
    private final byte[] changes;

    /**
     * @param maxBytes the most memory for the counters, which have at least 64 bytes and at most 16
     *     MiB
     */
    public FrequencySketch(long maxBytes) {
        int blocks =
                (int) Long.highestOneBit(Math.clamp(maxBytes / BLOCK_BYTES, 1, (long) MAX_BLOCKS));
        counters = new long[blocks * LONGS_OF_BLOCK];
        changes = new byte[blocks];
    }

    /** Returns the memory that it takes. */
    long bytes() {
        return (long) (BLOCK_BYTES + Byte.BYTES) * changes.length;
    }

    /** Counts a request for the key with {@code hash}. */
    public void add(int hash) {
        int mixed = mixed(hash);
        int block = mixed & (changes.length - 1);
        int places = mixed(mixed);
        boolean isChanged = false;
        for (int row = 0; row < ROWS; row++) {
            int at = index(block, row, places);
            int shift = shift(row, places);
            long counts = counters[at];
            if (((counts >>> shift) & MAX_COUNT) < MAX_COUNT) {
                counters[at] = counts + (1L << shift);
                isChanged = true;
            }
        }
        if (isChanged && ++changes[block] >= PERIOD) {
            age(block);
        }
    }

    /** Estimates the number of requests for the key with {@code hash}, up to {@link #MAX_COUNT}. */
    public int count(int hash) {
        int mixed = mixed(hash);
        int block = mixed & (changes.length - 1);
        int places = mixed(mixed);
        int least = MAX_COUNT;
        for (int row = 0; row < ROWS; row++) {
            long counts = counters[index(block, row, places)];
            least = Math.min(least, (int) (counts >>> shift(row, places)) & MAX_COUNT);
        }
        return least;
    }

    private void age(int block) {
        int first = block * LONGS_OF_BLOCK;
        for (int i = first; i < first + LONGS_OF_BLOCK; i++) {
            counters[i] = (counters[i] >>> 1) & LOW_THREE_BITS;
        }
        changes[block] = PERIOD / 2;
    }

    /** The long with the counter of {@code row}; eight bits of {@code places} are for each row. */
    private static int index(int block, int row, int places) {
        return block * LONGS_OF_BLOCK
                + row * LONGS_OF_ROW
                + ((places >>> (row * Byte.SIZE)) & (LONGS_OF_ROW - 1));
    }

    private static int shift(int row, int places) {
        return ((places >>> (row * Byte.SIZE + 1)) & (COUNTERS_OF_LONG - 1)) * 4;
    }

    /** Spreads every bit of {@code hash} over all (the finalizer of MurmurHash3). */
    private static int mixed(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85eb_ca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2_ae35;
        return mixed ^ (mixed >>> 16);
    }
}
