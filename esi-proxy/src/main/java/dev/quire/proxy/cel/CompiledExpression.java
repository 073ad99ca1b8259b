package dev.quire.proxy.cel;

import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.RuleError;
import dev.quire.core.rule.RuleValues;
import java.util.Optional;
import java.util.Set;

/**
 * A compiled expression.
 *
 * @param inputs the values that it reads
 * @param variables the names of the variables that it reads
 * @param headers the names, in lower case, of the request fields that it reads
 */
record CompiledExpression(
        CelRuntime.Program program, Set<Input> inputs, Set<String> variables, Set<String> headers)
        implements Condition {

    /**
     * Returns the result for {@code values}.
     *
     * @throws RuleError if there is no result
     */
    Object result(RuleValues values) {
        try {
            return program.eval(name -> {
                var value = ExpressionValue.named(name);
                return value == null ? Optional.empty() : Optional.of(value.read(values));
            });
        } catch (CelEvaluationException e) {
            throw LibraryErrors.ruleError(e);
        }
    }

    @Override
    public boolean holds(RuleValues values) {
        return (Boolean) result(values);
    }
}
