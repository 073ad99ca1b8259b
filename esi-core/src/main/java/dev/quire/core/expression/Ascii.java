package dev.quire.core.expression;

/**
 * Letters, digits and case of ASCII. Other bytes belong to characters of an unknown charset and
 * stay unchanged.
 */
final class Ascii {
    private Ascii() {}

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    }

    /** Whether {@code c} is allowed in names of variables and functions. */
    static boolean isNameChar(char c) {
        return isLetter(c) || isDigit(c) || c == '_';
    }

    static String lower(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return shifted(text, 'A', 'Z', 'a' - 'A');
            }
        }
        return text;
    }

    static String upper(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 'a' && c <= 'z') {
                return shifted(text, 'a', 'z', 'A' - 'a');
            }
        }
        return text;
    }

    private static String shifted(String text, char from, char to, int by) {
        char[] chars = text.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (chars[i] >= from && chars[i] <= to) {
                chars[i] += (char) by;
            }
        }
        return new String(chars);
    }
}
