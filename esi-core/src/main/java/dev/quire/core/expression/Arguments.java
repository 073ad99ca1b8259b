package dev.quire.core.expression;

import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * The arguments of a built-in function call. A result made of them is as confidential as the most
 * confidential argument, and markup only if all of them are. It is charged to the page's budget.
 *
 * @param function its name, for problems
 */
record Arguments(String function, List<Value> values, Scope scope) {

    int count() {
        return values.size();
    }

    Value at(int index) {
        return values.get(index);
    }

    Evaluation evaluation() {
        return scope.evaluation;
    }

    Text text(int index) {
        return Joined.text(at(index), evaluation());
    }

    /**
     * Returns argument {@code index} as a string, or {@code otherwise} if it is missing or null.
     */
    String string(int index, String otherwise) {
        return isMissing(index) ? otherwise : text(index).text();
    }

    boolean isMissing(int index) {
        return index >= count() || at(index) instanceof Value.Null;
    }

    /** Returns argument {@code index} as an integer; empty, and reported, if it is not one. */
    OptionalLong integer(int index) {
        var number =
                at(index) instanceof Value.Int integer
                        ? OptionalLong.of(integer.value())
                        : Numbers.integer(text(index).text());
        if (number.isEmpty()) {
            problem("argument " + (index + 1) + " must be an integer");
        }
        return number;
    }

    /** Returns the most confidential source of all arguments. */
    Source source() {
        var source = Source.AUTHOR;
        for (var value : values) {
            source = source.and(Joined.source(value, evaluation()));
        }
        return source;
    }

    /** Returns the only argument's text, changed by {@code change}; null stays null. */
    Value mapped(UnaryOperator<String> change) {
        if (isMissing(0)) {
            return Value.Null.NULL;
        }
        var text = text(0);
        return made(text, change);
    }

    /**
     * Returns the only argument's text, decoded; null stays null. Decoding may reveal angle
     * brackets, so the result is markup only if the author wrote all of it.
     */
    Value decoded(UnaryOperator<String> decoding) {
        return mapped(decoding) instanceof Text text
                ? new Text(text.text(), text.source())
                : Value.Null.NULL;
    }

    /** Returns {@code text} changed by {@code change}; it stays markup if it was. */
    Value made(Text text, UnaryOperator<String> change) {
        int length = text.text().length();
        if (!evaluation().mayRead(length) || !evaluation().mayProduce(length)) {
            return Value.Null.NULL;
        }
        var changed = change.apply(text.text());
        int longer = changed.length() - length;
        return longer <= 0 || evaluation().mayProduce(longer)
                ? new Text(changed, source(), text.isMarkup())
                : Value.Null.NULL;
    }

    /** Returns an integer with the source of the arguments. */
    Value number(long value) {
        return new Value.Int(value, source());
    }

    /** Reports a mistake in the call, whose value is null. */
    Value problem(String what) {
        scope.problem("$" + function + ": " + what);
        return Value.Null.NULL;
    }
}
