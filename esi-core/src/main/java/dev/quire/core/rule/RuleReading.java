package dev.quire.core.rule;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Finds the values of clients that rules read, also through variables. Follows the rules in their
 * order; confined to one thread.
 */
final class RuleReading {
    private final Map<String, ClientInputs> variables = new HashMap<>();

    /** The values that decide whether an earlier rule was the last one. */
    private ClientInputs reaching = ClientInputs.NONE;

    /** The values that decide whether a rule with {@code condition} applies. */
    ClientInputs of(Condition condition) {
        return reaching.plus(
                with(
                        ClientInputs.of(condition.inputs(), condition.headers()),
                        condition.variables()));
    }

    /** The values that decide the texts of {@code templates}. */
    ClientInputs of(Collection<TextTemplate> templates) {
        var all = ClientInputs.NONE;
        for (var template : templates) {
            all =
                    all.plus(
                            with(
                                    ClientInputs.of(template.inputs(), template.headers()),
                                    template.variables()));
        }
        return all;
    }

    private ClientInputs with(ClientInputs direct, Set<String> names) {
        var all = direct;
        for (var name : names) {
            all = all.plus(variables.getOrDefault(name, ClientInputs.NONE));
        }
        return all;
    }

    /** Notes the variables that {@code rule} assigns, for its other templates and later rules. */
    void assigned(RequestRule rule) {
        rule.variables()
                .forEach((name, value) ->
                        variables.merge(
                                name,
                                of(rule.condition()).plus(of(Set.of(value))),
                                ClientInputs::plus));
    }

    /** Notes the values that decide whether the rules after {@code rule} apply. */
    void passed(RequestRule rule) {
        if (rule.isLast()) {
            reaching = of(rule.condition());
        }
    }
}
