package dev.quire.core.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Text of a processing context, split into verbatim text and references. */
public record Interpolation(List<Piece> pieces) {

    /** The approximate maximum number of pieces; the rest of the text stays verbatim. */
    public static final int MAX_PIECES = 100_000;

    /** One piece of the text; chars in no piece, like the backslash of {@code \$}, are removed. */
    public sealed interface Piece {

        /** Chars copied unchanged. */
        record Verbatim(int start, int end) implements Piece {}

        /** {@code $(...)} or {@code $function(...)}. */
        record Reference(int start, int end, Expression expression) implements Piece {}
    }

    public Interpolation {
        pieces = List.copyOf(pieces);
    }

    /**
     * Splits {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, in addition to the built-in ones
     */
    public static Interpolation of(String text, Set<String> functions, Dialect dialect) {
        return of(text, functions, dialect, new PatternAllowance());
    }

    /**
     * Splits {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, in addition to the built-in ones
     * @param patterns the budget of the page
     */
    public static Interpolation of(
            String text, Set<String> functions, Dialect dialect, PatternAllowance patterns) {
        return of(text, functions, dialect, patterns, "");
    }

    /**
     * Splits {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, in addition to the built-in ones
     * @param patterns the budget of the page
     * @param mark required after the dollar sign of a reference; unless it is empty, a backslash is
     *     an ordinary char
     */
    public static Interpolation of(
            String text,
            Set<String> functions,
            Dialect dialect,
            PatternAllowance patterns,
            String mark) {
        return new Cutter(text, functions, dialect, patterns, mark).cut();
    }

    private static final class Cutter {
        private final String text;
        private final String opening;
        private final Set<String> functions;
        private final Dialect dialect;
        private final ExpressionParser parser;
        private final List<Piece> pieces = new ArrayList<>();
        private int from;

        Cutter(
                String text,
                Set<String> functions,
                Dialect dialect,
                PatternAllowance patterns,
                String mark) {
            this.text = text;
            this.opening = "$" + mark;
            this.functions = functions;
            this.dialect = dialect;
            this.parser = new ExpressionParser(text, dialect, patterns);
        }

        Interpolation cut() {
            int at = next(0);
            while (at >= 0 && pieces.size() < MAX_PIECES) {
                at = next(text.charAt(at) == '\\' ? backslash(at) : dollar(at));
            }
            verbatim(text.length());
            return new Interpolation(pieces);
        }

        /** Returns the next char that could be special, or a negative number. */
        private int next(int start) {
            if (opening.length() > 1) {
                return text.indexOf(opening, start);
            }
            return switch (dialect) {
                case STANDARD -> {
                    int dollar = text.indexOf('$', start);
                    boolean isEscaped = dollar > start && text.charAt(dollar - 1) == '\\';
                    yield isEscaped ? dollar - 1 : dollar;
                }
                case AKAMAI -> {
                    int at = start;
                    while (at < text.length()
                            && text.charAt(at) != '$'
                            && text.charAt(at) != '\\') {
                        at++;
                    }
                    yield at < text.length() ? at : -1;
                }
            };
        }

        /** Removes the backslash and copies the char after it. */
        private int backslash(int at) {
            if (at + 1 == text.length()) {
                return at + 1;
            }
            verbatim(at);
            from = at + 1;
            return at + 2;
        }

        private int dollar(int at) {
            var expression = reference(at);
            if (expression == null) {
                return at + 1;
            }
            verbatim(at);
            from = parser.at();
            pieces.add(new Piece.Reference(at, from, expression));
            return from;
        }

        /** Parses the reference at {@code dollar}; the mark is not part of its grammar. */
        private @Nullable Expression reference(int dollar) {
            int name = dollar + opening.length();
            if (text.startsWith("(", name)) {
                return parser.variableAt(name - 1);
            }
            int end = name;
            while (end < text.length() && Ascii.isNameChar(text.charAt(end))) {
                end++;
            }
            if (end == text.length() || text.charAt(end) != '(' || !isKnown(name, end)) {
                return null;
            }
            return parser.callAt(name - 1);
        }

        private boolean isKnown(int start, int end) {
            var name = text.substring(start, end);
            return Functions.named(name) != null || functions.contains(name);
        }

        private void verbatim(int end) {
            if (end > from) {
                pieces.add(new Piece.Verbatim(from, end));
            }
        }
    }
}
