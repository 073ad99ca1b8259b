package dev.quire.proxy.listen;

/**
 * Finds paths that climb above the root, in any reading an origin may give them (RFC 3986 §5.2.4).
 * Nothing is rewritten: the origin gets the bytes that the cache key has.
 */
final class RequestPaths {
    private static final int SLASH = '/';
    private static final int BACKSLASH = '\\';

    private RequestPaths() {}

    /**
     * Whether the path of {@code target} leaves the root, or hides that it does behind a parameter
     * ({@code ..;}), which some origins cut off before they resolve the path. Dots may be encoded,
     * and slashes may or may not count when they are; empty segments do not, because many origins
     * fold them.
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
     * The character at {@code i}, decoded if it is a triplet; the triplets are known to be sound.
     */
    private static int at(String path, int i) {
        return path.charAt(i) == '%' ? Grammar.decoded(path, i) : path.charAt(i);
    }
}
