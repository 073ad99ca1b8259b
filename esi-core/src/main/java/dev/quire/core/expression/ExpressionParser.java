package dev.quire.core.expression;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads expressions and text with references. Recursive descent, one method for each rule of {@link
 * Expression}'s grammar; never deeper than {@value #MAX_DEPTH}.
 */
public final class ExpressionParser {

    /** Parentheses, lists and calls within one another. */
    public static final int MAX_DEPTH = 100;

    /**
     * What came of reading an expression.
     *
     * @param expression null if it cannot be read
     * @param problem what is wrong, or doubtful, at which char; null if nothing is
     */
    public record Reading(@Nullable Expression expression, @Nullable String problem) {}

    private ExpressionParser() {}

    /** The expression that {@code text} is, to its end. */
    public static Reading expression(String text, Dialect dialect) {
        throw new UnsupportedOperationException();
    }

    /**
     * An attribute value in which references are replaced; what is no reference stays as it is.
     *
     * @param functions names of the page's own functions, besides the built-in ones
     */
    public static Template template(String text, Set<String> functions, Dialect dialect) {
        throw new UnsupportedOperationException();
    }
}
