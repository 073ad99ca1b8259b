package dev.quire.core.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Text of a processing context, cut into what stays and what is evaluated. */
public record Interpolation(List<Piece> pieces) {

    /** Into no more than about so many pieces a text is cut; what is left of it stays as it is. */
    public static final int MAX_PIECES = 100_000;

    /** One piece of the text; what no piece covers, such as the backslash of {@code \$}, goes. */
    public sealed interface Piece {

        /** Chars that stay as they are. */
        record Verbatim(int start, int end) implements Piece {}

        /** {@code $(...)} or {@code $function(...)}. */
        record Reference(int start, int end, Expression expression) implements Piece {}
    }

    public Interpolation {
        pieces = List.copyOf(pieces);
    }

    /**
     * The pieces of {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, besides the built-in ones
     */
    public static Interpolation of(String text, Set<String> functions, Dialect dialect) {
        return of(text, functions, dialect, new PatternAllowance());
    }

    /**
     * The pieces of {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, besides the built-in ones
     * @param patterns of the page it stands in
     */
    public static Interpolation of(
            String text, Set<String> functions, Dialect dialect, PatternAllowance patterns) {
        return of(text, functions, dialect, patterns, "");
    }

    /**
     * The pieces of {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, besides the built-in ones
     * @param patterns of the page it stands in
     * @param mark what must stand behind the dollar sign of a reference; if anything must, a
     *     backslash is a char like others
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

        /** The next char that could mean something. */
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

        /** The backslash goes, what is behind it stays. */
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

        /**
         * The one that begins at {@code dollar}; the mark behind that is no part of its grammar.
         */
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
