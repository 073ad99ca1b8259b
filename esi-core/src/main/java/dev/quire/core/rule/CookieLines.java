package dev.quire.core.rule;

import dev.quire.core.http.Fields;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The cookies in the Cookie lines of a request (RFC 6265 §4.2.1). Names are case-sensitive. */
public final class CookieLines {
    private CookieLines() {}

    /** Returns the value of the first cookie called {@code name}, or null. */
    public static @Nullable String first(Fields fields, String name) {
        for (var line : fields.all("Cookie")) {
            int start = 0;
            while (start < line.length()) {
                int end = end(line, start);
                int equals = line.indexOf('=', start, end);
                if (equals >= 0 && isName(line, start, equals, name)) {
                    return line.substring(equals + 1, end).strip();
                }
                start = end + 1;
            }
        }
        return null;
    }

    /** Returns the value of the first cookie of each name, in order. */
    static Map<String, String> all(Fields fields) {
        var all = new LinkedHashMap<String, String>();
        for (var line : fields.all("Cookie")) {
            int start = 0;
            while (start < line.length()) {
                int end = end(line, start);
                int equals = line.indexOf('=', start, end);
                if (equals >= 0) {
                    all.putIfAbsent(
                            name(line, start, end), line.substring(equals + 1, end).strip());
                }
                start = end + 1;
            }
        }
        return all;
    }

    /** A test of the part of a text from {@code start} to {@code end}. */
    interface NameTest {
        boolean accepts(String text, int start, int end);
    }

    /** A test of a line: whether a cookie has a name that {@code names} accepts. */
    static Predicate<String> hasName(NameTest names) {
        return line -> {
            int start = 0;
            while (start < line.length()) {
                int end = end(line, start);
                int equals = line.indexOf('=', start, end);
                int from = withoutBlanksBefore(line, start, equals < 0 ? end : equals);
                int to = withoutBlanksAfter(line, from, equals < 0 ? end : equals);
                if (names.accepts(line, from, to)) {
                    return true;
                }
                start = end + 1;
            }
            return false;
        };
    }

    /** A test of a line: whether a cookie is called {@code name}. */
    static Predicate<String> hasName(String name) {
        var test =
                hasName((text, start, end) ->
                        end - start == name.length() && text.startsWith(name, start));
        return line -> line.contains(name) && test.test(line);
    }

    /**
     * Returns the value of a Cookie line with the cookies whose names {@code names} accepts, in
     * order; null if none is left.
     */
    static @Nullable String kept(Fields fields, Predicate<String> names) {
        var kept = new StringBuilder();
        for (var line : fields.all("Cookie")) {
            int start = 0;
            while (start < line.length()) {
                int end = end(line, start);
                var pair = line.substring(start, end).strip();
                if (!pair.isEmpty() && names.test(name(line, start, end))) {
                    kept.append(kept.isEmpty() ? "" : "; ").append(pair);
                }
                start = end + 1;
            }
        }
        return kept.isEmpty() ? null : kept.toString();
    }

    private static String name(String line, int start, int end) {
        int equals = line.indexOf('=', start, end);
        return line.substring(start, equals < 0 ? end : equals).strip();
    }

    private static boolean isName(String line, int start, int end, String name) {
        int from = withoutBlanksBefore(line, start, end);
        int to = withoutBlanksAfter(line, from, end);
        return to - from == name.length() && line.startsWith(name, from);
    }

    private static int withoutBlanksBefore(String line, int start, int end) {
        int from = start;
        while (from < end && isBlank(line.charAt(from))) {
            from++;
        }
        return from;
    }

    private static int withoutBlanksAfter(String line, int start, int end) {
        int to = end;
        while (to > start && isBlank(line.charAt(to - 1))) {
            to--;
        }
        return to;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static int end(String line, int start) {
        int end = line.indexOf(';', start);
        return end < 0 ? line.length() : end;
    }
}
