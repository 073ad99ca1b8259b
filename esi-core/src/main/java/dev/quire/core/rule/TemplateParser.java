package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.List;

/** Parses templates: plain names in braces are ours, other texts in braces are expressions. */
public final class TemplateParser {
    private static final int MAX_LENGTH = 4_096;

    /** Compiles the expressions of templates. */
    @FunctionalInterface
    public interface Expressions {
        /**
         * Compiles one expression.
         *
         * @param isInUrl whether its text is percent-encoded to become a part of a URL
         * @throws SyntaxError at a position in {@code expression}
         */
        TextTemplate.Part compile(String expression, boolean isInUrl) throws SyntaxError;
    }

    /** Thrown if a template or expression is invalid. */
    public static final class SyntaxError extends Exception {
        private static final long serialVersionUID = 1;
        private final int index;
        private final String expected;

        /**
         * @param index the first wrong char, from 0
         * @param what is wrong, without the text itself
         * @param expected what would be right
         */
        public SyntaxError(int index, String what, String expected) {
            super(what);
            this.index = index;
            this.expected = expected;
        }

        /** Returns this error in a text in which the expression begins at {@code offset}. */
        public SyntaxError at(int offset) {
            return new SyntaxError(index + offset, String.valueOf(getMessage()), expected);
        }

        public int index() {
            return index;
        }

        public String expected() {
            return expected;
        }
    }

    private final Expressions expressions;
    private final Phase phase;
    private final int groups;
    private final boolean isMatched;

    private TemplateParser(Expressions expressions, Phase phase, int groups, boolean isMatched) {
        this.expressions = expressions;
        this.phase = phase;
        this.groups = groups;
        this.isMatched = isMatched;
    }

    /** Creates a parser for the templates of {@code phase}, without groups of a pattern. */
    public TemplateParser(Expressions expressions, Phase phase) {
        this(expressions, phase, 0, false);
    }

    /**
     * Returns a parser for templates that can name the groups of a pattern.
     *
     * @param count of the groups
     * @param isOfUrl whether the pattern is searched in a URL as it came, so that groups are
     *     encoded already
     */
    public TemplateParser withGroups(int count, boolean isOfUrl) {
        return new TemplateParser(expressions, phase, count, isOfUrl);
    }

    /**
     * Parses {@code text}; two opening braces mean one.
     *
     * @param isInUrl whether values are percent-encoded, except those that are parts of a URL
     */
    public TextTemplate parse(String text, boolean isInUrl) throws SyntaxError {
        if (text.length() > MAX_LENGTH) {
            throw new SyntaxError(
                    MAX_LENGTH,
                    "is " + text.length() + " characters long",
                    "at most " + MAX_LENGTH);
        }
        var parts = new ArrayList<TextTemplate.Part>();
        var literal = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '{') {
                literal.append(c);
                at++;
            } else if (text.startsWith("{{", at)) {
                literal.append('{');
                at += 2;
            } else {
                int end = end(text, at);
                flush(literal, parts);
                parts.add(part(text.substring(at + 1, end), at + 1, isInUrl));
                at = end + 1;
            }
        }
        flush(literal, parts);
        return new TextTemplate(text, parts);
    }

    private TextTemplate.Part part(String inner, int at, boolean isInUrl) throws SyntaxError {
        if (inner.isBlank()) {
            throw new SyntaxError(at, "has empty braces", "a value such as {host}, or {{");
        }
        var part = value(inner, at, isInUrl);
        for (var input : part.inputs()) {
            if (!phase.reads(input)) {
                throw new SyntaxError(
                        at, "reads " + phase.unreadable(input), "a value of " + phase.readable());
            }
        }
        return part;
    }

    private TextTemplate.Part value(String inner, int at, boolean isInUrl) throws SyntaxError {
        var named = RuleValue.named(inner.strip(), isInUrl);
        if (named.isPresent()) {
            return named.get().group() > 0 ? group(named.get(), at) : named.get();
        }
        try {
            return expressions.compile(inner, isInUrl);
        } catch (SyntaxError e) {
            throw e.at(at);
        }
    }

    private RuleValue group(RuleValue value, int at) throws SyntaxError {
        if (value.group() > groups) {
            throw new SyntaxError(
                    at,
                    "names group " + value.group() + " of " + groups,
                    groups == 0
                            ? "a match of path with a single regular expression that has groups"
                            : "a group from 1 to " + groups);
        }
        return isMatched ? value.unencoded() : value;
    }

    private static void flush(StringBuilder literal, List<TextTemplate.Part> parts) {
        if (!literal.isEmpty()) {
            parts.add(TextTemplate.literal(literal.toString()));
            literal.setLength(0);
        }
    }

    /** Returns the index of the brace that ends the expression at {@code open}. */
    private static int end(String text, int open) throws SyntaxError {
        int depth = 0;
        char quote = 0;
        for (int i = open; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == '\\') {
                    i++;
                } else if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '{') {
                depth++;
            } else if (c == '}' && --depth == 0) {
                return i;
            }
        }
        throw new SyntaxError(open, "has a brace that is not closed", "'}', or {{ for a brace");
    }
}
