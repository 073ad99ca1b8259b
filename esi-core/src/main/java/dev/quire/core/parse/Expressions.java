package dev.quire.core.parse;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.ExpressionParser;
import dev.quire.core.expression.PatternAllowance;
import dev.quire.core.expression.Template;
import java.util.List;
import java.util.Set;

/**
 * Reads attribute values that contain references or expressions.
 *
 * @param functions names of the page's own functions, as far as defined
 * @param patterns the remaining budget for compiled patterns of the page
 */
record Expressions(Dialect dialect, Set<String> functions, PatternAllowance patterns) {

    ExpressionParser.ParseResult expression(String text) {
        return ExpressionParser.expression(text, dialect, patterns);
    }

    Template template(String text) {
        return text.indexOf('$') < 0 && text.indexOf('\\') < 0
                ? Template.of(text)
                : ExpressionParser.template(text, functions, dialect, patterns);
    }

    /** Returns {@code text} with its references as one expression. */
    Expression quoted(String text) {
        var pieces = template(text).pieces();
        return pieces.size() == 1 ? pieces.getFirst() : new Expression.Quoted(pieces);
    }

    /*
     * Entities, fields and parameters may be either. Text such as 2026-01-02 or a-b is a valid
     * expression with an unwanted value. So text is only tried as an expression if it begins like
     * one; if it begins with a reference, it must also contain a space or a quote.
     */
    /** Returns {@code text} as an expression if it looks like one, else as text with references. */
    Template expressionOrText(String text) {
        if (isWrittenAsExpression(text)) {
            var expression = expression(text).expression();
            if (expression != null) {
                return new Template(List.of(expression));
            }
        }
        return template(text);
    }

    private static boolean isWrittenAsExpression(String text) {
        var trimmed = text.strip();
        if (trimmed.isEmpty()) {
            return false;
        }
        return switch (trimmed.charAt(0)) {
            case '\'', '"', '[', '{', '(' -> true;
            case '$' -> trimmed.indexOf(' ') >= 0 || trimmed.indexOf('\'') >= 0;
            default -> false;
        };
    }
}
