package dev.quire.core.expression;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A table of replacements for bytes. Text without a replaced byte is returned itself. */
final class Replacements {
    private static final String HEX = "0123456789ABCDEF";
    private static final int BYTES = 256;

    private final @Nullable String[] table = new @Nullable String[BYTES];

    /**
     * @param replacement of a byte; null if it stays
     */
    Replacements(IntFunction<@Nullable String> replacement) {
        for (int i = 0; i < BYTES; i++) {
            table[i] = replacement.apply(i);
        }
    }

    /** Returns {@code %41} for 0x41 (RFC 3986 §2.1). */
    static String percent(int octet) {
        return "%" + HEX.charAt(octet >> 4) + HEX.charAt(octet & 15);
    }

    /** Returns {@code prefix} and the two hex digits of {@code octet}. */
    static String hex(String prefix, int octet) {
        return prefix + HEX.charAt(octet >> 4) + HEX.charAt(octet & 15);
    }

    /** Returns {@code text}, one char for each byte, with all replacements. */
    String applied(String text) {
        int first = first(text);
        if (first == text.length()) {
            return text;
        }
        var result = new StringBuilder(text.length() + text.length() / 8 + 16);
        int done = 0;
        for (int i = first; i < text.length(); i++) {
            var replacement = of(text.charAt(i));
            if (replacement != null) {
                result.append(text, done, i).append(replacement);
                done = i + 1;
            }
        }
        return result.append(text, done, text.length()).toString();
    }

    byte[] applied(byte[] bytes) {
        long length = 0;
        for (byte each : bytes) {
            var replacement = table[each & 0xFF];
            length += replacement == null ? 1 : replacement.length();
        }
        if (length == bytes.length) {
            return bytes;
        }
        var result = new byte[Math.toIntExact(length)];
        int at = 0;
        for (byte each : bytes) {
            var replacement = table[each & 0xFF];
            if (replacement == null) {
                result[at++] = each;
            } else {
                for (int i = 0; i < replacement.length(); i++) {
                    result[at++] = (byte) replacement.charAt(i);
                }
            }
        }
        return result;
    }

    private int first(String text) {
        int i = 0;
        while (i < text.length() && of(text.charAt(i)) == null) {
            i++;
        }
        return i;
    }

    private @Nullable String of(char c) {
        return c < BYTES ? table[c] : null;
    }
}
