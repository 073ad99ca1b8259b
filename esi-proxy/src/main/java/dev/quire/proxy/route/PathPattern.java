package dev.quire.proxy.route;

/**
 * A pattern over paths: {@code *} stands for any run of characters without {@code /}, {@code **}
 * for any run, everything else for itself. With at most one star it takes time proportional to the
 * path, else to pattern times path, whatever the two are.
 */
public record PathPattern(String text) {

    public PathPattern {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("path pattern must start with '/': " + text);
        }
    }

    /** Whether all of {@code path} fits. */
    public boolean matches(String path) {
        return matches((CharSequence) path);
    }

    boolean matches(CharSequence path) {
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

    /** Whether {@code path} from {@code at} on reads like the pattern between two places. */
    private boolean fits(CharSequence path, int at, int from, int to) {
        for (int i = from; i < to; i++) {
            if (path.charAt(at + i - from) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether {@code path} between {@code start} and {@code end} fits the pattern from its first
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
         * Place i is true when the pattern so far can have taken i characters. Each element of the
         * pattern goes over the row once, so nothing is ever tried twice.
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
}
