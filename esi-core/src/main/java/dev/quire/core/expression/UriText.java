package dev.quire.core.expression;

/** Text as it may stand in a reference, and the reverse (RFC 3986 §2). */
final class UriText {

    private static final Replacements LEGAL =
            new Replacements(octet -> isLegal(octet) ? null : Replacements.percent(octet));

    private UriText() {}

    /**
     * {@code text} with what no reference may hold percent-encoded, and {@code #}, which would end
     * what is sent. What parts a path or query stays, and so does what is encoded already. Square
     * brackets stay too: queries are full of them.
     */
    static String legal(String text) {
        return LEGAL.applied(text);
    }

    /**
     * {@code text} with its {@code %41} decoded; what is no such triplet stays.
     *
     * @param plusIsBlank as in queries that forms make
     */
    static String decoded(String text, boolean plusIsBlank) {
        if (text.indexOf('%') < 0 && !(plusIsBlank && text.indexOf('+') >= 0)) {
            return text;
        }
        var decoded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int octet = c == '%' ? octet(text, i) : -1;
            if (octet >= 0) {
                decoded.append((char) octet);
                i += 2;
            } else {
                decoded.append(plusIsBlank && c == '+' ? ' ' : c);
            }
        }
        return decoded.toString();
    }

    private static int octet(String text, int at) {
        if (at + 2 >= text.length()) {
            return -1;
        }
        int high = hex(text.charAt(at + 1));
        int low = hex(text.charAt(at + 2));
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }

    private static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static boolean isLegal(int octet) {
        return Escape.isUnreserved(octet) || "%:/?[]@!$&'()*+,;=".indexOf(octet) >= 0;
    }
}
