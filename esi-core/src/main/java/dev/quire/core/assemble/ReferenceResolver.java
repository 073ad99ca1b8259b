package dev.quire.core.assemble;

import dev.quire.core.http.Scheme;
import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import java.util.Set;

/**
 * Resolves the {@code src} of an include (RFC 3986 §5). Only the authority decides whether the
 * resource may be requested, compared as text: the document's own, with its scheme, or an allowed
 * one. Other spellings of a host are not equal and therefore not allowed.
 *
 * @param allowedHosts further authorities that may be included from, in lower case and without
 *     default port
 */
public record ReferenceResolver(Set<String> allowedHosts) {

    /** Allows only the page's own authority. */
    public static final ReferenceResolver OWN_AUTHORITY = new ReferenceResolver(Set.of());

    private static final String HEX = "0123456789ABCDEF";

    public ReferenceResolver {
        allowedHosts = Set.copyOf(allowedHosts);
    }

    /**
     * Resolves {@code src} in the document at {@code base}. Characters not allowed in a URI are
     * percent-encoded, existing triplets stay, and the URI fragment is removed. Control characters
     * are denied, so that they never reach a request line. White space around it is ignored.
     *
     * @param src one char for each byte (ISO 8859-1)
     */
    public Reference resolve(String src, CacheKey base) {
        return resolved(src.strip(), base, false);
    }

    /**
     * Like {@link #resolve}, for the {@code src} of an include: in a document with the scheme
     * {@code https}, an {@code http} URL of its own authority gets that scheme too, because behind
     * a proxy that terminates TLS an application may write its own URLs with {@code http}.
     */
    public Reference resolveInclude(String src, CacheKey base) {
        return resolved(src.strip(), base, true);
    }

    /** Whether the document at {@code base} may request {@code key}. */
    boolean allows(CacheKey key, CacheKey base) {
        return key.isOfSameAuthority(base) || allowedHosts.contains(key.authority());
    }

    /**
     * Whether {@code key} may be the result of resolving a reference in the document at {@code
     * base}.
     */
    boolean mayResolveTo(CacheKey key, CacheKey base) {
        return allows(key, base)
                && key.parts().isEmpty()
                && key.target().chars().allMatch(ReferenceResolver::isPrintableByte)
                && allowed(key) instanceof Reference.Allowed;
    }

    private Reference resolved(String src, CacheKey base, boolean adoptsScheme) {
        if (!src.chars().allMatch(ReferenceResolver::isPrintableByte)) {
            return new Reference.Denied("a control character in the reference");
        }
        int hash = src.indexOf('#');
        var reference = hash < 0 ? src : src.substring(0, hash);
        int colon = schemeEnd(reference);
        if (colon >= 0) {
            return withScheme(
                    reference.substring(0, colon),
                    reference.substring(colon + 1),
                    base,
                    adoptsScheme);
        }
        if (!startsWithTwoSlashes(reference)) {
            return allowed(new CacheKey(base.scheme(), base.authority(), target(reference, base)));
        }
        return reference.startsWith("//")
                ? withAuthority(base.scheme(), reference, base, false)
                : new Reference.Denied("a backslash in place of a slash before the host");
    }

    private Reference withScheme(String name, String rest, CacheKey base, boolean adoptsScheme) {
        for (var scheme : Scheme.values()) {
            if (name.equalsIgnoreCase(scheme.text())) {
                return rest.startsWith("//")
                        ? withAuthority(scheme, rest, base, adoptsScheme)
                        : new Reference.Denied("no host after the scheme");
            }
        }
        return new Reference.Denied("a scheme other than http and https");
    }

