package dev.quire.spring.internal.policy;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A text with SpEL expressions.
 *
 * @param source as written in the annotation
 * @param expression the parsed template; it can only read values and call their methods
 */
public record SpelTemplate(String source, Expression expression) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /**
     * Parses a template.
     *
     * @param label names it in messages
     * @throws IllegalArgumentException if it is malformed
     */
    public static SpelTemplate parse(String source, String label) {
        try {
            return new SpelTemplate(
                    source, PARSER.parseExpression(source, new TemplateParserContext()));
        } catch (ParseException malformed) {
            throw new IllegalArgumentException(
                    label + " is not a SpEL template: " + malformed.getSimpleMessage(), malformed);
        }
    }

    static SpelTemplate literal(String text) {
        return new SpelTemplate(text, new LiteralExpression(text));
    }

    boolean hasHoles() {
        return !(expression instanceof LiteralExpression);
    }

    /** Whether its value is always a text, because it mixes text and expressions. */
    public boolean isText() {
        return expression instanceof CompositeStringExpression;
    }

    /** Returns a context in which {@code values} are variables. */
    public static EvaluationContext context(Map<String, @Nullable Object> values) {
        var context =
                SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
        values.forEach(context::setVariable);
        return context;
    }

    /** Returns the text between the expressions. */
    public String literals() {
        return literals(expression);
    }

    private static String literals(Expression expression) {
        return switch (expression) {
            case LiteralExpression literal -> literal.getExpressionString();
            case CompositeStringExpression parts -> {
                var text = new StringBuilder();
                for (var part : parts.getExpressions()) {
                    text.append(literals(part));
                }
                yield text.toString();
            }
            default -> "";
        };
    }

    public Set<String> variables() {
        var found = new LinkedHashSet<String>();
        var nodes = new ArrayDeque<SpelNode>();
        for (var part :
                expression instanceof CompositeStringExpression parts
                        ? parts.getExpressions()
                        : new Expression[] {expression}) {
            if (part instanceof SpelExpression spel) {
                nodes.add(spel.getAST());
            }
        }
        while (!nodes.isEmpty()) {
            var node = nodes.remove();
            // #this and #root are built into SpEL
            if (node instanceof VariableReference
                    && !node.toStringAST().equals("#this")
                    && !node.toStringAST().equals("#root")) {
                found.add(node.toStringAST().substring(1));
            }
            for (int i = 0; i < node.getChildCount(); i++) {
                nodes.add(node.getChild(i));
            }
        }
        return found;
    }
}
