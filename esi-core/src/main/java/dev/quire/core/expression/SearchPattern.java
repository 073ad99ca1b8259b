package dev.quire.core.expression;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression, searched in time linear in the text (RE2/J). It sees one char for each
 * byte: {@code .} is a byte, {@code \w} is ASCII, and case is that of ISO 8859-1. Immutable.
 */
public final class SearchPattern {

    /*
     * A search costs the length of the text times the size of the program, and {@code
     * (a{1000}){1000}} is a program of a million instructions that takes most of a second to
     * compile. So the size is estimated first: one for each atom, times the counts of all repeats
     * around it. Only syntax that delimits groups and atoms is parsed: classes, escapes, quotes.
     */

    /** The limit for the chars of a pattern, and for the approximate number of its instructions. */
    private static final int MAX_SIZE = 10_000;

    private static final long TOO_LARGE = MAX_SIZE + 1;

    /** The maximum nesting of groups: RE2/J compiles recursively. */
    private static final int MAX_DEPTH = 100;

    /** The longest {@code {1000,1000}}, with a margin; RE2/J allows no larger counts. */
    private static final int LONGEST_REPEAT = 32;

    /** Instructions times chars per step; measured at 9 ns each in the worst case. */
    private static final int WORK_A_STEP = 32;

    private static final int INSTRUCTION_BYTES = 64;

    /** The notation of a pattern. */
    public enum Kind {
        /** {@code matches}: the pattern alone. */
        EXPRESSION,
        /** {@code matches_i}: the pattern alone, regardless of case. */
        EXPRESSION_IGNORING_CASE,
        /** {@code =~}: {@code /pattern/flags} with the flags i, m, s. */
        DELIMITED
    }

    /** Thrown if an expression is invalid or too large. */
    public static final class InvalidPattern extends IllegalArgumentException {
        private static final long serialVersionUID = 1;
        private final int index;

        private InvalidPattern(int index, String message, @Nullable Throwable cause) {
            super(message, cause);
            this.index = index;
        }

        /** Returns the index of the first wrong char, from 0. */
        public int index() {
            return index;
        }
    }

    /**
     * The result of compiling a pattern: exactly one of both is set.
     *
     * @param problem the error, without the pattern's text
     */
    record Compiled(@Nullable SearchPattern pattern, @Nullable String problem) {}

    private final Pattern pattern;

    /** The literal prefix of every match, possibly empty. */
    private final String beginning;

    private SearchPattern(Pattern pattern) {
        this.pattern = pattern;
        this.beginning = beginning(pattern);
    }

    /**
     * Compiles {@code expression}; {@code .} is any byte, also a line feed: a path may contain one.
     *
     * @param maxSize of its program, in instructions: the cost of a search for each char
     * @throws InvalidPattern if it is invalid or too large, with the position
     */
    public static SearchPattern of(String expression, int maxSize) {
        return of(expression, maxSize, Pattern.DOTALL);
    }

