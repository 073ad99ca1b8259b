package dev.quire.core.assemble;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Encodes a plan as bytes: numbers of variable length, and every text once. */
final class PlanOutput {

    private byte[] bytes = new byte[512];
    private int length;
    private final Map<String, Integer> texts = new HashMap<>();

    /** The page being written. */
    CompiledPage page;

    PlanOutput(CompiledPage page) {
        this.page = page;
    }

    /** Writes seven bits in each byte, the lowest first; small non-negative numbers are short. */
    void number(long number) {
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            add((int) rest | 0x80);
            rest >>>= 7;
        }
        add((int) rest);
    }

    private void add(int octet) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * length);
        }
        bytes[length++] = (byte) octet;
    }

    void flag(boolean flag) {
        number(flag ? 1 : 0);
    }

    /** Writes the number of an earlier text; or 0, the length and the chars. */
    void text(String text) {
        var known = texts.putIfAbsent(text, texts.size() + 1);
        number(known == null ? 0 : known);
        if (known == null) {
            number(text.length());
            text.chars().forEach(this::number);
        }
    }

    byte[] bytes() {
        return Arrays.copyOf(bytes, length);
    }
}
