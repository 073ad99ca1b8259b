package dev.quire.proxy.listen;

/**
 * Detects paths that lead above the root under any interpretation by an origin (RFC 3986 §5.2.4).
 * Does not rewrite: the origin gets the path of the cache key.
 */
final class RequestPaths {
    private static final int SLASH = '/';
    private static final int BACKSLASH = '\\';

    private RequestPaths() {}

    /**
     * Whether the path of {@code target} leaves the root, or may do so through a parameter ({@code
     * ..;}), which some origins remove before they resolve the path. Dots may be encoded. Encoded
     * slashes are tried both as separators and as text. Empty segments do not count, because many
     * origins merge them.
     */
    static boolean leavesRoot(String target) {
        int query = target.indexOf('?');
        var path = query < 0 ? target : target.substring(0, query);
        if (!path.contains("/.") && path.indexOf('%') < 0) {
            return false;
        }
        return leavesRoot(path, false) || leavesRoot(path, true);
    }

    private static boolean leavesRoot(String path, boolean encodedSlashesPart) {
        int depth = 0;
        int start = 0;
        int i = 0;
        while (i <= path.length()) {
            int c = i == path.length() ? SLASH : at(path, i);
            int width = i < path.length() && path.charAt(i) == '%' ? 3 : 1;
            boolean parts = width == 1 ? c == SLASH : encodedSlashesPart && isSlash(c);
            if (parts) {
                var step = step(path, start, i);
                if (step == Step.HIDDEN) {
                    return true;
                }
                depth += step.deeper;
                if (depth < 0) {
                    return true;
                }
                start = i + width;
            }
            i += width;
        }
        return false;
    }

    private enum Step {
        STAY(0),
        DOWN(1),
        UP(-1),
        HIDDEN(0);

        private final int deeper;

        Step(int deeper) {
            this.deeper = deeper;
        }
    }

    private static Step step(String path, int start, int end) {
        int dots = 0;
        int i = start;
        while (i < end && at(path, i) == '.') {
            dots++;
            i += path.charAt(i) == '%' ? 3 : 1;
        }
        if (i == end) {
            return switch (dots) {
                case 0, 1 -> Step.STAY;
                case 2 -> Step.UP;
                default -> Step.DOWN;
            };
        }
        return dots == 2 && at(path, i) == ';' ? Step.HIDDEN : Step.DOWN;
    }

    private static boolean isSlash(int c) {
        return c == SLASH || c == BACKSLASH;
    }

    /**
     * Returns the character at {@code i}, decoded if it is a triplet; triplets have been validated.
     */
    private static int at(String path, int i) {
        return path.charAt(i) == '%' ? Grammar.decoded(path, i) : path.charAt(i);
    }
}
