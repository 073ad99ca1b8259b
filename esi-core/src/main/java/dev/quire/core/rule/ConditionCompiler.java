package dev.quire.core.rule;

/** Compiles the conditions that are expressions. */
@FunctionalInterface
public interface ConditionCompiler {
    /**
     * Compiles one expression.
     *
     * @param phase decides which values it can read
     * @throws TemplateParser.SyntaxError at a position in {@code expression}
     */
    Condition compile(String expression, Phase phase) throws TemplateParser.SyntaxError;
}
