package dev.quire.core.expression;

/**
 * String search in linear time: the library's search is quadratic in the worst case, and long
 * needles may come from requests.
 */
final class Search {

    /**
     * The needle length up to which the library's search is used; it is faster, and the worst case
     * is bounded by this factor.
     */
    private static final int SHORT = 64;

    private Search() {}

    /** Returns the first index of {@code needle} at or after {@code from}, or -1. */
    static int first(String text, String needle, int from) {
        return needle.length() <= SHORT
                ? text.indexOf(needle, from)
                : knuthMorrisPratt(text, needle, from, true);
    }

    /** Returns the last index of {@code needle}, or -1. */
    static int last(String text, String needle) {
        return needle.length() <= SHORT
                ? text.lastIndexOf(needle)
                : knuthMorrisPratt(text, needle, 0, false);
    }

    private static int knuthMorrisPratt(String text, String needle, int from, boolean first) {
        int length = needle.length();
        if (length > text.length() - from) {
            return -1;
        }
        int[] border = borders(needle);
        int found = -1;
        int matched = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            while (matched > 0 && needle.charAt(matched) != c) {
                matched = border[matched - 1];
            }
            if (needle.charAt(matched) == c) {
                matched++;
            }
            if (matched == length) {
                found = i - length + 1;
                if (first) {
                    return found;
                }
                matched = border[matched - 1];
            }
        }
        return found;
    }

    /** Returns for each prefix the length of its longest proper prefix that is also its suffix. */
    private static int[] borders(String needle) {
        int[] border = new int[needle.length()];
        int length = 0;
        for (int i = 1; i < border.length; i++) {
            while (length > 0 && needle.charAt(i) != needle.charAt(length)) {
                length = border[length - 1];
            }
            if (needle.charAt(i) == needle.charAt(length)) {
                length++;
            }
            border[i] = length;
        }
        return border;
    }
}
