package dev.quire.core.rule;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Determines which changes of requests a cache key does not show. The key is the URL after all
 * rules and the values that rules add. A change that depends on the URL before the rules, or on
 * whether a request is of a client or for a fragment, becomes a part of the key by itself. One that
 * depends on other values of the request is unkeyed unless the rule adds them.
 */
final class KeyAnalysis {

    /**
     * The values on which something depends.
     *
     * @param isOfRequest whether the URL does not determine one of them
     * @param isOfOriginal whether only the URL before the rules, or the kind of the request,
     *     determines one of them
     */
    private record Reads(boolean isOfRequest, boolean isOfOriginal) {
        static final Reads NONE = new Reads(false, false);

        Reads and(Reads other) {
            return new Reads(isOfRequest || other.isOfRequest, isOfOriginal || other.isOfOriginal);
        }
    }

    private final List<RequestRule> rules;
    private final Set<String> keyedVariables;
    private final List<Set<Input>> changing;
    private final RuleReading clients;
    private final Map<String, Reads> variables = new HashMap<>();

    /** The values on which it depends whether an earlier rule ended the phase with {@code last}. */
    private Reads reaching = Reads.NONE;

    private KeyAnalysis(List<RequestRule> rules, Set<String> keyedVariables, RuleReading clients) {
        this.rules = rules;
        this.keyedVariables = keyedVariables;
        this.changing = changing(rules);
        this.clients = clients;
    }

    /**
     * @param keyedVariables variables that are part of every key
     * @param clients empty; follows all of {@code rules}
     */
    static List<PreparedRule> of(
            List<RequestRule> rules, Set<String> keyedVariables, RuleReading clients) {
        var analysis = new KeyAnalysis(rules, keyedVariables, clients);
        var prepared = new ArrayList<PreparedRule>(rules.size());
        for (int i = 0; i < rules.size(); i++) {
            prepared.add(analysis.prepared(i));
            clients.passed(rules.get(i));
        }
        return List.copyOf(prepared);
    }

    private PreparedRule prepared(int index) {
        var rule = rules.get(index);
        var changed = changing.get(index);
        var condition = rule.condition();
        var applying =
                reaching.and(reads(condition.inputs(), condition.variables(), changed))
                        .and(new Reads(false, rule.audience() != Audience.BOTH));
        for (var template : rule.templates()) {
            if (template.mayFail()) {
                applying = applying.and(reads(template, changed));
            }
        }
        assign(rule, applying, changed);
        clients.assigned(rule);
        if (rule.isLast()) {
            reaching = reaching.and(applying);
        }
        return rule.isUnkeyed() ? PreparedRule.keyed(rule) : analysed(rule, applying, changed);
    }

    private PreparedRule analysed(RequestRule rule, Reads applying, Set<Input> changed) {
        var added = new ArrayList<TextTemplate>();
        for (var line : rule.fields().written()) {
            var reads = reads(line.value(), changed);
            if (reads.isOfOriginal()
                    && !reads.isOfRequest()
                    && !rule.key().contains(line.value())) {
                added.add(line.value());
            }
        }
        boolean isMarked =
                rule.key().isEmpty()
                        && added.isEmpty()
                        && rule.changesMoreThanTheUrl()
                        && applying.isOfOriginal();
        // A part shows that the rule applied, whatever that depends on.
        boolean isUnkeyed =
                rule.key().isEmpty() && added.isEmpty() && !isMarked && applying.isOfRequest();
        var unkeyed = new HashSet<String>();
        for (var line : rule.fields().written()) {
            if (isUnkeyed
                    || (reads(line.value(), changed).isOfRequest()
                            && !rule.key().contains(line.value()))) {
                unkeyed.add(line.name().toLowerCase(Locale.ROOT));
            }
        }
        return new PreparedRule(
                rule,
                Set.copyOf(unkeyed),
                isUnkeyed && rule.removesFields(),
                isUnkeyed && rule.origin() != null,
                isMarked,
                List.copyOf(added),
                rule.selecting(clients, keyedVariables, unkeyed, isMarked || !added.isEmpty()),
                rule.isLast() ? clients.of(rule.condition()) : ClientInputs.NONE,
                rule.condition().ofUrl());
    }

    /** The parts of the URL that the rule at each index or a later one changes. */
    private static List<Set<Input>> changing(List<RequestRule> rules) {
        var changing = new ArrayList<Set<Input>>(rules.size());
        var changed = EnumSet.noneOf(Input.class);
        for (var rule : rules.reversed()) {
            if (rule.path() != null) {
                changed.add(Input.PATH);
            }
            if (rule.query() != null) {
                changed.add(Input.QUERY);
            }
            if (rule.host() != null) {
                changed.add(Input.HOST);
            }
            changing.add(EnumSet.copyOf(changed));
        }
        return changing.reversed();
    }

    /** Notes the values on which the variables that {@code rule} assigns depend. */
    private void assign(RequestRule rule, Reads applying, Set<Input> changed) {
        rule.variables()
                .forEach((name, value) ->
                        variables.merge(name, reads(value, changed).and(applying), Reads::and));
    }

    private Reads reads(TextTemplate template, Set<Input> changed) {
        return reads(template.inputs(), template.variables(), changed);
    }

    private Reads reads(Set<Input> inputs, Set<String> names, Set<Input> changed) {
        var reads =
                new Reads(
                        inputs.stream().anyMatch(Input::isOfRequest),
                        inputs.stream().anyMatch(changed::contains));
        for (var name : names) {
            reads = reads.and(variables.getOrDefault(name, Reads.NONE));
        }
        return reads;
    }
}
