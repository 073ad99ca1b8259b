package dev.quire.proxy.cel;

import dev.quire.core.rule.Condition;
import dev.quire.core.rule.ConditionCompiler;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser;
import org.jspecify.annotations.Nullable;

/**
 * The expressions of one configuration. Loads the library when the first one is compiled: that
 * takes half a second, and most configurations have none. Thread-safe.
 */
public final class CelExpressions implements ConditionCompiler {
    // Guarded by this.
    private @Nullable ExpressionCompiler compiler;

    @Override
    public Condition compile(String expression, Phase phase) throws TemplateParser.SyntaxError {
        return compiler().condition(expression, phase);
    }

    /** Returns what compiles the expressions in templates of rules of {@code phase}. */
    public TemplateParser.Expressions templatesOf(Phase phase) {
        return (expression, isInUrl) -> compiler().part(expression, phase, isInUrl);
    }

    private synchronized ExpressionCompiler compiler() {
        if (compiler == null) {
            compiler = new ExpressionCompiler();
        }
        return compiler;
    }
}
