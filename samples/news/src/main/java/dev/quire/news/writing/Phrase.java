package dev.quire.news.writing;

import java.util.ArrayList;
import java.util.List;

/**
 * Text with placeholders for facts and choices between wordings:
 *
 * <pre>
 * phrase = { text | fact | choice }
 * fact   = "{" name "}"            a capital first letter in the name capitalises the fact
 * choice = "[" phrase { "|" phrase } "]"
 * </pre>
 */
record Phrase(List<Piece> pieces) {
    sealed interface Piece {
        record Text(String text) implements Piece {}

        record Fact(String name) implements Piece {}

        record Choice(List<Phrase> wordings) implements Piece {}
    }

    /**
     * Reads {@code source} whole.
     *
     * @throws IllegalArgumentException if a bracket is unbalanced
     */
    static Phrase parse(String source) {
        var parser = new Parser(source);
        var phrase = parser.phrase();
        if (!parser.atEnd()) {
            throw new IllegalArgumentException(
                    "unexpected '%c' at %d in: %s"
                            .formatted(source.charAt(parser.at), parser.at, source));
        }
        return phrase;
    }

    /**
     * The text with {@code facts} in their places; {@code dice} chooses the wordings.
     *
     * @throws IllegalStateException if a fact is missing
     */
    String tell(Facts facts, Dice dice) {
        var text = new StringBuilder(256);
        tell(facts, dice, text);
        return text.toString();
    }

    private void tell(Facts facts, Dice dice, StringBuilder text) {
        for (Piece piece : pieces) {
            switch (piece) {
                case Piece.Text words -> append(words.text(), text);
                case Piece.Fact fact -> text.append(facts.printed(fact.name()));
                case Piece.Choice choice -> dice.oneOf(choice.wordings()).tell(facts, dice, text);
            }
        }
    }

    /** Adds no full stop after one: “8:59 p.m.” may end a sentence. */
    private static void append(String words, StringBuilder text) {
        boolean stopped = text.length() > 0 && text.charAt(text.length() - 1) == '.';
        text.append(stopped && words.startsWith(".") ? words.substring(1) : words);
    }

    private static final class Parser {
        private final String source;
        private int at;

        Parser(String source) {
            this.source = source;
        }

        Phrase phrase() {
            var pieces = new ArrayList<Piece>();
            while (!atEnd() && "|]}".indexOf(source.charAt(at)) < 0) {
                pieces.add(
                        switch (source.charAt(at)) {
                            case '{' -> fact();
                            case '[' -> choice();
                            default -> text();
                        });
            }
            return new Phrase(List.copyOf(pieces));
        }

        private Piece text() {
            int start = at;
            while (!atEnd() && "{}[]|".indexOf(source.charAt(at)) < 0) {
                at++;
            }
            return new Piece.Text(source.substring(start, at));
        }

        private Piece fact() {
            int start = at + 1;
            int end = source.indexOf('}', start);
            if (end < 0) {
                throw new IllegalArgumentException("'{' without '}' in: " + source);
            }
            at = end + 1;
            return new Piece.Fact(source.substring(start, end));
        }

        private Piece choice() {
            var wordings = new ArrayList<Phrase>();
            do {
                at++;
                wordings.add(phrase());
            } while (!atEnd() && source.charAt(at) == '|');
            if (atEnd() || source.charAt(at) != ']') {
                throw new IllegalArgumentException("'[' without ']' in: " + source);
            }
            at++;
            return new Piece.Choice(List.copyOf(wordings));
        }

        boolean atEnd() {
            return at == source.length();
        }
    }
}
