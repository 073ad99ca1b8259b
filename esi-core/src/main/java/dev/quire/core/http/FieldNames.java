package dev.quire.core.http;

import java.util.Arrays;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * A fixed set of field names and prefixes, compared regardless of case (RFC 9110 §5.1). A look-up
 * allocates nothing and compares only names of the same length, and prefixes of the same initial.
 */
public final class FieldNames {
    private static final String[] EMPTY = {};

    /** Contains no name. */
    public static final FieldNames NONE = of();

    private final String[][] byLength;
    private final String[][] prefixesByInitial;

    private FieldNames(String[] names, String[] prefixes) {
        int longest = Arrays.stream(names).mapToInt(String::length).max().orElse(-1);
        byLength = grouped(names, longest + 1, String::length);
        prefixesByInitial = grouped(prefixes, prefixes.length == 0 ? 0 : 0x20, FieldNames::initial);
    }

    private static String[][] grouped(String[] names, int groups, ToIntFunction<String> group) {
        var grouped = new String[groups][];
        Arrays.fill(grouped, EMPTY);
        for (var name : names) {
            var others = grouped[group.applyAsInt(name)];
            var all = Arrays.copyOf(others, others.length + 1);
            all[others.length] = name;
            grouped[group.applyAsInt(name)] = all;
        }
        return grouped;
    }

    /** Returns the same number for a letter of either case. */
    private static int initial(String name) {
        return name.charAt(0) & 0x1F;
    }

    public static FieldNames of(String... names) {
        return new FieldNames(names, EMPTY);
    }

    /** Returns a set of {@code names} and of all names that start with one of {@code prefixes}. */
    public static FieldNames of(Set<String> names, Set<String> prefixes) {
        return new FieldNames(names.toArray(EMPTY), prefixes.toArray(EMPTY));
    }

    public boolean isEmpty() {
        return byLength.length == 0 && prefixesByInitial.length == 0;
    }

    public boolean contains(String name) {
        if (name.length() < byLength.length) {
            for (var each : byLength[name.length()]) {
                if (each.equalsIgnoreCase(name)) {
                    return true;
                }
            }
        }
        if (prefixesByInitial.length > 0 && !name.isEmpty()) {
            for (var prefix : prefixesByInitial[initial(name)]) {
                if (name.regionMatches(true, 0, prefix, 0, prefix.length())) {
                    return true;
                }
            }
        }
        return false;
    }
}
