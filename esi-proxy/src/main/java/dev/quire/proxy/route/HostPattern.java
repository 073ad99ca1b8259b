package dev.quire.proxy.route;

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
        var host = withoutPort(authority);
        if (!text.startsWith("*.")) {
            return text.equals(host);
        }
        var domain = text.substring(1);
        return host.endsWith(domain) || authority.endsWith(domain);
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

    private static String withoutPort(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon < 0 || authority.indexOf(']', colon) >= 0
                ? authority
                : authority.substring(0, colon);
    }
}
