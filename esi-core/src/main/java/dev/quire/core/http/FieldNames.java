package dev.quire.core.http;

import java.util.Arrays;

/**
 * A fixed set of field names, compared regardless of case (RFC 9110 §5.1). A look-up allocates
 * nothing and compares only names of the same length.
 */
public final class FieldNames {
    private static final String[] EMPTY = {};

    /** Contains no name. */
    public static final FieldNames NONE = of();

    private final String[][] byLength;

    private FieldNames(String[] names) {
        byLength = new String[Arrays.stream(names).mapToInt(String::length).max().orElse(0) + 1][];
        Arrays.fill(byLength, EMPTY);
        for (var name : names) {
            var others = byLength[name.length()];
            var all = Arrays.copyOf(others, others.length + 1);
            all[others.length] = name;
            byLength[name.length()] = all;
        }
    }

    public static FieldNames of(String... names) {
        return new FieldNames(names);
    }

    public boolean isEmpty() {
        return byLength.length == 1 && byLength[0].length == 0;
    }

    public boolean contains(String name) {
        if (name.length() >= byLength.length) {
            return false;
        }
        for (var each : byLength[name.length()]) {
            if (each.equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }
}
