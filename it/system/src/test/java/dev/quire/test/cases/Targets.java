package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;

/** The names of targets in a case: a path, a path with its query, or an absolute URL. */
final class Targets {
    private static final String SCHEME = "http://";
    private static final String PORT = ":80";
    private static final String LEGAL_SYMBOLS = "-._~!$&'()*+,;=:@/?";

    private Targets() {}

    /** Reports a name that cannot match any target. */
    static void check(Entry entry, String key, String name) {
        boolean isAbsolute =
                name.startsWith(SCHEME) && name.indexOf('/', SCHEME.length()) > SCHEME.length();
        if (!name.startsWith("/") && !isAbsolute) {
            entry.wrong(
                    key,
                    "'" + name + "' is not a path",
                    "a path that starts with '/', or http://HOST/PATH");
        }
    }

    /**
     * Whether a request for {@code target} at {@code authority} matches {@code name}. A path
     * matches any query; a path or a target with a query matches any host.
     */
    static boolean isFor(String name, String authority, String target) {
        if (name.startsWith(SCHEME)) {
            int slash = name.indexOf('/', SCHEME.length());
            return isSameAuthority(name.substring(SCHEME.length(), slash), authority)
                    && isFor(name.substring(slash), authority, target);
        }
        return name.indexOf('?') < 0 ? name.equals(path(target)) : name.equals(target);
    }

    static boolean isSameAuthority(String one, String other) {
        return normal(one).equals(normal(other));
    }

    /** {@code target} without its query. */
    static String path(String target) {
        int question = target.indexOf('?');
        return question < 0 ? target : target.substring(0, question);
    }

    /**
     * {@code target} with all characters percent-encoded that are not allowed in it (RFC 3986 §2).
     */
    static String encoded(String target) {
        var encoded = new StringBuilder();
        for (byte b : target.getBytes(UTF_8)) {
            char c = (char) (b & 0xff);
            boolean isLegal =
                    (c >= '0' && c <= '9')
                            || (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || c == '%'
                            || LEGAL_SYMBOLS.indexOf(c) >= 0;
            if (isLegal) {
                encoded.append(c);
            } else {
                encoded.append("%%%02X".formatted((int) c));
            }
        }
        return encoded.toString();
    }

    private static String normal(String authority) {
        var lower = authority.toLowerCase(Locale.ROOT);
        return lower.endsWith(PORT) ? lower.substring(0, lower.length() - PORT.length()) : lower;
    }
}
