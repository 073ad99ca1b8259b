package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the values of clients that rules read, also through variables and fields of the request
 * that earlier rules have changed. Follows the rules in their order; confined to one thread.
 */
final class RuleReading {

    /**
     * The values of clients on which the changes of fields by a rule depend.
     *
     * @param applies those that decide whether it applies
     * @param written those on which the fields depend that it writes, by name
     */
    private record Edits(
            RequestRule rule, ClientInputs applies, Map<String, ClientInputs> written) {

        static Edits of(RequestRule rule, RuleReading reading) {
            return new Edits(rule, reading.of(rule.condition()), rule.writing(reading));
        }

        boolean isEmpty() {
            return applies.isEmpty() && written.values().stream().allMatch(ClientInputs::isEmpty);
        }

        ClientInputs deciding(String name) {
            var writing = written.getOrDefault(name, ClientInputs.NONE);
            return rule.removes(name) ? writing.plus(applies) : writing;
        }
    }

    private final Map<String, ClientInputs> variables = new HashMap<>();
    private final List<Edits> edits = new ArrayList<>();

    /** The values that decide whether an earlier rule was the last one. */
    private ClientInputs reaching = ClientInputs.NONE;

    /** Variables whose values depend on the URL. */
    private final Set<String> ofUrl = new HashSet<>();

    private boolean isReachedByUrl;

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

    /** Whether the URL decides, too, whether a rule with {@code condition} applies. */
    boolean dependsOnUrl(Condition condition) {
        return isReachedByUrl || readsUrl(condition.inputs(), condition.variables());
    }

    private boolean readsUrl(Set<Input> inputs, Set<String> names) {
        return inputs.stream().anyMatch(Input::isOfUrl) || names.stream().anyMatch(ofUrl::contains);
    }

    private ClientInputs with(ClientInputs direct, Set<String> names) {
        var all = direct;
        for (var name : names) {
            all = all.plus(variables.getOrDefault(name, ClientInputs.NONE));
        }
        for (var name : direct.fields()) {
            all = all.plus(deciding(name));
        }
        return all;
    }

    /**
     * The values that decide how the rules so far change the request field {@code name}, in lower
     * case.
     */
    ClientInputs deciding(String name) {
        var all = ClientInputs.NONE;
        for (var each : edits) {
            all = all.plus(each.deciding(name));
        }
        return all;
    }

    /** Whether the rules so far change fields depending on values of clients. */
    boolean isEditing() {
        return !edits.isEmpty();
    }

    /** Notes the variables that {@code rule} assigns, for its other templates and later rules. */
    void assigned(RequestRule rule) {
        rule.variables()
                .forEach((name, value) -> {
                    variables.merge(
                            name, of(rule.condition()).plus(of(Set.of(value))), ClientInputs::plus);
                    if (dependsOnUrl(rule.condition())
                            || readsUrl(value.inputs(), value.variables())) {
                        ofUrl.add(name);
                    }
                });
    }

    /**
     * Notes the values that decide which fields the rules after {@code rule} read, and whether they
     * apply.
     */
    void passed(RequestRule rule) {
        if (!rule.fields().isEmpty() || rule.cookies() != null) {
            var changes = Edits.of(rule, this);
            if (!changes.isEmpty()) {
                edits.add(changes);
            }
        }
        if (rule.isLast()) {
            reaching = of(rule.condition());
            isReachedByUrl |= dependsOnUrl(rule.condition());
        }
    }
}
