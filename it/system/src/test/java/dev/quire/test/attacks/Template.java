package dev.quire.test.attacks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Text with escapes and placeholders. Escapes are {@code \r \n \t \0 \\} and <code>&#92;xHH</code>.
 * A placeholder is a name and arguments in <code>${…}</code>; {@code times N TEXT} is expanded
 * here.
 */
record Template(List<Piece> pieces) {
    /** Placeholders that any text may have. */
    static final Set<String> ANYWHERE =
            Set.of(
                    "origin",
                    "other",
                    "origin port",
                    "other port",
                    "scheme",
                    "other scheme",
                    "default port");

    /** Placeholders for parts of the request that an answer reflects. */
    static final Set<String> REFLECTED =
            Set.of(
                    "method",
                    "target",
                    "body",
                    "count",
                    "stamp",
                    "field NAME",
                    "query NAME",
                    "cookie NAME");

    private static final int MOST_TIMES = 1_000_000;

    Template {
        pieces = List.copyOf(pieces);
    }

    /** Literal text, or the inside of a placeholder. */
    record Piece(String text, boolean isPlaceholder) {}

    /** Why a text is not a template; its message is shown behind the position. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String problem) {
            super(problem);
        }
    }

    /**
     * @param mayReflect whether placeholders of {@link #REFLECTED} are allowed
     */
    static Template of(String text, boolean mayReflect) throws Malformed {
        var pieces = new ArrayList<Piece>();
        var literal = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\\') {
                at = escape(text, at, literal);
            } else if (text.startsWith("${", at)) {
                int end = text.indexOf('}', at);
                if (end < 0) {
                    throw new Malformed("'${' is not closed (expected '}')");
                }
                var inside = text.substring(at + 2, end);
                if (inside.startsWith("times ")) {
                    literal.append(repeated(inside));
                } else {
                    check(inside, mayReflect);
                    pieces.add(new Piece(literal.toString(), false));
                    pieces.add(new Piece(inside, true));
                    literal.setLength(0);
                }
                at = end + 1;
            } else {
                literal.append(c);
                at++;
            }
        }
        pieces.add(new Piece(literal.toString(), false));
        return new Template(pieces);
    }

    /** The text with every placeholder replaced by {@code value} of its inside. */
    String filled(UnaryOperator<String> value) {
        var filled = new StringBuilder();
        for (var piece : pieces) {
            filled.append(piece.isPlaceholder() ? value.apply(piece.text()) : piece.text());
        }
        return filled.toString();
    }

    private static int escape(String text, int at, StringBuilder into) throws Malformed {
        char kind = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        switch (kind) {
            case 'r' -> into.append('\r');
            case 'n' -> into.append('\n');
            case 't' -> into.append('\t');
            case '0' -> into.append('\0');
            case '\\' -> into.append('\\');
            case 'x' -> {
                if (!text.substring(at).matches("(?s)\\\\x[0-9a-fA-F]{2}.*")) {
                    throw new Malformed("'\\x' without a number (expected two hex digits)");
                }
                into.append((char) Integer.parseInt(text.substring(at + 2, at + 4), 16));
                return at + 4;
            }
            default ->
                    throw new Malformed(
                            "unknown escape '\\%s' (expected \\r, \\n, \\t, \\0, \\\\ or \\xHH)"
                                    .formatted(kind));
        }
        return at + 2;
    }

    private static String repeated(String inside) throws Malformed {
        var words = inside.split(" ", 3);
        if (words.length != 3 || !words[1].matches("[0-9]{1,7}")) {
            throw new Malformed("'${%s}' (expected ${times NUMBER TEXT})".formatted(inside));
        }
        int times = Integer.parseInt(words[1]);
        if (times > MOST_TIMES) {
            throw new Malformed("%d times (expected at most %d)".formatted(times, MOST_TIMES));
        }
        return of(words[2], false).filled(UnaryOperator.identity()).repeat(times);
    }

    private static void check(String inside, boolean mayReflect) throws Malformed {
        int blank = inside.indexOf(' ');
        var shape = blank < 0 ? inside : inside.substring(0, blank) + " NAME";
        if (!ANYWHERE.contains(inside) && !(mayReflect && REFLECTED.contains(shape))) {
            var known = new ArrayList<>(ANYWHERE);
            known.add("times N TEXT");
            if (mayReflect) {
                known.addAll(REFLECTED);
            }
            throw new Malformed(
                    "unknown placeholder '${%s}' (expected one of %s)"
                            .formatted(inside, known.stream().sorted().toList()));
        }
    }
}
