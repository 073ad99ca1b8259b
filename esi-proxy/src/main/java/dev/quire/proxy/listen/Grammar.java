package dev.quire.proxy.listen;

import io.netty.util.ByteProcessor;

/** The character classes of RFC 9110 §5.6 and RFC 3986 §2 that decide what a request may say. */
final class Grammar {
    private static final boolean[] TOKEN = table("!#$%&'*+-.^_`|~");
    private static final boolean[] REG_NAME = table("-._~!$&'()*+,;=");

    /** Each goes on as long as the bytes are of its class. */
    static final ByteProcessor TOKENS = value -> isToken(value);

    static final ByteProcessor FIELD_VALUES = value -> isFieldValue(value & 0xff);
    static final ByteProcessor VISIBLES = value -> isVisible(value);

    private Grammar() {}

    /** Whether {@code c} may stand in a token: a method or a field name. */
    static boolean isToken(int c) {
        return c >= 0 && c < 128 && TOKEN[c];
    }

    /** Whether all of {@code text} is one token. */
    static boolean isToken(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isToken(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether {@code c} may stand in a field value: anything but controls, tab excepted. */
    static boolean isFieldValue(int c) {
        return (c >= ' ' && c != 0x7f) || c == '\t';
    }

    /** Whether {@code c} may stand in a registered name without being encoded. */
    static boolean isRegName(int c) {
        return c >= 0 && c < 128 && REG_NAME[c];
    }

    /** Whether {@code c} is a printable ASCII character other than the space. */
    static boolean isVisible(int c) {
        return c > ' ' && c < 0x7f;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** The byte that the triplet {@code %XX} at {@code percent} stands for, or -1 if it is none. */
    static int decoded(CharSequence text, int percent) {
        if (percent + 2 >= text.length()) {
            return -1;
        }
        int high = Character.digit(text.charAt(percent + 1), 16);
        int low = Character.digit(text.charAt(percent + 2), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static boolean[] table(String beside) {
        var table = new boolean[128];
        for (char c = 0; c < 128; c++) {
            table[c] =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || isDigit(c)
                            || beside.indexOf(c) >= 0;
        }
        return table;
    }
}
