package dev.quire.core.expression;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A parsed expression. Immutable; {@link Evaluator} evaluates it. Chains are lists, so that a tree
 * is never deeper than the nesting {@link ExpressionParser} allows.
 *
 * <pre>
 * primary  = "(" expr ")" / string / number / word / "true" / "false" / var / call / list / dict
 * string   = "'" *( "\" any / not "'" "\" ) "'"  /  "'''" raw "'''"  /  DQUOTE ... DQUOTE
 * number   = ["-"/"+"] 1*DIGIT [ "." 1*DIGIT ]
 * list     = "[" [ expr *( "," expr ) ] "]" / "[" expr ".." expr "]"
 * dict     = "{" [ expr ":" expr *( "," expr ":" expr ) ] "}"
 * call     = "$" name "(" [ expr *( "," expr ) ] ")"
 * var      = "$(" name [ "{" key "}" ] [ "|" default ] ")"
 * arith    = primary *( ("*" / "/" / "%" / "+" / "-") primary )      ; one level, left to right
 * compare  = arith [ ("==" / "!=" / "&lt;" / "&lt;=" / "&gt;" / "&gt;=" / "has" / "has_i"
 *      / "matches" / "matches_i" / "=~") arith ]
 * not      = *"!" compare
 * and      = not *( ("&amp;" / "&amp;&amp;") not )
 * expr     = and *( ("|" / "||") and )
 * </pre>
 */
public sealed interface Expression {

    /** Returns its direct operands in the order as written. */
    default List<Expression> operands() {
        return switch (this) {
            case Literal ignored -> List.of();
            case Quoted quoted -> quoted.pieces();
            case Variable variable ->
                    Stream.concat(variable.key().stream(), variable.fallback().stream()).toList();
            case Call call -> call.arguments();
            case ListOf list -> list.items();
            case Range range -> List.of(range.from(), range.to());
            case DictionaryOf dictionary ->
                    dictionary.entries().stream()
                            .flatMap(entry -> Stream.of(entry.key(), entry.value()))
                            .toList();
            case Arithmetic arithmetic ->
                    Stream.concat(
                                    Stream.of(arithmetic.first()),
                                    arithmetic.steps().stream().map(Step::operand))
                            .toList();
            case Comparison comparison -> List.of(comparison.left(), comparison.right());
            case Match match -> List.of(match.text(), match.pattern());
            case Not not -> List.of(not.operand());
            case And and -> and.operands();
            case Or or -> or.operands();
        };
    }

    /** Whether a function in it changes the response, so that no output may be sent before. */
    default boolean editsResponse() {
        return (this instanceof Call call && Functions.isOfResponse(call.function()))
                || operands().stream().anyMatch(Expression::editsResponse);
    }

    /** A constant: a number, a truth value or a bare word. */
    record Literal(Value value) implements Expression {}

    /** A quoted string, as its pieces, including references. Always compared as a string. */
    record Quoted(List<Expression> pieces) implements Expression {
        public Quoted {
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * {@code $(name{key}|fallback)}.
     *
     * @param isRaw {@code $(RAW_name)}: its angle brackets are not escaped when it is written
     * @param fallback used if the value is missing or empty
     */
    record Variable(
            String name, boolean isRaw, Optional<Expression> key, Optional<Expression> fallback)
            implements Expression {}

    /** {@code $function(arguments)}. */
    record Call(String function, List<Expression> arguments) implements Expression {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /** {@code [a, b]}. */
    record ListOf(List<Expression> items) implements Expression {
        public ListOf {
            items = List.copyOf(items);
        }
    }

    /** {@code [from..to]}, in either direction. */
    record Range(Expression from, Expression to) implements Expression {}

    /** {@code {key: value}}, in the order as written. */
    record DictionaryOf(List<Entry> entries) implements Expression {
        public DictionaryOf {
            entries = List.copyOf(entries);
        }
    }

    /** One entry of a dictionary. */
    record Entry(Expression key, Expression value) {}

    /** {@code first + a * b}: every step is applied to the result so far. */
    record Arithmetic(Expression first, List<Step> steps) implements Expression {
        public Arithmetic {
            steps = List.copyOf(steps);
        }
    }

    /** One operator and its right operand. */
    record Step(Sign sign, Expression operand) {}

    /** {@code left == right} and the other comparisons. */
    record Comparison(Relation relation, Expression left, Expression right) implements Expression {}

    /**
     * {@code text matches pattern} and the other match operators.
     *
     * @param compiled the pattern, if it is constant
     */
    record Match(
            SearchPattern.Kind kind,
            Expression text,
            Expression pattern,
            Optional<SearchPattern> compiled)
            implements Expression {}

    /** {@code !operand}. */
    record Not(Expression operand) implements Expression {}

    /** {@code a & b}; operands after the first false one are not evaluated. */
    record And(List<Expression> operands) implements Expression {
        public And {
            operands = List.copyOf(operands);
        }
    }

    /** {@code a | b}; operands after the first true one are not evaluated. */
    record Or(List<Expression> operands) implements Expression {
        public Or {
            operands = List.copyOf(operands);
        }
    }

    /** An arithmetic operator. */
    enum Sign {
        MULTIPLY,
        DIVIDE,
        MODULO,
        ADD,
        SUBTRACT
    }

    /** A comparison operator. */
    enum Relation {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL,
        HAS,
        HAS_IGNORING_CASE
    }
}
