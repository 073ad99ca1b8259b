package dev.quire.proxy.listen;

import dev.quire.core.http.FieldSyntax;
import io.netty.util.ByteProcessor;

/** The character classes of RFC 3986 §2 and RFC 9112 §3 for requests. */
final class Grammar {
    private static final boolean[] HOST = new boolean[128];

    /** Each continues while bytes belong to its class. */
    static final ByteProcessor TOKENS = FieldSyntax::isTokenChar;

    static final ByteProcessor FIELD_VALUES = value -> FieldSyntax.isValueChar(value & 0xff);

    /** Everything of a target up to its query. */
    static final ByteProcessor PATHS = value -> isVisible(value) && value != '?';

    static final ByteProcessor QUERIES = value -> isQuery(value & 0xff);

    static {
        for (char c = 0; c < HOST.length; c++) {
            HOST[c] =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || isDigit(c)
                            || "-._".indexOf(c) >= 0;
        }
    }

    private Grammar() {}

    /** Whether {@code c} is a letter, a digit, {@code -}, {@code .} or {@code _}. */
    static boolean isHost(int c) {
        return c >= 0 && c < HOST.length && HOST[c];
    }

    /** Whether {@code c} is a printable ASCII character other than the space. */
    static boolean isVisible(int c) {
        return c > ' ' && c < 0x7f;
    }

    /**
     * Whether {@code c} may be in a query: browsers and other clients send more than RFC 3986 §3.4
     * allows. White space and control characters of ASCII end a request line and are excluded.
     */
    static boolean isQuery(int c) {
        return c > ' ' && c != 0x7f && c <= 0xff;
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** Decodes the triplet {@code %XX} at {@code percent}; returns -1 if it is not one. */
    static int decoded(CharSequence text, int percent) {
        if (percent + 2 >= text.length()) {
            return -1;
        }
        int high = Character.digit(text.charAt(percent + 1), 16);
        int low = Character.digit(text.charAt(percent + 2), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }
}
