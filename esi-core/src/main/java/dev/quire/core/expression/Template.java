package dev.quire.core.expression;

import java.util.List;

/**
 * An attribute value with references in it, such as {@code /news?$(QUERY_STRING)}: its pieces one
 * behind the other.
 */
public record Template(List<Expression> pieces) {
    public Template {
        pieces = List.copyOf(pieces);
    }

    /** A template without references. */
    public static Template of(String text) {
        return new Template(
                text.isEmpty()
                        ? List.of()
                        : List.of(
                                new Expression.Literal(new Value.Text(text, Value.Source.AUTHOR))));
    }

    /** Whether it is the same in every request. */
    public boolean isStatic() {
        return pieces.stream().allMatch(Expression.Literal.class::isInstance);
    }
}
