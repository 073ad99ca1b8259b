package dev.quire.core.rule;

import java.util.Locale;

/**
 * A pattern for the hosts of a route: {@code *} matches every host, {@code *.example.org} every
 * host below that domain, anything else exactly that host. A pattern with a port matches only that
 * port, others match any port.
 */
public record HostPattern(String text) {

    public HostPattern {
        text = text.toLowerCase(Locale.ROOT);
        if (text.isEmpty()
                || text.lastIndexOf('*') > 0
                || (text.startsWith("*") && !text.equals("*") && !isDomain(text))) {
            throw new IllegalArgumentException(
                    "host must be a name, '*', or '*.' and a domain: " + text);
        }
    }

    /** Whether {@code authority}, in lower case, matches. */
    public boolean matches(String authority) {
        if (text.equals("*") || text.equals(authority)) {
            return true;
        }
        int colon = colonOfPort(authority);
        int end = colon < 0 ? authority.length() : colon;
        if (!text.startsWith("*.")) {
            return end == text.length() && authority.startsWith(text);
        }
        int domain = text.length() - 1;
        return endsWithDomain(authority, end, domain)
                || endsWithDomain(authority, authority.length(), domain);
    }

    /** Whether it matches every authority that {@code other} matches. */
    public boolean covers(HostPattern other) {
        return other.text.startsWith("*")
                ? text.equals("*")
                        || (text.startsWith("*.")
                                && other.text.startsWith("*.")
                                && other.text.substring(1).endsWith(text.substring(1)))
                : matches(other.text);
    }

    private static boolean isDomain(String text) {
        return text.startsWith("*.") && text.length() > 2;
    }

    /** Returns {@code authority} without its port. */
    public static String withoutPort(String authority) {
        int colon = colonOfPort(authority);
        return colon < 0 ? authority : authority.substring(0, colon);
    }

    private boolean endsWithDomain(String authority, int end, int length) {
        return authority.regionMatches(end - length, text, 1, length);
    }

    private static int colonOfPort(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon < 0 || authority.indexOf(']', colon) >= 0 ? -1 : colon;
    }
}
