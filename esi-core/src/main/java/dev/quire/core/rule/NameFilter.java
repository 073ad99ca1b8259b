package dev.quire.core.rule;

import java.util.List;

/**
 * Selects some of several names.
 *
 * @param names patterns of names
 * @param keeps whether only these names stay; otherwise they are dropped
 */
public record NameFilter(List<TextPattern> names, boolean keeps) {

    public NameFilter {
        names = List.copyOf(names);
    }

    /** Whether {@code name} stays. */
    boolean isKept(String name) {
        for (var pattern : names) {
            if (pattern.matches(name)) {
                return keeps;
            }
        }
        return !keeps;
    }
}
