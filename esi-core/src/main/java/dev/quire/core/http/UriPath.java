package dev.quire.core.http;

/** The path of a request target (RFC 3986 §3.3), one char for each byte. */
public final class UriPath {
    private UriPath() {}

    /** Returns {@code path} with all triplets decoded; malformed ones stay. */
    public static String decoded(String path) {
        int percent = path.indexOf('%');
        if (percent < 0) {
            return path;
        }
        var decoded = new StringBuilder(path.length()).append(path, 0, percent);
        for (int i = percent; i < path.length(); i += width(path, i)) {
            decoded.append((char) at(path, i));
        }
        return decoded.toString();
    }

    /**
     * Returns {@code decoded}, a decoded path, as servers with path parameters find their resources
     * by it: without the parameters of its segments ({@code /a;x=y}), and each run of slashes as
     * one.
     */
    public static String simplified(String decoded) {
        // Most paths have neither.
        if (decoded.indexOf(';') < 0 && !decoded.contains("//")) {
            return decoded;
        }
        var simple = new StringBuilder(decoded.length());
        boolean isParameter = false;
        for (int i = 0; i < decoded.length(); i++) {
            char c = decoded.charAt(i);
            isParameter = c != '/' && (isParameter || c == ';');
            boolean isRepeated =
                    c == '/' && !simple.isEmpty() && simple.charAt(simple.length() - 1) == '/';
            if (!isParameter && !isRepeated) {
                simple.append(c);
            }
        }
        return simple.toString();
    }

    /** Whether the path of {@code target} has a dot segment ({@link #dotSegments}). */
    public static boolean hasDotSegment(String target) {
        // Most paths have neither.
        return (target.indexOf('.') >= 0 || target.indexOf('%') >= 0) && dotSegments(target) > 0;
    }

    /**
     * Returns the number of dot segments (RFC 3986 §3.3) that some origin may find in {@code
     * target}, up to its query: dots and slashes may be encoded, a backslash may separate, and a
     * parameter may follow the dots ({@code ..;x}).
     */
    public static int dotSegments(String target) {
        int count = 0;
        int dots = 0;
        boolean isDots = true;
        boolean isParameter = false;
        for (int i = 0; i <= target.length(); i += width(target, i)) {
            int c = i == target.length() ? '/' : at(target, i);
            boolean isEnd =
                    i < target.length() && (target.charAt(i) == '?' || target.charAt(i) == '#');
            if (isEnd || c == '/' || c == '\\') {
                count += isDots && (dots == 1 || dots == 2) ? 1 : 0;
                dots = 0;
                isDots = true;
                isParameter = false;
                if (isEnd) {
                    break;
                }
            } else if (!isParameter) {
                isParameter = c == ';';
                isDots &= c == '.' || isParameter;
                dots += c == '.' ? 1 : 0;
            }
        }
        return count;
    }

    private static int width(String text, int i) {
        return isTriplet(text, i) ? 3 : 1;
    }

    /** Returns the character at {@code i}, decoded if a triplet begins there. */
    private static int at(String text, int i) {
        return isTriplet(text, i)
                ? Character.digit(text.charAt(i + 1), 16) << 4
                        | Character.digit(text.charAt(i + 2), 16)
                : text.charAt(i);
    }

    private static boolean isTriplet(String text, int i) {
        return i + 2 < text.length()
                && text.charAt(i) == '%'
                && Character.digit(text.charAt(i + 1), 16) >= 0
                && Character.digit(text.charAt(i + 2), 16) >= 0;
    }
}
