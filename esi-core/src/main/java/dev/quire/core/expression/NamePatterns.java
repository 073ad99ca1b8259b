package dev.quire.core.expression;

import java.util.List;

/** Names with {@code *} for any chars, compared without regard to case. Immutable. */
final class NamePatterns {
    private final List<String> patterns;

    NamePatterns(List<String> patterns) {
        this.patterns = patterns.stream().map(Ascii::lower).toList();
    }

    /** Whether one of them is {@code name}. */
    boolean match(String name) {
        var lower = Ascii.lower(name);
        for (var pattern : patterns) {
            if (matches(pattern, lower)) {
                return true;
            }
        }
        return false;
    }

    /** A star takes as little as it can; the last one met takes more when the rest does not fit. */
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