    /** Like {@link #of}, for texts in any case. */
    public static SearchPattern ignoringCase(String expression, int maxSize) {
        return of(expression, maxSize, Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
    }

    private static SearchPattern of(String expression, int maxSize, int flags) {
        int most = Math.min(maxSize, MAX_SIZE);
        for (int end = 1; end <= expression.length(); end++) {
            if (end > most || size(expression.substring(0, end)) > most) {
                throw new InvalidPattern(
                        end - 1, "the expression is too large at character " + end, null);
            }
        }
        try {
            return new SearchPattern(Pattern.compile(expression, flags));
        } catch (PatternSyntaxException e) {
            int at = placeOf(e, expression);
            throw new InvalidPattern(
                    at,
                    "syntax error in the expression at character "
                            + (at + 1)
                            + ": "
                            + e.getDescription(),
                    e);
        }
    }

    /**
     * RE2/J names the faulty part, but the whole expression, behind its flags, for an unclosed
     * group.
     */
    private static int placeOf(PatternSyntaxException fault, String expression) {
        if (!fault.getPattern().endsWith(expression)) {
            return Math.max(0, expression.indexOf(fault.getPattern()));
        }
        var open = new ArrayDeque<Integer>();
        for (int at = 0; at < expression.length(); at++) {
            switch (expression.charAt(at)) {
                case '\\' -> at++;
                case '[' -> at = behindClass(expression, at) - 1;
                case '(' -> open.push(at);
                case ')' -> open.poll();
                default -> {}
            }
        }
        return open.isEmpty() ? 0 : open.peek();
    }

    /**
     * Compiles the pattern with this {@link #text} and {@link #flags}; null if it is invalid or
     * exceeds {@code patterns}.
     */
    public static @Nullable SearchPattern recompiled(
            String text, int flags, PatternAllowance patterns) {
        boolean isKnown =
                (flags & ~(Pattern.CASE_INSENSITIVE | Pattern.MULTILINE | Pattern.DOTALL)) == 0;
        return isKnown && patterns.take(size(text)) ? compiled(text, flags).pattern() : null;
    }

    public int flags() {
        return pattern.flags();
    }

    /** Returns the expression as written. */
    public String text() {
        return pattern.pattern();
    }

    /** Returns the number of groups. */
    public int groupCount() {
        return pattern.groupCount();
    }

    /** Whether any part of {@code text} matches. */
    public boolean isFoundIn(String text) {
        // Most expressions have a literal prefix, and most texts do not contain it.
        boolean isPossible =
                isAnchored(pattern) ? text.startsWith(beginning) : text.contains(beginning);
        return isPossible && pattern.matcher(text).find();
    }

    private static boolean isAnchored(Pattern pattern) {
        return pattern.pattern().startsWith("^");
    }

    /** Returns the literal prefix; empty if there is an alternative. */
    private static String beginning(Pattern pattern) {
        var expression = pattern.pattern();
        if (pattern.flags() != 0 || expression.indexOf('|') >= 0) {
            return "";
        }
        int start = isAnchored(pattern) ? 1 : 0;
        int end = start;
        while (end < expression.length() && "\\^$.[]|()?*+{}".indexOf(expression.charAt(end)) < 0) {
            end++;
        }
        boolean isRepeated =
                end < expression.length() && "?*+{".indexOf(expression.charAt(end)) >= 0;
        return expression.substring(start, isRepeated && end > start ? end - 1 : end);
    }

    /** Expressions are values: two of the same text are equal, including their patterns. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SearchPattern that && pattern.equals(that.pattern);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    static Compiled compiled(String text, Kind kind) {
        return switch (kind) {
            case EXPRESSION -> compiled(text, 0);
            case EXPRESSION_IGNORING_CASE -> compiled(text, Pattern.CASE_INSENSITIVE);
            case DELIMITED -> delimited(text);
        };
    }

    /** Returns the steps that a search through {@code length} chars may take. */
    long steps(int length) {
        return 1 + (length + 1L) * pattern.programSize() / WORK_A_STEP;
    }

    /**
     * Returns the first match in {@code text} and its groups, null for a group that took no part;
     * null if there is no match.
     */
    public @Nullable List<@Nullable String> groups(String text) {
        var matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return null;
        }
        var groups = new ArrayList<@Nullable String>(matcher.groupCount() + 1);
        for (int i = 0; i <= matcher.groupCount(); i++) {
            groups.add(matcher.group(i));
        }
        return groups;
    }

