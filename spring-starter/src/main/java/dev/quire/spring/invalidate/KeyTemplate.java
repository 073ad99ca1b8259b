package dev.quire.spring.invalidate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
 * A tag or URL to invalidate, with holes for a method's arguments and result. Unlike the tag of a
 * response it may name nothing, or several.
 *
 * @param source as written in the annotation
 * @param expression the parsed template; it reads values and calls their methods, nothing else
 */
record KeyTemplate(String source, Expression expression) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /**
     * Reads a template.
     *
     * @param names what it may use
     * @throws IllegalArgumentException if it is no template, uses another name, or has blanks or
     *     control characters in its fixed parts
     */
    static KeyTemplate parse(String source, Set<String> names) {
        Expression expression;
        try {
            expression = PARSER.parseExpression(source, new TemplateParserContext());
        } catch (ParseException malformed) {
            throw new IllegalArgumentException(
                    "'%s' is no SpEL template: %s".formatted(source, malformed.getSimpleMessage()),
                    malformed);
        }
        if (source.isEmpty() || literals(expression).chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException(
                    "'%s' is empty or has a blank, control or non-ASCII character in it"
                            .formatted(source));
        }
        for (var name : variables(expression)) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "'%s' uses #%s (expected one of %s; names of arguments need the compiler's -parameters)"
                                .formatted(source, name, names));
            }
        }
        return new KeyTemplate(source, expression);
    }

    /**
     * The keys for these values; none where the template says null or nothing.
     *
     * @throws RuntimeException if it cannot be evaluated: what it calls may throw anything
     */
    List<String> keys(Map<String, @Nullable Object> values) {
        var names = SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
        values.forEach(names::setVariable);
        var value =
                expression instanceof CompositeStringExpression
                        ? expression.getValue(names, String.class)
                        : expression.getValue(names);
        var keys = new ArrayList<String>(1);
        add(value, keys);
        return keys;
    }

    /** Whether it depends on what the method returns. */
    boolean needsResult() {
        return variables(expression).contains(InvalidationRule.RESULT);
    }

    private static void add(@Nullable Object value, List<String> keys) {
        switch (value) {
            case null -> {}
            case Iterable<?> several -> several.forEach(one -> add(one, keys));
            case Object[] several -> {
                for (var one : several) {
                    add(one, keys);
                }
            }
            default -> {
                var key = value.toString();
                if (!key.isEmpty()) {
                    keys.add(key);
                }
            }
        }
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
