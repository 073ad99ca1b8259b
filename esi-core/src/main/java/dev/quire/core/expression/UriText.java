package dev.quire.core.expression;

/** Text encoded for a reference, and decoded (RFC 3986 §2). */
public final class UriText {

    private static final Replacements LEGAL =
            new Replacements(octet -> isLegal(octet) ? null : Replacements.percent(octet));

    private UriText() {}

    /**
     * Percent-encodes chars that are not allowed in a reference, and {@code #}, which would end it.
     * Delimiters of paths and queries stay, and so do percent-encoded chars. Square brackets stay
     * too: they are common in queries.
     */
    public static String legal(String text) {
        return LEGAL.applied(text);
    }

    /**
     * Decodes the percent-encoded bytes of {@code text}; malformed ones stay.
     *
     * @param plusIsBlank as in queries of forms
     */
    public static String decoded(String text, boolean plusIsBlank) {
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
