package dev.quire.test;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Classifies a difference between two responses to the same user. */
final class Changing {
    private static final Pattern TIME =
            Pattern.compile(
                    "(?:\\d{4}-\\d{2}-\\d{2}(?:[T ].*)?)|(?:[T]?\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)|(?:1\\d{12})|(?:1\\d{15})|(?:1\\d{18})|(?:1\\d{9})|(?:\\d+(?:ms|s))");
    private static final Pattern RANDOM =
            Pattern.compile("(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+/=.:-]{8,}");
    private static final Set<String> IDS =
            Set.of("id", "for", "name", "aria-labelledby", "aria-describedby", "aria-controls");

    private Changing() {}

    static LeakCause cause(DomDifference difference) {
        if (difference.isWhole()) {
            return LeakCause.UNSTABLE;
        }
        var one = part(difference.left(), difference.right());
        var other = part(difference.right(), difference.left());
        if (TIME.matcher(one).matches() && TIME.matcher(other).matches()) {
            return LeakCause.TIMESTAMP;
        }
        var place = difference.place().toLowerCase(Locale.ROOT);
        boolean isId = IDS.stream().anyMatch(name -> place.endsWith("(@" + name + ")"));
        boolean isRandom = RANDOM.matcher(one).matches() && RANDOM.matcher(other).matches();
        return isId || isRandom ? LeakCause.RANDOM_ID : LeakCause.UNSTABLE;
    }

    /**
     * The words of {@code text} in which it differs from {@code other}; words are separated by
     * whitespace.
     */
    private static String part(String text, String other) {
        int most = Math.min(text.length(), other.length());
        int from = 0;
        while (from < most && text.charAt(from) == other.charAt(from)) {
            from++;
        }
        int same = 0;
        while (same < most - from
                && text.charAt(text.length() - 1 - same)
                        == other.charAt(other.length() - 1 - same)) {
            same++;
        }
        int to = text.length() - same;
        while (from > 0 && !isEnd(text.charAt(from - 1))) {
            from--;
        }
        while (to < text.length() && !isEnd(text.charAt(to))) {
            to++;
        }
        return text.substring(from, to).strip();
    }

    private static boolean isEnd(char c) {
        return Character.isWhitespace(c) || "\"'()[]{}<>,;#?&=".indexOf(c) >= 0;
    }
}
