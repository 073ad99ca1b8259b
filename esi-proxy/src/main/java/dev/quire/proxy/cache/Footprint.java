package dev.quire.proxy.cache;

import org.jspecify.annotations.Nullable;

/**
 * What objects cost on the heap, in bytes, as HotSpot lays them out where references take four
 * bytes and headers twelve. Beyond 32 GiB of heap, where references take eight, it is more.
 */
final class Footprint {

    /** A plain response, with all that it alone owns, but for its texts and the store's own. */
    static final long PLAIN_BYTES = 620;

    /** What the store has for each key, and the key, but for its text. */
    static final long KEY_BYTES = 190;

    /** A tag, with its place in the list of tags, but for its text. */
    static final long TAG_BYTES = 4;

    /** A field that selects a variant, but for its text. */
    static final long SELECTING_BYTES = 28;

    private static final int HEADER_BYTES = 16;
    private static final int STRING_BYTES = 24;
    private static final int ALIGNMENT = 8;

    private Footprint() {}

    /** An array of {@code bytes} bytes. */
    static long array(long bytes) {
        return (HEADER_BYTES + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** A text whose characters take a byte each. */
    static long string(@Nullable String text) {
        return text == null ? 0 : STRING_BYTES + array(text.length());
    }
}
