package dev.quire.core.assemble;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The bytes of a plan as they are written: numbers of variable length, and every text once. */
final class PlanOutput {

    private final Map<String, Integer> texts = new HashMap<>();
    private byte[] bytes = new byte[512];
    private int length;

    /** The page that is being written. */
    CompiledPage page;

    PlanOutput(CompiledPage page) {
        this.page = page;
    }

    /** Seven bits a byte, the lowest first; small numbers that are not negative are short. */
    void number(long number) {
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            octet((int) rest | 0x80);
            rest >>>= 7;
        }
        octet((int) rest);
    }

    void flag(boolean flag) {
        octet(flag ? 1 : 0);
    }

    /**
     * The number of an earlier text; or 0, or one more than there are for wide chars, and chars.
     */
    void text(String text) {
        var known = texts.putIfAbsent(text, texts.size() + 1);
        if (known != null) {
            number(known);
            return;
        }
        boolean isWide = text.chars().anyMatch(c -> c > 0xFF);
        number(isWide ? texts.size() : 0);
        number(text.length());
        if (isWide) {
            text.chars().forEach(this::number);
        } else {
            octets(text.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Eight bytes, the highest first. */
    void fixed(long number) {
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            octet((int) (number >>> shift));
        }
    }

    /** All that was written, with room for so many more bytes behind it. */
    byte[] bytes(int more) {
        return Arrays.copyOf(bytes, length + more);
    }

    private void octet(int octet) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) octet;
    }

    private void octets(byte[] more) {
        if (more.length > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more.length));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }
}