    /** Resolves {@code rest}: two slashes, an authority, and possibly a path and a query. */
    private Reference withAuthority(
            Scheme scheme, String rest, CacheKey base, boolean adoptsScheme) {
        int end = 2;
        while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
            end++;
        }
        var path = rest.substring(end);
        var target = path.startsWith("/") ? withoutDots(encoded(path)) : "/" + encoded(path);
        var named = new CacheKey(scheme, rest.substring(2, end), target);
        var key =
                adoptsScheme && scheme == Scheme.HTTP && named.authority().equals(base.authority())
                        ? new CacheKey(base.scheme(), base.authority(), target)
                        : named;
        return allows(key, base)
                ? allowed(key)
                : new Reference.Denied("a host that is neither the page's own nor allowed");
    }

    /** Denies targets that are refused from clients too. */
    private static Reference allowed(CacheKey key) {
        if (key.target().contains("%00")) {
            return new Reference.Denied("an encoded NUL in the reference");
        }
        return UriPath.hasDotSegment(key.target())
                ? new Reference.Denied("a dot segment that remains in the path")
                : new Reference.Allowed(key);
    }

    /**
     * Returns the target of a reference without host (RFC 3986 §5.2.2); the base is not encoded.
     */
    private static String target(String reference, CacheKey base) {
        if (reference.isEmpty()) {
            return base.target();
        }
        if (reference.startsWith("?")) {
            return base.path() + encoded(reference);
        }
        if (reference.startsWith("/")) {
            return withoutDots(encoded(reference));
        }
        var directory = base.path().substring(0, base.path().lastIndexOf('/') + 1);
        return withoutDots(directory + encoded(reference));
    }

    /**
     * Returns {@code target} with the segments {@code .} and {@code ..} of its path resolved (RFC
     * 3986 §5.2.4), in one pass from left to right.
     */
    private static String withoutDots(String target) {
        int query = target.indexOf('?');
        int end = query < 0 ? target.length() : query;
        var path = new StringBuilder(target.length());
        int from = 0;
        while (from < end) {
            int slash = target.indexOf('/', from + 1);
            int to = slash < 0 || slash > end ? end : slash;
            boolean last = to == end;
            switch (target.substring(from, to)) {
                case "/." -> path.append(last ? "/" : "");
                case "/.." -> {
                    path.setLength(Math.max(0, path.lastIndexOf("/")));
                    path.append(last ? "/" : "");
                }
                default -> path.append(target, from, to);
            }
            from = to;
        }
        return path.append(target, end, target.length()).toString();
    }

    /** Returns {@code text} with every byte not allowed in a path or query percent-encoded. */
    private static String encoded(String text) {
        var encoded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isAllowed(c) || isTriplet(text, i)) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return encoded.toString();
    }

    /** {@code pchar}, {@code /} and {@code ?}, except triplets (RFC 3986 §3.3, §3.4). */
    private static boolean isAllowed(char c) {
        return isAlpha(c) || isDigit(c) || "-._~!$&'()*+,;=:@/?".indexOf(c) >= 0;
    }

    private static boolean isTriplet(String text, int at) {
        return text.charAt(at) == '%'
                && at + 2 < text.length()
                && isHex(text.charAt(at + 1))
                && isHex(text.charAt(at + 2));
    }

    /** Returns the index of the colon after the scheme, or -1 without a scheme (RFC 3986 §3.1). */
    private static int schemeEnd(String reference) {
        for (int i = 0; i < reference.length(); i++) {
            char c = reference.charAt(i);
            if (c == ':' && i > 0) {
                return i;
            }
            boolean part = isAlpha(c) || (i > 0 && (isDigit(c) || "+-.".indexOf(c) >= 0));
            if (!part) {
                return -1;
            }
        }
        return -1;
    }

    /** Browsers read a backslash as a slash, so an address with one here is suspicious. */
    private static boolean startsWithTwoSlashes(String reference) {
        return reference.length() > 1
                && isSlash(reference.charAt(0))
                && isSlash(reference.charAt(1));
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    private static boolean isAlpha(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHex(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    private static boolean isPrintableByte(int c) {
        return c >= ' ' && c != 0x7F && c <= 0xFF;
    }
}
