package dev.quire.core.text;

import java.util.Collection;
import java.util.Comparator;

/** Finds the valid name nearest to a misspelled one. */
public final class NearestName {
    /** Longer names are compared by this prefix: the cost is quadratic. */
    private static final int COMPARED = 64;

    private NearestName() {}

    /** Returns the name in {@code valid}, which is not empty, with the smallest edit distance. */
    public static String to(String name, Collection<String> valid) {
        var cut = name.length() > COMPARED ? name.substring(0, COMPARED) : name;
        return valid.stream()
                .min(Comparator.comparingInt(candidate -> distance(cut, candidate)))
                .orElseThrow();
    }

    /** The Levenshtein distance: insertions, deletions and replacements of characters. */
    static int distance(String a, String b) {
        var above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            var row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[b.length()];
    }
}
