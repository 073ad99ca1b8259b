package dev.quire.proxy.cache;

import io.netty.util.internal.PlatformDependent;
import org.jspecify.annotations.Nullable;

/**
 * What objects cost, in bytes, as HotSpot lays them out where references take four bytes and
 * headers twelve. Beyond 32 GiB of heap, where references take eight, it is more. A test holds
 * these numbers against what is there.
 */
final class Footprint {

    /** A buffer of its own in direct memory, on the heap and beside it, but for what is in it. */
    static final long BUFFER_BYTES =
            16L + (PlatformDependent.useDirectBufferNoCleaner() ? 192 : 264);

    /**
     * A response, with its clocks, the hash and the buffer of its body, and the objects of its
     * head, but for the text of that.
     */
    static final long RESPONSE_BYTES = 240 + BUFFER_BYTES;

    /**
     * What the store has for each key, and the key, but for its text: two nodes, with their share
     * of tables and of the sketch that says what is popular.
     */
    static final long KEY_BYTES = 160;

    /** What is kept besides a body, when that is still nothing. */
    static final long FORMS_BYTES = 192;

    /** A form, with its hash and its way, but for what is in its buffer. */
    static final long FORM_BYTES = 260;

    /** The place of a piece among those that are kept. */
    static final long PIECE_BYTES = 28;

    /** A field that selects a variant, but for its value; names are few. */
    static final long SELECTING_BYTES = 24 + 56;

    static final long GROUP_BYTES = 24;

    /** How far a response has been tested against the bans. */
    static final long MARK_BYTES = 24;

    private static final int HEADER_BYTES = 16;
    private static final int LIST_BYTES = 40;
    private static final int STRING_BYTES = 24;
    private static final int REFERENCE_BYTES = 4;
    private static final int ALIGNMENT = 8;

    private Footprint() {}

    /** A response on the heap, but for what is kept with it and is made on first need. */
    static long of(StoredContent content) {
        var selecting = content.selecting().fields();
        var compiled = content.compiled();
        long sum =
                RESPONSE_BYTES
                        + array(content.text().textBytes())
                        + list(selecting.size())
                        + list(content.tags().size())
                        + list(content.groups().size())
                        + (compiled == null ? 0 : compiled.heapBytes());
        for (var field : selecting) {
            sum += SELECTING_BYTES + string(field.value());
        }
        for (var tag : content.tags()) {
            sum += string(tag);
        }
        for (var group : content.groups()) {
            sum += GROUP_BYTES + string(group.name());
        }
        return sum;
    }

    /** An array of {@code bytes} bytes. */
    static long array(long bytes) {
        return (HEADER_BYTES + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** A list of {@code size} elements, but for those; empty ones are shared. */
    static long list(int size) {
        return size == 0 ? 0 : LIST_BYTES + array((long) REFERENCE_BYTES * size);
    }

    /** A text whose characters take a byte each. */
    static long string(@Nullable String text) {
        return text == null ? 0 : STRING_BYTES + array(text.length());
    }
}
