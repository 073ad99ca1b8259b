package dev.quire.core.assemble;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.util.Set;

/**
 * Turns the {@code src} of an include into the resource it names (RFC 3986 §5). What may be asked
 * for is told by the authority alone, compared as text: the document's own, with its scheme, or one
 * that is listed. No other spelling of a host needs to be recognised, since none is equal.
 *
 * @param allowedHosts authorities besides the page's own that may be included from, in lower case
 *     and without default port
 */
public record ReferenceResolver(Set<String> allowedHosts) {

    /** Only the page's own authority. */
    public static final ReferenceResolver OWN_AUTHORITY = new ReferenceResolver(Set.of());

    private static final String HEX = "0123456789ABCDEF";

    public ReferenceResolver {
        allowedHosts = Set.copyOf(allowedHosts);
    }

    /**
     * The resource {@code src} names when it stands in the document at {@code base}. What a URI may
     * not hold is percent-encoded, triplets that are there stay, and the fragment goes. Control
     * characters are denied: no address has any, and they must never reach a request line. Blanks
     * and line breaks around it are no part of it.
     *
     * @param src one char for each byte (ISO 8859-1)
     */
    public Reference resolve(String src, CacheKey base) {
        return resolved(src.strip(), base);
    }

    /** Whether the document at {@code base} may ask for {@code key}. */
    boolean allows(CacheKey key, CacheKey base) {
        return key.isOfSameAuthority(base) || allowedHosts.contains(key.authority());
    }

    private Reference resolved(String src, CacheKey base) {
        if (!src.chars().allMatch(ReferenceResolver::isPrintableByte)) {
            return new Reference.Denied("a control character in the reference");
        }
        int hash = src.indexOf('#');
        var reference = hash < 0 ? src : src.substring(0, hash);
        int colon = schemeEnd(reference);
        if (colon >= 0) {
            return withScheme(reference.substring(0, colon), reference.substring(colon + 1), base);
        }
        if (!startsWithTwoSlashes(reference)) {
            return new Reference.Allowed(
                    new CacheKey(base.scheme(), base.authority(), target(reference, base)));
        }
        return reference.startsWith("//")
                ? withAuthority(base.scheme(), reference, base)
                : new Reference.Denied("a backslash in place of a slash before the host");
    }

    private Reference withScheme(String name, String rest, CacheKey base) {
        for (var scheme : Scheme.values()) {
            if (name.equalsIgnoreCase(scheme.text())) {
                return rest.startsWith("//")
                        ? withAuthority(scheme, rest, base)
                        : new Reference.Denied("no host after the scheme");
            }
        }
        return new Reference.Denied("a scheme other than http and https");
    }

    /** {@code rest} is two slashes, an authority, and possibly a path and a query. */
    private Reference withAuthority(Scheme scheme, String rest, CacheKey base) {
        int end = 2;
        while (end < rest.length() && rest.charAt(end) != '/' && rest.charAt(end) != '?') {
            end++;
        }
        var path = rest.substring(end);
        var target = path.startsWith("/") ? withoutDots(encoded(path)) : "/" + encoded(path);
        var key = new CacheKey(scheme, rest.substring(2, end), target);
        return allows(key, base)
                ? new Reference.Allowed(key)
                : new Reference.Denied("a host that is neither the page's own nor allowed");
    }

    /**
     * The target of a reference without host (RFC 3986 §5.2.2); what is of the base stays as is.
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
     * {@code target} with the segments {@code .} and {@code ..} of its path resolved (RFC 3986
     * §5.2.4), in one pass from left to right.
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

    /** {@code text} with every byte that a path or query may not hold as a triplet. */
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

    /** {@code pchar}, {@code /} and {@code ?}, but for triplets (RFC 3986 §3.3, §3.4). */
    private static boolean isAllowed(char c) {
        return isAlpha(c) || isDigit(c) || "-._~!$&'()*+,;=:@/?".indexOf(c) >= 0;
    }

    private static boolean isTriplet(String text, int at) {
        return text.charAt(at) == '%'
                && at + 2 < text.length()
                && isHex(text.charAt(at + 1))
                && isHex(text.charAt(at + 2));
    }

    /** Where the colon behind the scheme is, or -1 when there is no scheme (RFC 3986 §3.1). */
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

    /** Browsers take a backslash for a slash; so an address that has one there is a trick. */
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
