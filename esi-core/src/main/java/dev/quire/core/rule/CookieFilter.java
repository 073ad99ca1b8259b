package dev.quire.core.rule;

import dev.quire.core.http.Fields;

/**
 * Removes cookies from a request.
 *
 * @param names of the cookies that stay
 */
public record CookieFilter(NameFilter names) {

    /** Returns {@code fields} with the remaining cookies in one line; the same if all remain. */
    Fields applied(Fields fields) {
        if (!fields.any(
                "Cookie",
                CookieLines.hasName(
                        (line, start, end) -> !names.isKept(line.substring(start, end))))) {
            return fields;
        }
        var kept = CookieLines.kept(fields, names::isKept);
        var others = fields.without("Cookie"::equalsIgnoreCase);
        return kept == null
                ? others
                : new Fields.Builder().addAll(others).add("Cookie", kept).build();
    }
}
