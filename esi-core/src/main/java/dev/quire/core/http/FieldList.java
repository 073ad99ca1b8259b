package dev.quire.core.http;

import java.util.ArrayList;
import java.util.List;

/**
 * Field values that are lists (RFC 9110 §5.6.1). A separator inside a quoted string does not count.
 * An unclosed quote is an ordinary character, so that it cannot hide members after it.
 */
public final class FieldList {
    private FieldList() {}

    /**
     * Returns the members of all {@code lines} as one comma-separated list: without white space
     * around them and without empty ones.
     */
    public static List<String> members(List<String> lines) {
        var members = new ArrayList<String>();
        for (var line : lines) {
            split(line, ',', members);
        }
        return members;
    }

    /**
     * Returns the non-empty parts of {@code text} between {@code separator}s, without white space
     * around them.
     */
    public static List<String> split(String text, char separator) {
        var parts = new ArrayList<String>();
        split(text, separator, parts);
        return parts;
    }

    /**
     * Returns the closing quote of the string that opens at {@code open}, or -1 (RFC 9110 §5.6.4).
     */
    public static int closingQuote(String text, int open) {
        for (int i = open + 1; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '\\' -> i++;
                case '"' -> {
                    return i;
                }
                default -> {}
            }
        }
        return -1;
    }

    private static void split(String text, char separator, List<String> parts) {
        int start = 0;
        boolean quotesClose = true;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == separator) {
                add(text, start, i, parts);
                start = i + 1;
            } else if (c == '"' && quotesClose) {
                int close = closingQuote(text, i);
                quotesClose = close >= 0;
                i = Math.max(i, close);
            }
        }
        add(text, start, text.length(), parts);
    }

    private static void add(String text, int from, int to, List<String> parts) {
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (from < to && isSpace(text.charAt(to - 1))) {
            to--;
        }
        if (from < to) {
            parts.add(text.substring(from, to));
        }
    }

    /** Whether {@code c} is optional white space (RFC 9110 §5.6.3). */
    public static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
