package dev.quire.core.expression;

import java.util.List;

/** An attribute value with references, such as {@code /news?$(QUERY_STRING)}, as its pieces. */
public record Template(List<Expression> pieces) {
    public Template {
        pieces = List.copyOf(pieces);
    }

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

    /**
     * Returns its text, which is the same in every request.
     *
     * @throws IllegalStateException unless it {@link #isStatic}
     */
    public String text() {
        var text = new StringBuilder();
        for (var piece : pieces) {
            if (!(piece instanceof Expression.Literal(Value.Text part))) {
                throw new IllegalStateException("the template depends on the request");
            }
            text.append(part.text());
        }
        return text.toString();
    }
}
