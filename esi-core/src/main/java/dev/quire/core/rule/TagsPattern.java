package dev.quire.core.rule;

import dev.quire.core.expression.SearchPattern;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression (RE2 syntax) that is searched in the tags of a response, joined by commas.
 * Immutable.
 *
 * <p>An expression of the form {@code (^|,)(a|b)(,|$)} whose alternatives are literal, as
 * FOSHttpCache writes it, is compared tag by tag. So it may be long, and costs one look-up a tag.
 */
public final class TagsPattern {
    private static final String BEFORE = "(^|,)(";
    private static final String BEHIND = ")(,|$)";
    private static final String SPECIAL = ".^$|()[]{}?*+";

    private final String text;
    private final Set<String> literals;
    private final @Nullable SearchPattern search;

    private TagsPattern(String text, Set<String> literals, @Nullable SearchPattern search) {
        this.text = text;
        this.literals = literals;
        this.search = search;
    }

    /**
     * Compiles an expression.
     *
     * @param maxLength of an expression, in chars; one that lists literal tags may have 16 times as
     *     many
     * @param maxSize of an expression, in instructions; not for one that lists literal tags
     * @throws IllegalArgumentException if it is invalid, too long or too large
     */
    public static TagsPattern of(String text, int maxLength, int maxSize) {
        var literals = text.length() <= 16 * maxLength ? literals(text) : Set.<String>of();
        if (!literals.isEmpty()) {
            return new TagsPattern(text, literals, null);
        }
        if (text.length() > maxLength) {
            throw new IllegalArgumentException(
                    "the expression has more than " + maxLength + " characters");
        }
        return new TagsPattern(text, Set.of(), SearchPattern.of(text, maxSize));
    }

    /** Whether it matches a response with {@code tags}. */
    public boolean matches(List<String> tags) {
        if (search != null) {
            return search.isFoundIn(String.join(",", tags));
        }
        for (var tag : tags) {
            if (literals.contains(tag)) {
                return true;
            }
        }
        return false;
    }

    /** The expression as written. */
    public String text() {
        return text;
    }

    /** Returns the tags that {@code text} lists; empty if it has another form. */
    private static Set<String> literals(String text) {
        int end = text.length() - BEHIND.length();
        if (end <= BEFORE.length() || !text.startsWith(BEFORE) || !text.endsWith(BEHIND)) {
            return Set.of();
        }
        var literals = new HashSet<String>();
        var literal = new StringBuilder();
        for (int at = BEFORE.length(); at <= end; at++) {
            char c = at == end ? '|' : text.charAt(at);
            if (c == '|') {
                if (literal.isEmpty()) {
                    return Set.of();
                }
                literals.add(literal.toString());
                literal.setLength(0);
            } else if (c == '\\') {
                at++;
                if (at == end || !isPunctuation(text.charAt(at))) {
                    return Set.of();
                }
                literal.append(text.charAt(at));
            } else if (SPECIAL.indexOf(c) >= 0 || c == ',') {
                return Set.of();
            } else {
                literal.append(c);
            }
        }
        return Set.copyOf(literals);
    }

    /** Whether a backslash makes it literal. A comma never is part of a tag of a comma list. */
    private static boolean isPunctuation(char c) {
        return c > ' ' && c < 0x7f && c != ',' && !Character.isLetterOrDigit(c);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TagsPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
