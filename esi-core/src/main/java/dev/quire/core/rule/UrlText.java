package dev.quire.core.rule;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Text of values for URLs (RFC 3986 §2). */
public final class UrlText {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final String UNRESERVED = "-._~";

    private UrlText() {}

    /**
     * Percent-encodes all chars of {@code value} but unreserved ones; chars above 0xFF as UTF-8.
     *
     * @param keepsSlash whether {@code /} stays too
     */
    public static String encoded(String value, boolean keepsSlash) {
        var out = new StringBuilder(value.length() + 8);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (isUnreserved(c) || (keepsSlash && c == '/')) {
                out.append(c);
            } else if (c <= 0xff) {
                out.append('%').append(HEX.toHexDigits((byte) c));
            } else {
                int width = Character.isHighSurrogate(c) && i + 1 < value.length() ? 2 : 1;
                for (byte octet : value.substring(i, i + width).getBytes(StandardCharsets.UTF_8)) {
                    out.append('%').append(HEX.toHexDigits(octet));
                }
                i += width - 1;
            }
        }
        return out.toString();
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || UNRESERVED.indexOf(c) >= 0;
    }
}
