package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import java.util.List;

/**
 * Removes cookies from a request.
 *
 * @param names patterns of names
 * @param keeps whether only these cookies stay; otherwise they are dropped
 */
public record CookieFilter(List<TextPattern> names, boolean keeps) {

    public CookieFilter {
        names = List.copyOf(names);
    }

    /** Returns {@code fields} with the remaining cookies in one line; the same if all remain. */
    Fields applied(Fields fields) {
        if (!fields.any(
                "Cookie",
                CookieLines.hasName((line, start, end) -> !isKept(line.substring(start, end))))) {
            return fields;
        }
        var kept = CookieLines.kept(fields, this::isKept);
        var others = fields.without("Cookie"::equalsIgnoreCase);
        return kept == null
                ? others
                : new Fields.Builder().addAll(others).add("Cookie", kept).build();
    }

    private boolean isKept(String name) {
        for (var pattern : names) {
            if (pattern.matches(name)) {
                return keeps;
            }
        }
        return !keeps;
    }
}
