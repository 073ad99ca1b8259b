package dev.quire.spring;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
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
 * A tag to purge by, with holes for a handler's arguments.
 *
 * @param source as written in the annotation
 * @param expression the parsed template; it reads arguments and calls their methods, nothing else
 */
public record TagTemplate(String source, Expression expression) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /**
     * Reads a template.
     *
     * @param arguments the names a template may use
     * @throws IllegalArgumentException if it is no template, uses another name, or could never be a
     *     tag
     */
    static TagTemplate parse(String source, Set<String> arguments) {
        Expression expression;
        try {
            expression = PARSER.parseExpression(source, new TemplateParserContext());
        } catch (ParseException malformed) {
            throw new IllegalArgumentException(
                    "tag '%s' is no SpEL template: %s"
                            .formatted(source, malformed.getSimpleMessage()),
                    malformed);
        }
        if (source.isEmpty() || literals(expression).chars().anyMatch(TagTemplate::isForbidden)) {
            throw new IllegalArgumentException(
                    "tag '%s' is empty or has a blank, comma or control character in it"
                            .formatted(source));
        }
        for (var name : variables(expression)) {
            if (!arguments.contains(name)) {
                throw new IllegalArgumentException(
                        "tag '%s' uses #%s, but the handler's arguments are %s%s"
                                .formatted(
                                        source,
                                        name,
                                        arguments,
                                        arguments.isEmpty()
                                                ? " (their names need the compiler's -parameters)"
                                                : ""));
            }
        }
        return new TagTemplate(source, expression);
    }

    /**
     * A tag as it is.
     *
     * @param tag one that {@link #isTag}
     */
    static TagTemplate literal(String tag) {
        return new TagTemplate(tag, new LiteralExpression(tag));
    }

    /** Whether {@code text} can be a tag. */
    static boolean isTag(String text) {
        return !text.isEmpty() && text.chars().noneMatch(TagTemplate::isForbidden);
    }

    /** The tag for these arguments, or null when they make none. */
    @Nullable String tag(Map<String, @Nullable Object> arguments) {
        if (expression instanceof LiteralExpression) {
            return source;
        }
        var names = SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
        arguments.forEach(names::setVariable);
        String tag;
        try {
            tag = expression.getValue(names, String.class);
        } catch (EvaluationException failed) {
            return null;
        }
        return tag == null || !isTag(tag) ? null : tag;
    }

    /** Whether the tag depends on arguments. */
    boolean hasHoles() {
        return !(expression instanceof LiteralExpression);
    }

    /**
     * Blanks and commas part tags from one another; a field takes no control or wide characters.
     */
    private static boolean isForbidden(int character) {
        return character <= ' ' || character == ',' || character >= 0x7f;
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

    private static Set<String> variables(Expression expression) {
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
