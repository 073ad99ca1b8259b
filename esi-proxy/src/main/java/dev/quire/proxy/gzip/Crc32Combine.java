package dev.quire.proxy.gzip;

/**
 * Updates the CRC-32 of some bytes when a known number of bytes is appended: {@code crc(ab) =
 * shift(crc(a)) ^ crc(b)}, with the shift by the length of {@code b} (RFC 1952 §8).
 */
final class Crc32Combine {

    /*
     * A CRC is the remainder of a polynomial over GF(2), so n more bytes multiply it by x^8n. This
     * is linear: the remainders of the 32 powers of x, each multiplied in this way, form a matrix,
     * and the columns at the set bits of a CRC add up to the shifted CRC. Building the matrix takes
     * a microsecond, applying it about ten nanoseconds, since its 32 steps are independent. For a
     * length that is used once, one or two multiplications by precomputed powers are cheaper than a
     * matrix.
     *
     * Bits are reflected, as everywhere in gzip: the highest bit is x^0.
     */

    private static final int POLYNOMIAL = 0xedb88320;
    private static final int ONE = 1 << 31;
    private static final int BITS = 32;
    private static final int BYTE_VALUES = 256;

    /** {@code POWERS[i][n]} is x to the 8 · n · 256^i. */
    private static final int[][] POWERS = powers();

    private final int[] columns;

    private Crc32Combine(int[] columns) {
        this.columns = columns;
    }

    static Crc32Combine by(int bytes) {
        var columns = new int[BITS];
        int power = power(bytes);
        for (int bit = BITS - 1; bit >= 0; bit--) {
            columns[bit] = power;
            power = timesX(power);
        }
        return new Crc32Combine(columns);
    }

    int of(int crc) {
        int shifted = 0;
        for (int bit = 0; bit < BITS; bit++) {
            shifted ^= columns[bit] & -((crc >>> bit) & 1);
        }
        return shifted;
    }

    /** Returns {@code crc} shifted by {@code bytes}, without a matrix. */
    static int of(int crc, int bytes) {
        int shifted = crc;
        for (int i = 0, left = bytes; left != 0; i++, left >>>= Byte.SIZE) {
            int digit = left & (BYTE_VALUES - 1);
            if (digit != 0) {
                shifted = product(shifted, POWERS[i][digit]);
            }
        }
        return shifted;
    }

    private static int power(int bytes) {
        return of(ONE, bytes);
    }

    private static int product(int a, int b) {
        int product = 0;
        int multiple = b;
        for (int bit = BITS - 1; bit >= 0; bit--) {
            product ^= multiple & -((a >>> bit) & 1);
            multiple = timesX(multiple);
        }
        return product;
    }

    private static int timesX(int a) {
        return (a >>> 1) ^ (POLYNOMIAL & -(a & 1));
    }

    private static int[][] powers() {
        var powers = new int[Integer.BYTES][BYTE_VALUES];
        int step = ONE;
        for (int i = 0; i < Byte.SIZE; i++) {
            step = timesX(step);
        }
        for (var row : powers) {
            row[0] = ONE;
            for (int n = 1; n < BYTE_VALUES; n++) {
                row[n] = product(row[n - 1], step);
            }
            step = product(row[BYTE_VALUES - 1], step);
        }
        return powers;
    }
}