    private static Compiled delimited(String text) {
        int end = text.lastIndexOf('/');
        if (end <= 0 || text.charAt(0) != '/') {
            return problem("a pattern after =~ must be written as /pattern/flags");
        }
        int flags = 0;
        for (int i = end + 1; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case 'i' -> flags |= Pattern.CASE_INSENSITIVE;
                case 'm' -> flags |= Pattern.MULTILINE;
                case 's' -> flags |= Pattern.DOTALL;
                default -> {
                    return problem("the flags of a pattern must be i, m or s");
                }
            }
        }
        return compiled(text.substring(1, end), flags);
    }

    private static Compiled compiled(String expression, int flags) {
        if (expression.length() > MAX_SIZE || size(expression) > MAX_SIZE) {
            return problem("the pattern is too large");
        }
        try {
            return new Compiled(new SearchPattern(Pattern.compile(expression, flags)), null);
        } catch (PatternSyntaxException e) {
            return problem("the pattern is not a valid regular expression");
        }
    }

    private static Compiled problem(String what) {
        return new Compiled(null, what);
    }

    /** Returns its approximate heap size in bytes. */
    public long heapBytes() {
        return (long) INSTRUCTION_BYTES * pattern.programSize();
    }

    /**
     * Estimates the number of instructions of {@code expression}; never far too low. Stops as soon
     * as the expression is known to be too large.
     */
    static long size(String expression) {
        var outer = new ArrayDeque<Long>();
        long size = 0;
        long atom = 0;
        int at = 0;
        while (at < expression.length() && size <= MAX_SIZE) {
            char c = expression.charAt(at);
            int next = at + 1;
            switch (c) {
                case '(' -> {
                    if (outer.size() == MAX_DEPTH) {
                        return TOO_LARGE;
                    }
                    outer.push(size);
                    size = 0;
                    atom = 0;
                }
                case ')' -> {
                    atom = size + 2;
                    size = atom + (outer.isEmpty() ? 0 : outer.pop());
                }
                case '{' -> {
                    int last = Math.min(expression.length(), at + LONGEST_REPEAT);
                    int end = expression.indexOf('}', at, last);
                    long times = end < 0 ? -1 : times(expression.substring(at + 1, end));
                    if (times >= 0) {
                        size += atom * Math.max(0, times - 1) + times;
                        atom = atom * Math.max(1, times) + times;
                        next = end + 1;
                    } else {
                        size += 1;
                        atom = 1;
                    }
                }
                case '[' -> {
                    next = behindClass(expression, at);
                    size += 1;
                    atom = 1;
                }
                case '\\' -> {
                    if (expression.startsWith("\\Q", at)) {
                        int end = expression.indexOf("\\E", at);
                        int quoted = (end < 0 ? expression.length() : end) - at - 2;
                        size += quoted;
                        next = end < 0 ? expression.length() : end + 2;
                    } else {
                        next = at + 2;
                        size += 1;
                    }
                    atom = 1;
                }
                default -> {
                    size += 1;
                    atom = c == '*' || c == '+' || c == '?' ? atom + 1 : 1;
                }
            }
            at = next;
        }
        for (long rest : outer) {
            size += rest;
        }
        return Math.min(size, TOO_LARGE);
    }

    /** Returns the maximum count of {@code n}, {@code n,} or {@code n,m}; -1 if malformed. */
    private static long times(String counts) {
        int comma = counts.indexOf(',');
        var from = Numbers.integer(comma < 0 ? counts : counts.substring(0, comma));
        if (from.isEmpty() || from.getAsLong() < 0) {
            return -1;
        }
        if (comma < 0 || comma == counts.length() - 1) {
            return Math.min(from.getAsLong(), MAX_SIZE);
        }
        var to = Numbers.integer(counts.substring(comma + 1));
        if (to.isEmpty()) {
            return -1;
        }
        return Math.min(Math.max(from.getAsLong(), to.getAsLong()), MAX_SIZE);
    }

    /** Returns the index after the class that begins at {@code at}. */
    private static int behindClass(String expression, int at) {
        int next = at + 1;
        if (next < expression.length() && expression.charAt(next) == '^') {
            next++;
        }
        boolean isFirst = true;
        while (next < expression.length() && (isFirst || expression.charAt(next) != ']')) {
            int named = expression.startsWith("[:", next) ? expression.indexOf(":]", next + 2) : -1;
            if (named >= 0) {
                next = named + 2;
            } else {
                next += expression.charAt(next) == '\\' ? 2 : 1;
            }
            isFirst = false;
        }
        return next + 1;
    }
}
