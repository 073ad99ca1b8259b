package dev.quire.core.policy;

import java.nio.charset.StandardCharsets;

/**
 * The weak entity tag of an assembled page (RFC 9110 §8.8.3), mixed from what it is made of in the
 * order in which it is written: hashes that were made when its parts were stored, and the text
 * evaluated for this request. So it changes when a fragment does, and when another branch is taken;
 * it is weak, since the page may be framed or coded differently. Belongs to one thread.
 */
public final class PageTag {
    private static final byte[] BEGIN = {'W', '/', '"'};
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    /** Of a long. */
    private static final int DIGITS = 16;

    private final ContentHash.Lanes lanes = new ContentHash.Lanes();
    private long pieces;

    /** The bytes from {@code start} to {@code end} of what {@code part} stands for are written. */
    public void add(ContentHash part, int start, int end) {
        lanes.add(part.high(), part.low());
        lanes.add(start, end);
        pieces++;
    }

    /** Evaluated text is written. */
    public void add(byte[] text) {
        add(ContentHash.of(text), 0, text.length);
    }

    /** The tag as its field has it: {@code W/"…"}. */
    public String text() {
        var hash = lanes.end(pieces);
        var text = new byte[BEGIN.length + 2 * DIGITS + 1];
        System.arraycopy(BEGIN, 0, text, 0, BEGIN.length);
        write(hash.high(), text, BEGIN.length);
        write(hash.low(), text, BEGIN.length + DIGITS);
        text[text.length - 1] = '"';
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** All digits of {@code number}, without a text of their own: every page has two of these. */
    private static void write(long number, byte[] into, int from) {
        long rest = number;
        for (int at = from + DIGITS - 1; at >= from; at--) {
            into[at] = HEX[(int) rest & 0xf];
            rest >>>= 4;
        }
    }
}
