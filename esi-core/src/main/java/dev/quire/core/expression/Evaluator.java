package dev.quire.core.expression;

import dev.quire.core.expression.Expression.Relation;
import dev.quire.core.expression.Value.Int;
import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.expression.Value.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates expressions in one scope. Recursion is as deep as expressions nest, {@link
 * ExpressionParser#MAX_DEPTH}. An expression without a value is {@link Value.Null}; errors are
 * reported.
 */
final class Evaluator {
    private final Scope scope;
    private final Evaluation evaluation;

    Evaluator(Scope scope) {
        this.scope = scope;
        this.evaluation = scope.evaluation;
    }

    Value value(Expression expression) {
        if (!evaluation.maySpend(1)) {
            return Null.NULL;
        }
        return switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Quoted quoted -> quoted(quoted.pieces());
            case Expression.Variable variable -> variable(variable);
            case Expression.Call call -> call(call);
            case Expression.ListOf list -> list(list.items());
            case Expression.Range range -> range(range);
            case Expression.DictionaryOf dictionary -> dictionary(dictionary.entries());
            case Expression.Arithmetic chain -> arithmetic(chain);
            case Expression.Comparison comparison -> compare(comparison);
            case Expression.Match match -> match(match);
            case Expression.Not not -> truth(!isTrue(not.operand()));
            case Expression.And and -> truth(and(and.operands()));
            case Expression.Or or -> truth(or(or.operands()));
        };
    }

    /**
     * Whether {@code expression} is true (docs/esi.md, Expressions). Null, the empty string,
     * numeric zero, false and empty collections are false.
     */
    boolean isTrue(Expression expression) {
        return switch (value(expression)) {
            case Value.Bool truth -> truth.value();
            case Text text ->
                    !text.text().isEmpty()
                            && !(Numbers.isNumber(text.text()) && Numbers.isZero(text.text()));
            case Int number -> number.value() != 0;
            case Value.Decimal number -> !Numbers.isZero(number.text());
            case Null ignored -> false;
            case Value.Items list -> !list.items.isEmpty();
            case Value.Dictionary dictionary -> !dictionary.entries.isEmpty();
        };
    }

    /** Whether {@code value} is missing or empty, so that a default replaces it. */
    static boolean isEmpty(Value value) {
        return switch (value) {
            case Null ignored -> true;
            case Text text -> text.text().isEmpty();
            case Value.Items list -> list.items.isEmpty();
            case Value.Dictionary dictionary -> dictionary.entries.isEmpty();
            case Int number -> false;
            case Value.Decimal number -> false;
            case Value.Bool truth -> false;
        };
    }

    private static Value truth(boolean truth) {
        return truth ? Value.Bool.TRUE : Value.Bool.FALSE;
    }

    private boolean and(List<Expression> operands) {
        for (var operand : operands) {
            if (!isTrue(operand)) {
                return false;
            }
        }
        return true;
    }

    private boolean or(List<Expression> operands) {
        for (var operand : operands) {
            if (isTrue(operand)) {
                return true;
            }
        }
        return false;
    }

    private Text text(Value value) {
        return Joined.text(value, evaluation);
    }

    /** Reports an operation that a secret does not allow; its value is null. */
    private Value refused(String operation) {
        scope.refuseSecret(operation);
        return Null.NULL;
    }

    private Value quoted(List<Expression> pieces) {
        if (pieces.isEmpty()) {
            return Text.EMPTY;
        }
        if (pieces.size() == 1) {
            return text(value(pieces.getFirst()));
        }
        var joined = new Joined(evaluation);
        for (var piece : pieces) {
            joined.add(value(piece));
        }
        return known(joined.value(), "text joined with others");
    }

    /** Returns {@code value}, or null if it was made of a secret by {@code operation}. */
    private Value known(Value value, String operation) {
        scope.noteRead(value.source());
        return value instanceof Text text && text.source() == Source.SECRET
                ? refused(operation)
                : value;
    }

    private Value variable(Expression.Variable variable) {
        var keyText = variable.key().isEmpty() ? null : text(value(variable.key().get()));
        if (keyText != null && keyText.source() == Source.SECRET) {
            return refused("key");
        }
        var key = keyText == null ? null : keyText.text();
        var own = scope.named(variable.name());
        var value =
                own == null
                        ? scope.requested(variable.name(), key)
                        : Value.atLeast(entry(own, key), own.source());
        scope.noteRead(value.source());
        if (variable.fallback().isPresent()) {
            // For a truth value of the request, false means absent.
            boolean isAbsent = own == null && value instanceof Value.Bool truth && !truth.value();
            if (isAbsent || isEmpty(value)) {
                return value(variable.fallback().get());
            }
        }
        return variable.isRaw() && value instanceof Text text && !text.isMarkup()
                ? new Text(text.text(), text.source(), true, text.isAuthored())
                : value;
    }

    private static Value entry(Value value, @Nullable String key) {
        if (key == null) {
            return value;
        }
        return switch (value) {
            case Value.Items list -> {
                int index = Scope.index(list, key);
                yield index < 0 ? Null.NULL : list.items.get(index);
            }
            case Value.Dictionary dictionary -> {
                var entry = dictionary.entries.get(key);
                yield entry == null ? Null.NULL : entry.value();
            }
            case Text text -> Null.NULL;
            case Int number -> Null.NULL;
            case Value.Decimal number -> Null.NULL;
            case Value.Bool truth -> Null.NULL;
            case Null ignored -> Null.NULL;
        };
    }

    private Value call(Expression.Call call) {
        var function = scope.function(call.function());
        var builtIn = function == null ? Functions.named(call.function()) : null;
        if (function == null && builtIn == null) {
            scope.problem("call of an undefined function");
            return Null.NULL;
        }
        if (!evaluation.mayList(call.arguments().size())) {
            return Null.NULL;
        }
        var arguments = new ArrayList<Value>(call.arguments().size());
        for (var argument : call.arguments()) {
            arguments.add(scope.evaluate(argument));
        }
        var result =
                function == null
                        ? Objects.requireNonNull(builtIn).call(arguments, scope)
                        : scope.call(function, arguments);
        scope.noteRead(result.source());
        return result;
    }

    private Value list(List<Expression> expressions) {
        if (!evaluation.mayList(expressions.size())) {
            return Null.NULL;
        }
        var items = new ArrayList<Value>(expressions.size());
        for (var expression : expressions) {
            items.add(scope.evaluate(expression));
        }
        return new Value.Items(items);
    }

    private Value dictionary(List<Expression.Entry> expressions) {
        if (!evaluation.mayList(2L * expressions.size())) {
            return Null.NULL;
        }
        var dictionary = new Value.Dictionary(Source.AUTHOR);
        for (var entry : expressions) {
            var key = text(value(entry.key()));
            if (key.source() == Source.SECRET) {
                return refused("key");
            }
            dictionary.put(key, scope.evaluate(entry.value()));
        }
        return dictionary;
    }

    private Value range(Expression.Range range) {
        var from = bound(value(range.from()));
        var to = bound(value(range.to()));
        if (from == null || to == null) {
            scope.problem("the bounds of a range must be integers");
            return Null.NULL;
        }
        if (from.source().and(to.source()) == Source.SECRET) {
            return refused("bound of a range");
        }
        long distance = distance(from.value(), to.value());
        if (!evaluation.mayRange(distance == Long.MAX_VALUE ? distance : distance + 1)) {
            return Null.NULL;
        }
        var source = from.source().and(to.source());
        long step = to.value() >= from.value() ? 1 : -1;
        var items = new ArrayList<Value>((int) distance + 1);
        for (long i = 0; i <= distance; i++) {
            items.add(new Int(from.value() + i * step, source));
        }
        return new Value.Items(items, source);
    }

    /** Returns the distance of both, at most {@link Long#MAX_VALUE}. */
    private static long distance(long from, long to) {
        try {
            return Math.absExact(Math.subtractExact(to, from));
        } catch (ArithmeticException tooFar) {
            return Long.MAX_VALUE;
        }
    }

    /** Variables are loosely typed: text that is an integer may be a bound as well. */
    private static @Nullable Int bound(Value value) {
        return switch (value) {
            case Int number -> number;
            case Text text -> {
                var number = Numbers.integer(text.text());
                yield number.isPresent() ? new Int(number.getAsLong(), text.source()) : null;
            }
            default -> null;
        };
    }

    private Value arithmetic(Expression.Arithmetic chain) {
        var result = value(chain.first());
        for (var step : chain.steps()) {
            var operand = value(step.operand());
            if (isSecret(result) || isSecret(operand)) {
                result = refused("operand of arithmetic");
                continue;
            }
            result =
                    switch (step.sign()) {
                        case ADD -> add(result, operand);
                        case MULTIPLY -> multiply(result, operand);
                        case SUBTRACT, DIVIDE, MODULO -> integers(step.sign(), result, operand);
                    };
        }
        return result;
    }

    /** Whether {@code value} is a secret; one inside a collection remains guarded there. */
    private static boolean isSecret(Value value) {
        return switch (value) {
            case Text text -> text.source() == Source.SECRET;
            case Int number -> number.source() == Source.SECRET;
            default -> false;
        };
    }

    private Value add(Value left, Value right) {
        if (left instanceof Int a && right instanceof Int b) {
            return integers(Expression.Sign.ADD, a, b);
        }
        if (left instanceof Value.Items a && right instanceof Value.Items b) {
            if (!evaluation.mayList((long) a.items.size() + b.items.size())) {
                return Null.NULL;
            }
            var sum = new Value.Items(a.items, a.source().and(b.source()));
            sum.items.addAll(b.items);
            return sum;
        }
        return known(
                new Joined(evaluation).add(left).add(right).value(), "text joined with others");
    }

    private Value multiply(Value left, Value right) {
        if (left instanceof Int a) {
            return right instanceof Int b
                    ? integers(Expression.Sign.MULTIPLY, a, b)
                    : repeated(right, a);
        }
        if (right instanceof Int times) {
            return repeated(left, times);
        }
        scope.problem("one operand of * must be an integer");
        return Null.NULL;
    }

    private Value repeated(Value value, Int times) {
        long count = Math.max(0, times.value());
        return switch (value) {
            case Text text -> repeated(text, count, text.source().and(times.source()));
            case Value.Items list -> repeated(list, count, list.source().and(times.source()));
            default -> {
                scope.problem("only integers, strings and lists can be multiplied");
                yield Null.NULL;
            }
        };
    }

    private Value repeated(Text text, long count, Source source) {
        int length = text.text().length();
        if (length == 0 || count == 0) {
            return new Text("", source);
        }
        boolean fits = count <= Evaluation.MAX_BYTES / length;
        return evaluation.mayProduce(fits ? length * count : Long.MAX_VALUE)
                ? new Text(text.text().repeat((int) count), source, text.isMarkup())
                : Null.NULL;
    }

    private Value repeated(Value.Items list, long count, Source source) {
        int size = list.items.size();
        boolean fits = size == 0 || count <= Evaluation.MAX_BYTES / size;
        if (!evaluation.mayList(fits ? size * count : Long.MAX_VALUE)) {
            return Null.NULL;
        }
        var result = new Value.Items(List.of(), source);
        for (long i = 0; i < count && size > 0; i++) {
            result.items.addAll(list.items);
        }
        return result;
    }

    private Value integers(Expression.Sign sign, Value left, Value right) {
        if (!(left instanceof Int a) || !(right instanceof Int b)) {
            scope.problem("the operands of - / % must be integers; $int() converts text");
            return Null.NULL;
        }
        try {
            long result =
                    switch (sign) {
                        case ADD -> Math.addExact(a.value(), b.value());
                        case SUBTRACT -> Math.subtractExact(a.value(), b.value());
                        case MULTIPLY -> Math.multiplyExact(a.value(), b.value());
                        case DIVIDE -> Math.divideExact(a.value(), b.value());
                        case MODULO -> a.value() % b.value();
                    };
            return new Int(result, a.source().and(b.source()));
        } catch (ArithmeticException e) {
            scope.problem("division by zero, or a result that does not fit into 64 bits");
            return Null.NULL;
        }
    }

    private Value compare(Expression.Comparison comparison) {
        var left = value(comparison.left());
        var right = value(comparison.right());
        var ofLeft = Joined.source(left, evaluation);
        var ofRight = Joined.source(right, evaluation);
        scope.noteRead(ofLeft.and(ofRight));
        if (ofLeft == Source.SECRET
                ? !isEmptiness(comparison.relation(), right)
                : ofRight == Source.SECRET && !isEmptiness(comparison.relation(), left)) {
            return refused("comparison");
        }
        return truth(holds(comparison, left, right));
    }

    /** Whether comparing with {@code other} only tells whether a value is empty. */
    private boolean isEmptiness(Relation relation, Value other) {
        return (relation == Relation.EQUAL || relation == Relation.NOT_EQUAL)
                && isEmpty(other)
                && Joined.source(other, evaluation) != Source.SECRET;
    }

    private boolean holds(Expression.Comparison comparison, Value left, Value right) {
        boolean isLoose =
                !(comparison.left() instanceof Expression.Quoted)
                        && !(comparison.right() instanceof Expression.Quoted);
        return switch (comparison.relation()) {
            case HAS -> has(left, right, false);
            case HAS_IGNORING_CASE -> has(left, right, true);
            case EQUAL -> order(left, right, isLoose) == 0;
            case NOT_EQUAL -> order(left, right, isLoose) != 0;
            case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
                    !isEmpty(left)
                            && !isEmpty(right)
                            && isInOrder(comparison.relation(), order(left, right, isLoose));
        };
    }

    private static boolean isInOrder(Relation relation, int order) {
        return switch (relation) {
            case LESS -> order < 0;
            case LESS_OR_EQUAL -> order <= 0;
            case GREATER -> order > 0;
            case GREATER_OR_EQUAL -> order >= 0;
            case EQUAL, NOT_EQUAL, HAS, HAS_IGNORING_CASE ->
                    throw new IllegalStateException("not an ordering operator: " + relation);
        };
    }

    /** Compares numerically if both look like numbers and neither was quoted, else byte by byte. */
    private int order(Value left, Value right, boolean isLoose) {
        if (isLoose && left instanceof Int a && right instanceof Int b) {
            return Long.compare(a.value(), b.value());
        }
        var a = text(left).text();
        var b = text(right).text();
        if (!evaluation.mayRead(Math.min(a.length(), b.length()))) {
            return -1;
        }
        return isLoose && Numbers.isNumber(a) && Numbers.isNumber(b)
                ? Numbers.compare(a, b)
                : a.compareTo(b);
    }

    private boolean has(Value left, Value right, boolean ignoringCase) {
        var text = text(left).text();
        var needle = text(right).text();
        if (!evaluation.mayRead((long) text.length() + needle.length())) {
            return false;
        }
        if (ignoringCase) {
            text = Ascii.lower(text);
            needle = Ascii.lower(needle);
        }
        return Search.first(text, needle, 0) >= 0;
    }

    private Value match(Expression.Match match) {
        var left = value(match.text());
        var expression = match.compiled().isPresent() ? null : text(value(match.pattern()));
        var source = Joined.source(left, evaluation);
        if (expression != null) {
            source = source.and(expression.source());
        }
        scope.noteRead(source);
        if (source == Source.SECRET) {
            return refused("match");
        }
        return truth(!(left instanceof Null) && matches(match, left, expression));
    }

    private boolean matches(Expression.Match match, Value left, @Nullable Text expression) {
        var pattern =
                expression == null
                        ? match.compiled().orElse(null)
                        : compiled(expression.text(), match.kind());
        if (pattern == null) {
            return false;
        }
        var text = text(left);
        if (!evaluation.maySpend(pattern.steps(text.text().length()))) {
            return false;
        }
        var groups = pattern.groups(text.text());
        if (groups == null || !evaluation.mayList(groups.size())) {
            return false;
        }
        var source = expression == null ? text.source() : text.source().and(expression.source());
        scope.matched(groups(groups, source, text.isMarkup()));
        return true;
    }

    private @Nullable SearchPattern compiled(String expression, SearchPattern.Kind kind) {
        // Compiling costs much more than reading: a microsecond for about ten chars or
        // instructions, and few chars can make many instructions.
        if (!evaluation.maySpend(100L + 2L * expression.length())
                || !evaluation.maySpend(SearchPattern.size(expression))) {
            return null;
        }
        var compiled = SearchPattern.compiled(expression, kind);
        if (compiled.pattern() == null) {
            scope.problem(String.valueOf(compiled.problem()));
            return null;
        }
        return evaluation.maySpend(compiled.pattern().steps(0)) ? compiled.pattern() : null;
    }

    private static Value.Items groups(
            List<@Nullable String> groups, Source source, boolean isMarkup) {
        var items = new ArrayList<Value>(groups.size());
        for (var group : groups) {
            items.add(group == null ? Null.NULL : new Text(group, source, isMarkup));
        }
        return new Value.Items(items, source);
    }
}
