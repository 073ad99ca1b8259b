package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.Content;
import java.util.Arrays;

/** Formats bytes and text for a report: on one line, in quotes, other bytes as numbers. */
final class Quoted {
    /** Bytes of a body shown before and after the first difference. */
    private static final int BEFORE = 40;

    private static final int BEHIND = 120;

    private Quoted() {}

    static String text(String text) {
        return bytes(text.getBytes(UTF_8), 0, Integer.MAX_VALUE);
    }

    /** The first difference of two bodies, with the bytes around it. */
    static String difference(Content expected, Content found) {
        var left = expected.bytes();
        var right = found.bytes();
        int at = Arrays.mismatch(left, right);
        int from = Math.max(0, at - BEFORE);
        return "differs from byte %d on\n  expected %s\n  found    %s"
                .formatted(at, bytes(left, from, at + BEHIND), bytes(right, from, at + BEHIND));
    }

    /** The start of a body. */
    static String beginning(Content body) {
        return bytes(body.bytes(), 0, BEFORE + BEHIND);
    }

    private static String bytes(byte[] bytes, int from, int to) {
        int end = Math.min(bytes.length, to);
        var shown = new StringBuilder(from > 0 ? "…\"" : "\"");
        for (int i = from; i < end; i++) {
            append(shown, (char) (bytes[i] & 0xff));
        }
        shown.append('"');
        if (end < bytes.length) {
            shown.append("… and ").append(bytes.length - end).append(" more");
        }
        return shown.toString();
    }

    private static void append(StringBuilder shown, char c) {
        switch (c) {
            case '\r' -> shown.append("\\r");
            case '\n' -> shown.append("\\n");
            case '\t' -> shown.append("\\t");
            case '"' -> shown.append("\\\"");
            case '\\' -> shown.append("\\\\");
            default -> {
                if (c < ' ' || c > '~') {
                    shown.append("\\x%02x".formatted((int) c));
                } else {
                    shown.append(c);
                }
            }
        }
    }
}
