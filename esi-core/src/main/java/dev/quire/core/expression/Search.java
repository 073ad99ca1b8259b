package dev.quire.core.expression;

/**
 * Where one string stands in another, in time proportional to the length of both: what the library
 * does needs the product of both, and long needles come from requests too.
 */
final class Search {

    /** Up to here the library is faster, and no worse than this factor. */
    private static final int SHORT = 64;

    private Search() {}

    /** The first place of {@code needle} at or behind {@code from}, or -1. */
    static int first(String text, String needle, int from) {
        return needle.length() <= SHORT
                ? text.indexOf(needle, from)
                : knuthMorrisPratt(text, needle, from, true);
    }

    /** The last place of {@code needle}, or -1. */
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

    /** For each prefix the length of its longest proper prefix that is its suffix too. */
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
