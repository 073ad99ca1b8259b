package dev.quire.core.expression;

import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import java.util.ArrayList;
import java.util.List;

/**
 * Text joined from values of several sources. If the author's part of it contains angle brackets,
 * the parts from the request are escaped, and the whole is markup. The result is as confidential as
 * its most confidential part. Lists are joined by commas, dictionaries as {@code k=v} by {@code &}.
 */
final class Joined {

    /** The maximum nesting of collections; one that contains itself is infinite. */
    private static final int MAX_DEPTH = 100;

    private static final Text COMMA = new Text(",", Source.AUTHOR);
    private static final Text AMPERSAND = new Text("&", Source.AUTHOR);
    private static final Text EQUALS_SIGN = new Text("=", Source.AUTHOR);

    private final Evaluation evaluation;
    private final List<Text> pieces = new ArrayList<>();
    private Source source = Source.AUTHOR;
    private long length;
    private boolean hasMarkup;
    private boolean isMarkup = true;
    private boolean isAuthored = true;
    private boolean isTooMuch;

    Joined(Evaluation evaluation) {
        this.evaluation = evaluation;
    }

    /** Returns {@code value} as text; {@link Value.Null} is empty. */
    static Text text(Value value, Evaluation evaluation) {
        return switch (value) {
            case Text text -> text;
            case Value.Int number -> new Text(Long.toString(number.value()), number.source(), true);
            case Value.Decimal number -> new Text(number.text(), number.source(), true);
            case Value.Bool truth ->
                    new Text(Boolean.toString(truth.value()), truth.source(), true);
            case Value.Null missing ->
                    missing == Value.Null.NULL ? Text.EMPTY : new Text("", missing.source(), true);
            case Value.Items list -> new Joined(evaluation).add(list).textOrEmpty();
            case Value.Dictionary dictionary ->
                    new Joined(evaluation).add(dictionary).textOrEmpty();
        };
    }

    /** Returns the most confidential source in {@code value}. */
    static Source source(Value value, Evaluation evaluation) {
        return source(value, evaluation, 0);
    }

    private static Source source(Value value, Evaluation evaluation, int depth) {
        return switch (value) {
            case Value.Items list -> {
                var source = list.source();
                for (var item : list.items) {
                    source = source.and(inner(item, evaluation, depth + 1));
                }
                yield source;
            }
            case Value.Dictionary dictionary -> {
                var source = dictionary.source();
                for (var entry : dictionary.entries.values()) {
                    source =
                            source.and(entry.key().source())
                                    .and(inner(entry.value(), evaluation, depth + 1));
                }
                yield source;
            }
            default -> value.source();
        };
    }

    /** Treats a value that cannot be inspected completely as secret. */
    private static Source inner(Value value, Evaluation evaluation, int depth) {
        return depth > MAX_DEPTH || !evaluation.maySpend(1)
                ? Source.SECRET
                : source(value, evaluation, depth);
    }

    Joined add(Value value) {
        add(value, 0);
        return this;
    }

    /** Whether the budget was exceeded; nothing more is added then. */
    boolean isTooMuch() {
        return isTooMuch;
    }

    /** Returns the joined text, or {@link Value.Null} if it exceeds the budget. */
    Value value() {
        if (isTooMuch) {
            return Value.Null.NULL;
        }
        if (pieces.size() == 1) {
            return Value.atLeast(pieces.getFirst(), source);
        }
        if (!evaluation.mayProduce(length)) {
            return Value.Null.NULL;
        }
        boolean escapes = hasMarkup && !isMarkup;
        var whole = new StringBuilder((int) length);
        for (var piece : pieces) {
            if (escapes && !piece.isMarkup()) {
                var escaped = Escape.MARKUP.applied(piece.text());
                if (!evaluation.mayProduce(escaped.length() - piece.text().length())) {
                    return Value.Null.NULL;
                }
                whole.append(escaped);
            } else {
                whole.append(piece.text());
            }
        }
        return new Text(whole.toString(), source, isMarkup || escapes, isAuthored);
    }

    private Text textOrEmpty() {
        return value() instanceof Text text ? text : Text.EMPTY;
    }

    private void add(Value value, int depth) {
        if (isTooMuch || !evaluation.maySpend(1)) {
            isTooMuch = true;
            return;
        }
        switch (value) {
            case Value.Items list -> {
                source = source.and(list.source());
                if (enters(depth)) {
                    addItems(list, depth);
                }
            }
            case Value.Dictionary dictionary -> {
                source = source.and(dictionary.source());
                if (enters(depth)) {
                    addEntries(dictionary, depth);
                }
            }
            case Text text -> piece(text);
            case Value.Int number -> piece(text(number, evaluation));
            case Value.Decimal number -> piece(text(number, evaluation));
            case Value.Bool truth -> piece(text(truth, evaluation));
            case Value.Null missing -> piece(text(missing, evaluation));
        }
    }

    private void addItems(Value.Items list, int depth) {
        boolean isFirst = true;
        for (var item : list.items) {
            if (!isFirst) {
                piece(COMMA);
            }
            isFirst = false;
            add(item, depth + 1);
            if (isTooMuch) {
                return;
            }
        }
    }

    private void addEntries(Value.Dictionary dictionary, int depth) {
        boolean isFirst = true;
        for (var entry : dictionary.entries.values()) {
            if (!isFirst) {
                piece(AMPERSAND);
            }
            isFirst = false;
            piece(entry.key());
            piece(EQUALS_SIGN);
            add(entry.value(), depth + 1);
            if (isTooMuch) {
                return;
            }
        }
    }

    private boolean enters(int depth) {
        if (depth < MAX_DEPTH) {
            return true;
        }
        evaluation.problem("collections are nested too deeply, or contain themselves");
        isTooMuch = true;
        return false;
    }

    private void piece(Text piece) {
        if (piece.text().isEmpty() && piece.source() == Source.AUTHOR) {
            return;
        }
        length += piece.text().length();
        if (!evaluation.couldProduce(length)) {
            isTooMuch = true;
            return;
        }
        pieces.add(piece);
        source = source.and(piece.source());
        isMarkup &= piece.isMarkup();
        isAuthored &= piece.isAuthored();
        hasMarkup |= piece.isMarkup() && hasBracket(piece.text());
    }

    static boolean hasBracket(String text) {
        return text.indexOf('<') >= 0 || text.indexOf('>') >= 0;
    }
}
