package dev.quire.core.expression;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the XML references in attribute values and text: amp, lt, gt, quot, apos, and numeric
 * character references (XML 1.0 §4.1, §4.6). Any other {@code &} stays, so that {@code ?a=1&copy=2}
 * remains a query.
 */
public final class XmlReferences {

    /** Enough for any numeric reference with a few leading zeros. */
    private static final int LONGEST = 16;

    private XmlReferences() {}

    /**
     * Decodes the references in {@code value}, once; non-ASCII characters become UTF-8 bytes.
     *
     * @param value one char for each byte, like the result
     */
    public static String decode(String value) {
        int from = value.indexOf('&');
        if (from < 0) {
            return value;
        }
        var decoded = new StringBuilder(value.length());
        int done = 0;
        while (from >= 0) {
            int end = value.indexOf(';', from, Math.min(value.length(), from + LONGEST));
            var character = end < 0 ? null : character(value.substring(from + 1, end));
            if (character != null) {
                decoded.append(value, done, from).append(character);
                done = end + 1;
            }
            from = value.indexOf('&', Math.max(done, from + 1));
        }
        return decoded.append(value, done, value.length()).toString();
    }

    private static @Nullable String character(String name) {
        return switch (name) {
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "quot" -> "\"";
            case "apos" -> "'";
            default -> name.startsWith("#") ? byNumber(name) : null;
        };
    }

    private static @Nullable String byNumber(String name) {
        boolean hex = name.startsWith("#x");
        int radix = hex ? 16 : 10;
        int first = hex ? 2 : 1;
        if (first == name.length()) {
            return null;
        }
        int codePoint = 0;
        for (int i = first; i < name.length(); i++) {
            char c = name.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, radix) : -1;
            if (digit < 0) {
                return null;
            }
            codePoint = codePoint * radix + digit;
            if (codePoint > Character.MAX_CODE_POINT) {
                return null;
            }
        }
        boolean isCharacter =
                codePoint != 0
                        && (codePoint < Character.MIN_SURROGATE
                                || codePoint > Character.MAX_SURROGATE);
        if (!isCharacter) {
            return null;
        }
        var bytes = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
