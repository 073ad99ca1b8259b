package dev.quire.core.expression;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@code name=value&...} of a query. */
public final class Query {
    private Query() {}

    /** Returns the query of {@code target} without its question mark; empty if it has none. */
    public static String of(String target) {
        int mark = target.indexOf('?');
        return mark < 0 ? "" : target.substring(mark + 1);
    }

    /** Returns the value of the first argument called {@code name}, not decoded, or null. */
    public static @Nullable String first(String query, String name) {
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
    public static @Nullable String firstDecoded(String query, String name) {
        return firstDecoded(query, 0, name);
    }

    /** Like {@link #firstDecoded(String, String)}, for the query of {@code target}. */
    public static @Nullable String firstDecodedOf(String target, String name) {
        int mark = target.indexOf('?');
        return mark < 0 ? null : firstDecoded(target, mark + 1, name);
    }

    /** Whether the query from {@code from} on may have the argument {@code name}. */
    private static boolean mayHave(String query, int from, String name) {
        return query.indexOf(name, from) >= 0
                || query.indexOf('%', from) >= 0
                || query.indexOf('+', from) >= 0;
    }

    private static @Nullable String firstDecoded(String query, int from, String name) {
        if (!mayHave(query, from, name)) {
            return null;
        }
        int start = from;
        while (start <= query.length()) {
            int end = end(query, start);
            int equals = query.indexOf('=', start, end);
            int nameEnd = equals < 0 ? end : equals;
            if (isName(query, start, nameEnd, name)) {
                return equals < 0 ? "" : UriText.decoded(query.substring(equals + 1, end), true);
            }
            start = end + 1;
        }
        return null;
    }

    private static boolean isName(String query, int start, int end, String name) {
        for (int i = start; i < end; i++) {
            char c = query.charAt(i);
            if (c == '%' || c == '+') {
                return UriText.decoded(query.substring(start, end), true).equals(name);
            }
        }
        return end - start == name.length() && query.startsWith(name, start);
    }

    /** Returns the first value of each name, both decoded, in order. */
    public static Map<String, String> allDecoded(String query) {
        var all = new LinkedHashMap<String, String>();
        int start = 0;
        while (start < query.length()) {
            int end = end(query, start);
            int equals = query.indexOf('=', start, end);
            int nameEnd = equals < 0 ? end : equals;
            if (start < end) {
                all.putIfAbsent(
                        UriText.decoded(query.substring(start, nameEnd), true),
                        equals < 0 ? "" : UriText.decoded(query.substring(equals + 1, end), true));
            }
            start = end + 1;
        }
        return all;
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
