package dev.quire.bench;

import java.util.Collection;
import java.util.Comparator;

/** Finds the nearest name for a misspelled one. */
final class Names {

    private Names() {}

    /**
     * Returns the name in {@code valid}, which is not empty, with the fewest edits to {@code name}.
     */
    static String nearest(String name, Collection<String> valid) {
        return valid.stream()
                .min(Comparator.comparingInt(candidate -> edits(name, candidate)))
                .orElseThrow();
    }

    /** Returns the Levenshtein distance. */
    static int edits(String from, String to) {
        var above = new int[to.length() + 1];
        for (int j = 0; j < above.length; j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            var row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int kept = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(kept, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
