package dev.quire.core.policy;

import java.nio.charset.StandardCharsets;

/**
 * The weak entity tag of an assembled page (RFC 9110 §8.8.3): a hash of its pieces in the order
 * they are written, from the stored hashes of parts and the text evaluated for this request. It
 * changes if a fragment changes or another branch is taken. It is weak, since the page may be
 * framed or coded differently. Confined to one thread.
 */
public final class PageTag {
    private static final byte[] BEGIN = {'W', '/', '"'};
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    /** Of a long. */
    private static final int DIGITS = 16;

    private final ContentHash.Lanes lanes = new ContentHash.Lanes();
    private long pieces;

    /** Adds the bytes from {@code start} to {@code end} of the content with hash {@code part}. */
    public void add(ContentHash part, int start, int end) {
        lanes.add(part.high(), part.low());
        lanes.add(start, end);
        pieces++;
    }

    /** Adds evaluated text. */
    public void add(byte[] text) {
        add(ContentHash.of(text), 0, text.length);
    }

    /** Returns the value of the field: {@code W/"…"}. */
    public String text() {
        var hash = lanes.end(pieces);
        var text = new byte[BEGIN.length + 2 * DIGITS + 1];
        System.arraycopy(BEGIN, 0, text, 0, BEGIN.length);
        write(hash.high(), text, BEGIN.length);
        write(hash.low(), text, BEGIN.length + DIGITS);
        text[text.length - 1] = '"';
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** Writes all hex digits of {@code number} without allocation: every page has two of these. */
    private static void write(long number, byte[] into, int from) {
        long rest = number;
        for (int at = from + DIGITS - 1; at >= from; at--) {
            into[at] = HEX[(int) rest & 0xf];
            rest >>>= 4;
        }
    }
}
