package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Estimated object sizes in bytes, for HotSpot with 4-byte references and 12-byte headers. With
 * heaps above 32 GiB, where references take 8 bytes, objects are larger. A test compares these
 * numbers with the actual sizes.
 */
final class Footprint {

    /** A separate direct buffer, on and off the heap, without its contents. */
    static final long BUFFER_BYTES =
            16L + (PlatformDependent.useDirectBufferNoCleaner() ? 192 : 264);

    /**
     * A response with its freshness, hash, body buffer and the objects of its head, without the
     * text of the head.
     */
    static final long RESPONSE_BYTES = 240 + BUFFER_BYTES;

    /**
     * The entry of a key in the store, and the key without its text: two nodes, and their share of
     * hash tables and of the frequency sketch.
     */
    static final long KEY_BYTES = 168;

    /** The container for other forms of a body, when empty. */
    static final long FORMS_BYTES = 192;

    /** A form with its hash and its path, without the contents of its buffer. */
    static final long FORM_BYTES = 260;

    /** The entry of a compressed piece. */
    static final long PIECE_BYTES = 28;

    /** A field that selects a variant, without its value; names are few. */
    static final long SELECTING_BYTES = 24 + 56;

    /** The container of the HPACK forms of a head. */
    static final long HPACK_BYTES = 24;

    /** The difference made by response rules, without its lines; names are few. */
    static final long REPLACED_BYTES = 24 + 16 + 64;

    /** One of its lines, without its value. */
    static final long LINE_BYTES = 24 + 4;

    private static final int HEADER_BYTES = 16;
    private static final int LIST_BYTES = 40;
    private static final int STRING_BYTES = 24;
    private static final int REFERENCE_BYTES = 4;
    private static final int ALIGNMENT = 8;

    private Footprint() {}

    /** The size of a response on the heap, without the objects that are created on first use. */
    static long of(StoredContent content) {
        var selecting = content.selecting().fields();
        var compiled = content.compiled();
        long sum =
                RESPONSE_BYTES
                        + array(content.text().textBytes())
                        + content.text().hpackBytes()
                        + list(selecting.size())
                        + list(content.tags().size())
                        + (compiled == null ? 0 : compiled.heapBytes());
        for (var field : selecting) {
            sum += SELECTING_BYTES + string(field.value());
        }
        for (var tag : content.tags()) {
            sum += string(tag);
        }
        var replaced = content.replaced();
        if (replaced != null) {
            var lines = new LongAdder();
            replaced.received().forEach((name, value) -> lines.add(LINE_BYTES + string(value)));
            sum += REPLACED_BYTES + lines.sum();
        }
        return sum;
    }

    /** The entry of {@code key} in the store, without its responses. */
    static long entry(CacheKey key) {
        return KEY_BYTES + key.authority().length() + string(key.target()) + parts(key);
    }

    /** The values of rules in {@code key}, and its note among the keys of its URL. */
    private static long parts(CacheKey key) {
        return key.parts().isEmpty() ? 0 : KEY_BYTES + values(key);
    }

    /** A key with its text, and its entry in a cache. */
    static long key(CacheKey key) {
        return KEY_BYTES + string(key.authority()) + string(key.target()) + values(key);
    }

    private static long values(CacheKey key) {
        var parts = key.parts();
        long sum = list(parts.size());
        for (var part : parts) {
            sum += REFERENCE_BYTES * 2 + HEADER_BYTES + string(part.value());
        }
        return sum;
    }

    static long array(long bytes) {
        return (HEADER_BYTES + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** A list of {@code size} elements, without the elements; empty lists are shared. */
    static long list(int size) {
        return size == 0 ? 0 : LIST_BYTES + array((long) REFERENCE_BYTES * size);
    }

    /** A string with one byte per character. */
    static long string(@Nullable String text) {
        return text == null ? 0 : STRING_BYTES + array(text.length());
    }
}
