package dev.quire.proxy.listen;

import io.netty.util.NetUtil;
import java.util.Locale;

/** The {@code host[:port]} of a request (RFC 3986 §3.2.2, §3.2.3; RFC 9110 §7.2). */
final class Authority {
    private static final int MAX_CHARACTERS = 255;
    private static final int MAX_PORT = 65_535;

    private Authority() {}

    /**
     * Whether {@code text} is a host and optionally a port from 1 to 65535, in at most 255
     * characters. A host is of letters, digits, {@code -}, {@code .} and {@code _}, or an IPv6
     * address in brackets. Userinfo, zone identifiers, percent-encoding and an empty port are
     * rejected.
     */
    static boolean isSane(String text) {
        if (text.isEmpty() || text.length() > MAX_CHARACTERS) {
            return false;
        }
        int end = text.charAt(0) == '[' ? literalEnd(text) : nameEnd(text);
        return end > 0 && isPort(text, end);
    }

    /** The host of {@code authority}, which is sane, in lower case and without brackets. */
    static String host(String authority) {
        if (authority.charAt(0) == '[') {
            return authority.substring(1, authority.indexOf(']')).toLowerCase(Locale.ROOT);
        }
        int colon = authority.indexOf(':');
        return (colon < 0 ? authority : authority.substring(0, colon)).toLowerCase(Locale.ROOT);
    }

    /** Like {@link #host}, without the dot behind the root of DNS, which no certificate has. */
    static String hostWithoutDot(String authority) {
        var host = host(authority);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    /**
     * Returns the end of the name at the start of {@code text}, or -1 if it has an invalid
     * character.
     */
    private static int nameEnd(String text) {
        int i = 0;
        while (i < text.length() && text.charAt(i) != ':') {
            if (!Grammar.isHost(text.charAt(i))) {
                return -1;
            }
            i++;
        }
        return i;
    }

    private static int literalEnd(String text) {
        int close = text.indexOf(']');
        if (close < 0 || text.indexOf('%') >= 0) {
            return -1;
        }
        return NetUtil.isValidIpV6Address(text.substring(1, close)) ? close + 1 : -1;
    }

    private static boolean isPort(String text, int from) {
        if (from == text.length()) {
            return true;
        }
        int digits = text.length() - from - 1;
        if (text.charAt(from) != ':' || digits < 1 || digits > 5) {
            return false;
        }
        int port = 0;
        for (int i = from + 1; i < text.length(); i++) {
            if (!Grammar.isDigit(text.charAt(i))) {
                return false;
            }
            port = port * 10 + text.charAt(i) - '0';
        }
        return port >= 1 && port <= MAX_PORT;
    }
}
