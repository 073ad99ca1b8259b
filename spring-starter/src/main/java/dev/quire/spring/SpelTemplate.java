package dev.quire.spring;

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
 * A text with holes in SpEL.
 *
 * @param source as written in the annotation
 * @param expression the parsed template; it reads values and calls their methods, nothing else
 */
public record SpelTemplate(String source, Expression expression) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /**
     * Reads a template.
     *
     * @param label of it in messages
     * @throws IllegalArgumentException if it is not a template
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

    /** A template without holes. */
    static SpelTemplate literal(String text) {
        return new SpelTemplate(text, new LiteralExpression(text));
    }

    /** Whether it has holes. */
    boolean hasHoles() {
        return !(expression instanceof LiteralExpression);
    }

    /** Whether its value is a text whatever its holes come to. */
    public boolean isText() {
        return expression instanceof CompositeStringExpression;
    }

    /** Evaluates the holes with {@code values} by name. */
    public static EvaluationContext context(Map<String, @Nullable Object> values) {
        var context =
                SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
        values.forEach(context::setVariable);
        return context;
    }

    /** The text between the holes. */
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

    /** The names its holes use. */
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
            // #this and #root belong to the language itself
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
