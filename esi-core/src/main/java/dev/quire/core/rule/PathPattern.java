package dev.quire.core.rule;

import dev.quire.core.http.UriPath;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A path pattern: {@code *} matches any characters except {@code /}, {@code **} matches any
 * characters, everything else matches itself. Pattern and path are compared decoded, the path also
 * {@link UriPath#simplified}, since {@code /a;x} and {@code //a} may be {@code /a} for the origin;
 * but not with a pattern that is not simplified itself. Matching takes time proportional to the
 * path with at most one star, else to pattern times path in the worst case.
 */
public final class PathPattern {

    private final String text;
    private final boolean isSimple;

    public PathPattern(String text) {
        this(
                text,
                UriPath.decoded(
                        new String(
                                text.getBytes(StandardCharsets.UTF_8),
                                StandardCharsets.ISO_8859_1)));
    }

    private PathPattern(String written, String decoded) {
        if (!written.startsWith("/")) {
            throw new IllegalArgumentException("path pattern must start with '/': " + written);
        }
        this.text = decoded;
        this.isSimple = this.text.indexOf(';') < 0 && !this.text.contains("//");
    }

    /** Returns the pattern with this {@link #text}. */
    public static PathPattern ofDecoded(String text) {
        return new PathPattern(text, text);
    }

    /** The pattern, decoded. */
    public String text() {
        return text;
    }

    /** Whether the whole of {@code path} matches. */
    public boolean matches(String path) {
        var decoded = UriPath.decoded(path);
        return matches(decoded, UriPath.simplified(decoded));
    }

    /**
     * Whether the whole of a path matches.
     *
     * @param simplified {@code decoded}, simplified
     */
    public boolean matches(String decoded, String simplified) {
        return matches((CharSequence) (isSimple ? simplified : decoded));
    }

    /** Whether it is compared with simplified paths. */
    public boolean isSimple() {
        return isSimple;
    }

    /** Whether it certainly matches every path that {@code other} matches. */
    public boolean covers(PathPattern other) {
        return isSimple() == other.isSimple() && PathCoverage.covers(text, other.text);
    }

    /**
     * Whether the whole of {@code path} matches, decoded, and simplified if the pattern {@link
     * #isSimple}.
     */
    public boolean matches(CharSequence path) {
        int prefix = text.indexOf('*');
        if (prefix < 0) {
            return path.length() == text.length() && fits(path, 0, 0, text.length());
        }
        int suffix = text.lastIndexOf('*') + 1;
        int end = path.length() - (text.length() - suffix);
        return end >= prefix
                && fits(path, 0, 0, prefix)
                && fits(path, end, suffix, text.length())
                && fitsMiddle(path, prefix, end, suffix);
    }

    /** Whether {@code path} from {@code at} on equals a literal part of the pattern. */
    private boolean fits(CharSequence path, int at, int from, int to) {
        for (int i = from; i < to; i++) {
            if (path.charAt(at + i - from) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether {@code path} between {@code start} and {@code end} matches the pattern from its first
     * star to its last one.
     */
    private boolean fitsMiddle(CharSequence path, int start, int end, int suffix) {
        int first = text.indexOf('*');
        if (suffix - first == 1) {
            return !hasSlash(path, start, end);
        }
        if (suffix - first == 2) {
            return true;
        }
        /*
         * Element i is true if the pattern so far can match i characters. Each pattern element
         * updates the row once, so nothing is tried twice.
         */
        var taken = new boolean[end - start + 1];
        taken[0] = true;
        for (int p = first; p < suffix; p++) {
            if (text.startsWith("**", p)) {
                takeAny(taken);
                p++;
            } else if (text.charAt(p) == '*') {
                takeSegment(taken, path, start);
            } else {
                takeOne(taken, path, start, text.charAt(p));
            }
        }
        return taken[end - start];
    }

    private static void takeAny(boolean[] taken) {
        for (int i = 1; i < taken.length; i++) {
            taken[i] |= taken[i - 1];
        }
    }

    private static void takeSegment(boolean[] taken, CharSequence path, int start) {
        for (int i = 1; i < taken.length; i++) {
            taken[i] |= taken[i - 1] && path.charAt(start + i - 1) != '/';
        }
    }

    private static void takeOne(boolean[] taken, CharSequence path, int start, char c) {
        for (int i = taken.length - 1; i > 0; i--) {
            taken[i] = taken[i - 1] && path.charAt(start + i - 1) == c;
        }
        taken[0] = false;
    }

    private static boolean hasSlash(CharSequence path, int start, int end) {
        for (int i = start; i < end; i++) {
            if (path.charAt(i) == '/') {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PathPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
