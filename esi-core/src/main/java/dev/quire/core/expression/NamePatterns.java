package dev.quire.core.expression;

import java.util.List;

/** Name patterns in which {@code *} matches any chars, regardless of case. Immutable. */
final class NamePatterns {
    private final List<String> patterns;

    NamePatterns(List<String> patterns) {
        this.patterns = patterns.stream().map(Ascii::lower).toList();
    }

    boolean match(String name) {
        var lower = Ascii.lower(name);
        for (var pattern : patterns) {
            if (matches(pattern, lower)) {
                return true;
            }
        }
        return false;
    }

    /** A star first matches as little as possible; on a mismatch the last one matches more. */
    private static boolean matches(String pattern, String name) {
        int at = 0;
        int in = 0;
        int star = -1;
        int afterStar = 0;
        while (at < name.length()) {
            if (in < pattern.length() && pattern.charAt(in) == '*') {
                star = in++;
                afterStar = at;
            } else if (in < pattern.length() && pattern.charAt(in) == name.charAt(at)) {
                in++;
                at++;
            } else if (star >= 0) {
                in = star + 1;
                at = ++afterStar;
            } else {
                return false;
            }
        }
        while (in < pattern.length() && pattern.charAt(in) == '*') {
            in++;
        }
        return in == pattern.length();
    }
}
