package dev.quire.core.policy;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The key of the stored responses of one resource. {@code Vary} then selects one of them, so
 * request fields are not part of the key (RFC 9111 §4.1). A resource has the same key whether a
 * client requests it or a page includes it.
 *
 * @param scheme of the client's request
 * @param authority host and port, in lower case, without the default port
 * @param target path and query as received, one char for each byte, starting with {@code /}
 * @param parts the values that rules add, in order
 */
public record CacheKey(Scheme scheme, String authority, String target, List<Part> parts) {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** A value that a rule adds to the key. */
    public record Part(String rule, String value) {}

    /** Creates a key to which no rule adds a value. */
    public CacheKey(Scheme scheme, String authority, String target) {
        this(scheme, authority, target, List.of());
    }

    public CacheKey {
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException("target must start with '/': " + target);
        }
        authority = authority(authority, scheme);
        parts = List.copyOf(parts);
    }

    /** Returns the key of the same URL without values of rules: purges and locations mean it. */
    public CacheKey ofUrl() {
        return parts.isEmpty() ? this : new CacheKey(scheme, authority, target);
    }

    /** Returns this key with the values of rules. */
    public CacheKey with(List<Part> added) {
        return added.isEmpty() ? this : new CacheKey(scheme, authority, target, added);
    }

    public static CacheKey of(RequestHead request) {
        return new CacheKey(request.scheme(), request.authority(), request.target());
    }

    /**
     * Returns {@code received} in lower case, without the default port of {@code scheme}, and
     * without the dot of a fully qualified name, which rules and routes do not write.
     */
    public static String authority(String received, Scheme scheme) {
        return withoutDot(withoutDefaultPort(received.toLowerCase(Locale.ROOT), scheme));
    }

    private static String withoutDot(String authority) {
        int colon = authority.indexOf(':');
        int end = colon < 0 ? authority.length() : colon;
        int name = end;
        while (name > 1 && authority.charAt(name - 1) == '.') {
            name--;
        }
        return name == end ? authority : authority.substring(0, name) + authority.substring(end);
    }

    /**
     * Returns the absolute URL of the resource for people: bytes that a URL cannot contain are
     * percent-encoded, so it is safe in logs and fields.
     */
    public String url() {
        return scheme.text() + "://" + authority + visible(target);
    }

    private static String visible(String target) {
        int visible = 0;
        while (visible < target.length() && isVisible(target.charAt(visible))) {
            visible++;
        }
        if (visible == target.length()) {
            return target;
        }
        var url = new StringBuilder(target.length() + 16).append(target, 0, visible);
        for (int i = visible; i < target.length(); i++) {
            char c = target.charAt(i);
            if (isVisible(c)) {
                url.append(c);
            } else {
                url.append('%').append(HEX.toHexDigits((byte) c));
            }
        }
        return url.toString();
    }

    private static boolean isVisible(char c) {
        return c > ' ' && c < 0x7f;
    }

    /**
     * Returns the value of {@code X-ESI-Parent} in the request for {@code fragment}, or null. The
     * fragment's key does not contain it, so it has as little as possible that clients choose: no
     * query, and nothing for another host.
     */
    public @Nullable String asParentOf(CacheKey fragment) {
        return isOfSameAuthority(fragment) ? scheme.text() + "://" + authority + path() : null;
    }

    /** Whether {@code other} has the same scheme, host and port. */
    public boolean isOfSameAuthority(CacheKey other) {
        return scheme == other.scheme && authority.equals(other.authority);
    }

    /** Returns the path without the query. */
    public String path() {
        return path(target);
    }

    /** Returns the path of {@code target}, without the query. */
    public static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private static String withoutDefaultPort(String authority, Scheme scheme) {
        int colon = authority.lastIndexOf(':');
        if (colon < 0 || authority.indexOf(']', colon) >= 0) {
            return authority;
        }
        var port = scheme.defaultPortText();
        int digits = authority.length() - colon - 1;
        boolean isDefault = digits == port.length() && authority.endsWith(port);
        return digits == 0 || isDefault ? authority.substring(0, colon) : authority;
    }
}
