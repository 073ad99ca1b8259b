package dev.quire.core.expression;

import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * What a built-in function is called with, and how its result is made of that: as confidential as
 * the most confidential argument, markup only if all of them are, and within what may be spent.
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

    /** The string that argument {@code index} is; {@code otherwise} if it is missing or null. */
    String string(int index, String otherwise) {
        return isMissing(index) ? otherwise : text(index).text();
    }

    boolean isMissing(int index) {
        return index >= count() || at(index) == Value.Null.NULL;
    }

    /** The integer that argument {@code index} is or spells; empty, and told of, if it is none. */
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

    /** The most confidential source of all arguments. */
    Source source() {
        var source = Source.AUTHOR;
        for (var value : values) {
            source = source.and(Joined.source(value, evaluation()));
        }
        return source;
    }

    /** The only argument's text, changed by {@code change}; null stays null. */
    Value mapped(UnaryOperator<String> change) {
        if (isMissing(0)) {
            return Value.Null.NULL;
        }
        var text = text(0);
        return made(text, change);
    }

    /**
     * The only argument's text, decoded; null stays null. Angle brackets may come of it that were
     * hidden when it was escaped or joined, so it is markup only if the author wrote all of it.
     */
    Value decoded(UnaryOperator<String> decoding) {
        return mapped(decoding) instanceof Text text
                ? new Text(text.text(), text.source())
                : Value.Null.NULL;
    }

    /** What {@code change} makes of {@code text}; its angle brackets are whose they were. */
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

    /** An integer made of the arguments. */
    Value number(long value) {
        return new Value.Int(value, source());
    }

    /** Tells of a mistake in the call, which then has no value. */
    Value problem(String what) {
        scope.problem("$" + function + ": " + what);
        return Value.Null.NULL;
    }
}
