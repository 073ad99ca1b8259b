package dev.quire.core.policy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A 128-bit hash of a byte sequence: MurmurHash3 (x64, 128 bits, seed 0), the same in every
 * process. Not collision-resistant: a collision affects only the origin that creates it.
 */
public record ContentHash(long high, long low) {

    private static final long ODD_1 = 0x87c37b91114253d5L;
    private static final long ODD_2 = 0x4cf5ad432745937fL;
    private static final int BLOCK_BYTES = 16;

    /**
     * Returns the hash of the remaining {@code bytes}, whose position and order are not changed.
     */
    public static ContentHash of(ByteBuffer bytes) {
        var in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int length = in.remaining();
        var lanes = new Lanes();
        while (in.remaining() >= BLOCK_BYTES) {
            lanes.add(in.getLong(), in.getLong());
        }
        if (in.hasRemaining()) {
            long first = rest(in);
            lanes.addRest(first, rest(in));
        }
        return lanes.end(length);
    }

    public static ContentHash of(byte[] bytes) {
        return of(ByteBuffer.wrap(bytes));
    }

    /** Returns at most eight bytes, the first one lowest. */
    private static long rest(ByteBuffer in) {
        int count = Math.min(in.remaining(), Long.BYTES);
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (in.get() & 0xffL) << (Byte.SIZE * i);
        }
        return word;
    }

    /** The state of an incremental hash. Confined to one thread. */
    static final class Lanes {
        private long one;
        private long two;

        /** Adds a block of 16 bytes. */
        void add(long first, long second) {
            one ^= scrambled(first, ODD_1, 31, ODD_2);
            one = (Long.rotateLeft(one, 27) + two) * 5 + 0x52dce729;
            two ^= scrambled(second, ODD_2, 33, ODD_1);
            two = (Long.rotateLeft(two, 31) + one) * 5 + 0x38495ab5;
        }

        /** Adds the last, shorter block, padded with zeros. */
        void addRest(long first, long second) {
            two ^= scrambled(second, ODD_2, 33, ODD_1);
            one ^= scrambled(first, ODD_1, 31, ODD_2);
        }

        /** Returns the hash of {@code length} bytes; more blocks may be added afterwards. */
        ContentHash end(long length) {
            long a = one ^ length;
            long b = two ^ length;
            a += b;
            b += a;
            a = spread(a);
            b = spread(b);
            a += b;
            b += a;
            return new ContentHash(a, b);
        }

        private static long scrambled(long word, long by, int turn, long then) {
            return Long.rotateLeft(word * by, turn) * then;
        }

        private static long spread(long word) {
            long mixed = (word ^ (word >>> 33)) * 0xff51afd7ed558ccdL;
            mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
            return mixed ^ (mixed >>> 33);
        }
    }
}
