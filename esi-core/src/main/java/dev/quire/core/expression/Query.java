package dev.quire.core.expression;

import org.jspecify.annotations.Nullable;

/** The {@code name=value&...} of a query. */
final class Query {
    private Query() {}

    /** Returns the query of {@code target} without its question mark; empty if it has none. */
    static String of(String target) {
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    /** Returns the value of the first argument called {@code name}, not decoded, or null. */
    static @Nullable String first(String query, String name) {
        int start = 0;
        while (start <= query.length()) {
            int end = end(query, start);
            int equals = query.indexOf('=', start, end);
            int nameEnd = equals < 0 ? end : equals;
            if (nameEnd - start == name.length() && query.startsWith(name, start)) {
                return equals < 0 ? "" : query.substring(equals + 1, end);
            }
            start = end + 1;
        }
        return null;
    }

    /**
     * Returns the decoded value of the first argument whose decoded name is {@code name}, or null.
     */
    static @Nullable String firstDecoded(String query, String name) {
        int start = 0;
        while (start <= query.length()) {
            int end = end(query, start);
            int equals = query.indexOf('=', start, end);
            int nameEnd = equals < 0 ? end : equals;
            if (UriText.decoded(query.substring(start, nameEnd), true).equals(name)) {
                return equals < 0 ? "" : UriText.decoded(query.substring(equals + 1, end), true);
            }
            start = end + 1;
        }
        return null;
    }

    /** Returns the arguments of {@code query} whose names begin with {@code prefix}, without it. */
    static String withPrefix(String query, String prefix) {
        var kept = new StringBuilder();
        int start = 0;
        while (start < query.length()) {
            int end = end(query, start);
            if (query.startsWith(prefix, start) && start + prefix.length() <= end) {
                kept.append(kept.isEmpty() ? "" : "&");
                kept.append(query, start + prefix.length(), end);
            }
            start = end + 1;
        }
        return kept.toString();
    }

    private static int end(String query, int start) {
        int end = query.indexOf('&', start);
        return end < 0 ? query.length() : end;
    }
}
