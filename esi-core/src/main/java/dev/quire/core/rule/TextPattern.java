package dev.quire.core.rule;

import dev.quire.core.expression.SearchPattern;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for one text: exactly the text, a glob in which {@code *} matches any characters, or
 * after {@code ~} a regular expression (RE2 syntax) that is searched in the text. Immutable.
 */
public final class TextPattern {

    /** The largest program of a regular expression, in instructions. */
    public static final int MAX_SIZE = 1_000;

    private final String text;
    private final boolean ignoresCase;
    private final boolean isSimple;
    private final @Nullable SearchPattern search;

    /** The literal parts between the stars of a glob; one part if there is no star. */
    private final String[] parts;

    /** The longest of these parts; empty for an expression. */
    private final String longest;

    private TextPattern(String text, boolean ignoresCase, @Nullable SearchPattern search) {
        this.text = text;
        this.ignoresCase = ignoresCase;
        this.isSimple = text.indexOf(';') < 0 && !text.contains("//");
        this.search = search;
        this.parts = search == null ? text.split("\\*", -1) : new String[0];
        this.longest = Arrays.stream(parts).max(Comparator.comparingInt(String::length)).orElse("");
    }

    /**
     * Parses a pattern.
     *
     * @param ignoresCase whether ASCII letters match in either case; not for expressions, which
     *     have {@code (?i)}
     * @throws SearchPattern.InvalidPattern if a regular expression is invalid or too large; its
     *     index is that in the expression, without the {@code ~}
     */
    public static TextPattern of(String text, boolean ignoresCase) {
        return text.startsWith("~")
                ? new TextPattern(text, ignoresCase, SearchPattern.of(text.substring(1), MAX_SIZE))
                : new TextPattern(
                        ignoresCase ? text.toLowerCase(Locale.ROOT) : text, ignoresCase, null);
    }

    /** Returns the pattern that is a glob even if {@code text} begins with {@code ~}. */
    public static TextPattern glob(String text) {
        return new TextPattern(text, false, null);
    }

    /** Whether it is a regular expression. */
    public boolean isSearch() {
        return search != null;
    }

    /** Whether it is a literal text without wildcards. */
    public boolean isLiteral() {
        return search == null && parts.length == 1 && !ignoresCase;
    }

    /** Returns the number of groups of a regular expression; 0 for other patterns. */
    public int groupCount() {
        return search == null ? 0 : search.groupCount();
    }

    /** Returns the form of the path in which it is searched: simplified, unless it is not. */
    String pathOf(RuleValues values) {
        return isSimple ? values.simplifiedPath() : values.path();
    }

    /** Whether {@code value} matches: the whole of it, or for an expression a part of it. */
    public boolean matches(String value) {
        return matches(value, 0, value.length());
    }

    /** Whether the part of {@code value} from {@code start} to {@code to} matches. */
    boolean matches(String value, int start, int to) {
        if (search != null) {
            return search.isFoundIn(value.substring(start, to));
        }
        if (parts.length == 1) {
            return to - start == parts[0].length() && fits(value, start, parts[0]);
        }
        var first = parts[0];
        var last = parts[parts.length - 1];
        int end = to - last.length();
        if (end < start + first.length() || !fits(value, start, first) || !fits(value, end, last)) {
            return false;
        }
        int at = start + first.length();
        for (int i = 1; i < parts.length - 1; i++) {
            at = find(value, at, end, parts[i]);
            if (at < 0) {
                return false;
            }
            at += parts[i].length();
        }
        return true;
    }

    /**
     * Returns the groups of the first match of a regular expression in {@code value}, first the
     * whole match, null for a group that took no part; null if there is no match.
     */
    public @Nullable List<@Nullable String> groups(String value) {
        return search == null ? null : search.groups(value);
    }

    /**
     * Whether a part of {@code text} may match; false only if characters of the pattern are missing
     * in it.
     */
    boolean mayBeIn(String text) {
        return ignoresCase || text.contains(longest);
    }

    private int find(String value, int from, int end, String part) {
        if (!ignoresCase) {
            return value.indexOf(part, from, end);
        }
        for (int at = from; at + part.length() <= end; at++) {
            if (fits(value, at, part)) {
                return at;
            }
        }
        return -1;
    }

    private boolean fits(String value, int at, String part) {
        if (!ignoresCase) {
            return value.startsWith(part, at);
        }
        for (int i = 0; i < part.length(); i++) {
            char c = value.charAt(at + i);
            if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != part.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TextPattern that
                && text.equals(that.text)
                && ignoresCase == that.ignoresCase;
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The pattern as written. */
    @Override
    public String toString() {
        return text;
    }
}
