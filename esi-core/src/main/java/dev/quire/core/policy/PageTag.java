package dev.quire.core.policy;

import java.util.HexFormat;

/**
 * The weak entity tag of an assembled page (RFC 9110 §8.8.3), mixed from what it is made of in the
 * order in which it is written: hashes that were made when its parts were stored, and the text
 * evaluated for this request. So it changes when a fragment does, and when another branch is taken;
 * it is weak, since the page may be framed or coded differently. Belongs to one thread.
 */
public final class PageTag {
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
        var hex = HexFormat.of();
        return "W/\"" + hex.toHexDigits(hash.high()) + hex.toHexDigits(hash.low()) + '"';
    }
}
