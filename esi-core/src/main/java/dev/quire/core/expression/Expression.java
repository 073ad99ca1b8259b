package dev.quire.core.expression;

import java.util.List;
import java.util.Optional;

/**
 * A parsed expression. Immutable; {@link Evaluator} walks it.
 *
 * <pre>
 * primary  = "(" expr ")" / string / number / "true" / "false" / var / call / list / dict
 * string   = "'" *( "\" any / not "'" "\" ) "'"  /  "'''" raw "'''"  /  DQUOTE ... DQUOTE
 * number   = ["-"/"+"] 1*DIGIT [ "." 1*DIGIT ]
 * list     = "[" [ expr *( "," expr ) ] "]" / "[" expr ".." expr "]"
 * dict     = "{" [ expr ":" expr *( "," expr ":" expr ) ] "}"
 * call     = "$" name "(" [ expr *( "," expr ) ] ")"
 * arith    = primary *( ("*" / "/" / "%" / "+" / "-") primary )      ; one level, left to right
 * compare  = arith [ ("==" / "!=" / "&lt;" / "&lt;=" / "&gt;" / "&gt;=" / "has" / "has_i"
 *                     / "matches" / "matches_i" / "=~") arith ]
 * not      = *"!" compare
 * and      = not *( ("&amp;" / "&amp;&amp;") not )
 * expr     = and *( ("|" / "||") and )
 * </pre>
 */
public sealed interface Expression {

    /** A number, a truth value, a bare word: what is the same in every request. */
    record Literal(Value value) implements Expression {}

    /**
     * A string in quotes, or any text with references in it: its pieces one behind the other. In
     * comparisons always a string, never a number, if it was quoted.
     */
    record Quoted(List<Expression> pieces) implements Expression {
        public Quoted {
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * {@code $(name{key}|fallback)}.
     *
     * @param fallback used when the value is missing or empty
     */
    record Variable(String name, Optional<Expression> key, Optional<Expression> fallback)
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

    /** Arithmetic or a comparison. */
    record Binary(Operator operator, Expression left, Expression right) implements Expression {}

    /** {@code !operand}. */
    record Not(Expression operand) implements Expression {}

    /** {@code left & right}; the right side is evaluated only if the left one is true. */
    record And(Expression left, Expression right) implements Expression {}

    /** {@code left | right}; the right side is evaluated only if the left one is false. */
    record Or(Expression left, Expression right) implements Expression {}

    /** What stands between two operands, by the sign it is written with. */
    enum Operator {
        MULTIPLY("*"),
        DIVIDE("/"),
        MODULO("%"),
        ADD("+"),
        SUBTRACT("-"),
        EQUAL("=="),
        NOT_EQUAL("!="),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">="),
        HAS("has"),
        HAS_IGNORING_CASE("has_i"),
        MATCHES("matches"),
        MATCHES_IGNORING_CASE("matches_i"),
        MATCHES_PATTERN("=~");

        private final String sign;

        Operator(String sign) {
            this.sign = sign;
        }

        /** As it is written. */
        public String sign() {
            return sign;
        }
    }
}
