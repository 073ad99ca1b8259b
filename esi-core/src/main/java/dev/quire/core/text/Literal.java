package dev.quire.core.text;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** Syntax of host names and addresses. Never resolves names. */
public final class Literal {

    private Literal() {}

    /** Parses an address: IPv4 as four decimal numbers, or IPv6 without brackets. */
    public static Optional<InetAddress> address(String text) {
        try {
            if (text.indexOf(':') >= 0) {
                return isIpv6Shaped(text)
                        ? Optional.of(InetAddress.getByName("[" + text + "]"))
                        : Optional.empty();
            }
            var octets = octets(text);
            return octets.isPresent()
                    ? Optional.of(InetAddress.getByAddress(octets.get()))
                    : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Whether {@code text} is a host name (RFC 1123 §2.1, and underscores) or an IPv4 address. */
    public static boolean isHost(String text) {
        if (text.isEmpty() || text.length() > 253) {
            return false;
        }
        if (text.chars().allMatch(c -> c == '.' || isDigit(c))) {
            return octets(text).isPresent();
        }
        for (var label : text.split("\\.", -1)) {
            if (label.isEmpty()
                    || label.length() > 63
                    || label.startsWith("-")
                    || label.endsWith("-")
                    || !label.chars().allMatch(Literal::isLabelCharacter)) {
                return false;
            }
        }
        return true;
    }

    public static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLabelCharacter(int c) {
        return isDigit(c)
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || c == '-'
                || c == '_';
    }

    /**
     * The brackets around the text prevent name resolution; this check excludes other characters
     * that the JDK would accept.
     */
    private static boolean isIpv6Shaped(String text) {
        return text.length() <= 45
                && text.chars()
                        .allMatch(c ->
                                c == ':' || c == '.' || (Character.digit(c, 16) >= 0 && c < 128));
    }

    private static Optional<byte[]> octets(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        var octets = new byte[4];
        for (int i = 0; i < 4; i++) {
            var part = parts[i];
            // Some programs read a leading zero as octal.
            boolean isNumber =
                    part.equals("0")
                            || (!part.isEmpty()
                                    && part.length() <= 3
                                    && part.charAt(0) != '0'
                                    && part.chars().allMatch(Literal::isDigit));
            if (!isNumber) {
                return Optional.empty();
            }
            int value = Integer.parseInt(part);
            if (value > 255) {
                return Optional.empty();
            }
            octets[i] = (byte) value;
        }
        return Optional.of(octets);
    }
}
