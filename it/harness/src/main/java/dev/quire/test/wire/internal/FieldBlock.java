package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import java.io.ByteArrayOutputStream;

/**
 * Encodes fields with HPACK's literal representations (RFC 7541 §6.2), any name and value: one byte
 * for each char (ISO 8859-1), nothing is checked. Does not use Huffman coding.
 */
public final class FieldBlock {
    private static final int FIRST_DYNAMIC = 62;

    private final ByteArrayOutputStream block = new ByteArrayOutputStream();

    /**
     * A block of these fields.
     *
     * @param namesAndValues alternating
     */
    public static byte[] of(String... namesAndValues) {
        var block = new FieldBlock();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.literal(namesAndValues[i], namesAndValues[i + 1]);
        }
        return block.bytes();
    }

    /** The fields of a request, with the pseudo-fields first. */
    public static byte[] request(
            String method, String scheme, String authority, String path, String... fields) {
        var block = new FieldBlock();
        block.literal(":method", method).literal(":scheme", scheme);
        block.literal(":authority", authority).literal(":path", path);
        Fields.of(fields).forEach(block::literal);
        return block.bytes();
    }

    /** Adds a field that leaves the dynamic table unchanged. */
    public FieldBlock literal(String name, String value) {
        block.write(0);
        return text(name).text(value);
    }

    /** Adds a field and inserts it into the dynamic table. */
    public FieldBlock inserted(String name, String value) {
        block.write(0x40);
        return text(name).text(value);
    }

    /** Adds {@code times} references of one byte to the newest entry of the dynamic table. */
    public FieldBlock newest(int times) {
        for (int i = 0; i < times; i++) {
            block.write(0x80 | FIRST_DYNAMIC);
        }
        return this;
    }

    /** Changes the size of the dynamic table (RFC 7541 §6.3). */
    public FieldBlock tableSize(int bytes) {
        integer(0x20, 5, bytes);
        return this;
    }

    public byte[] bytes() {
        return block.toByteArray();
    }

    private FieldBlock text(String text) {
        integer(0, 7, text.length());
        block.writeBytes(text.getBytes(ISO_8859_1));
        return this;
    }

    /** RFC 7541 §5.1. */
    private void integer(int pattern, int prefixBits, int value) {
        int most = (1 << prefixBits) - 1;
        if (value < most) {
            block.write(pattern | value);
            return;
        }
        block.write(pattern | most);
        int rest = value - most;
        while (rest >= 0x80) {
            block.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        block.write(rest);
    }
}
