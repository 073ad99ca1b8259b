package dev.quire.core.rule;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The rules of the response phase, in order. Applied once to each response of an origin. */
public final class ResponseRules {
    public static final ResponseRules NONE = new ResponseRules(List.of(), "");

    private final List<ResponseRule> rules;
    private final Set<String> variables;
    private final String source;
    private final boolean processesEsi;

    /**
     * @param source their text: rules with the same text are equal
     */
    public ResponseRules(List<ResponseRule> rules, String source) {
        this.source = source;
        this.rules = List.copyOf(rules);
        var read = new TreeSet<String>();
        for (var rule : rules) {
            read.addAll(rule.condition().variables());
            read.addAll(rule.fields().variables());
            rule.tags().forEach(tag -> read.addAll(tag.variables()));
        }
        this.variables = Set.copyOf(read);
        this.processesEsi = rules.stream().anyMatch(rule -> rule.processesEsi().orElse(false));
    }

    /** The names of the rules, in order. */
    public List<String> names() {
        return rules.stream().map(ResponseRule::name).toList();
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** Whether a rule may make a response an ESI document. */
    public boolean mayProcessEsi() {
        return processesEsi;
    }

    /** Their text: rules with the same text are equal. */
    public String source() {
        return source;
    }

    /** The rules, in order. */
    List<ResponseRule> rules() {
        return rules;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResponseRules that && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    /** The variables that they read, which therefore are part of the cache key. */
    public Set<String> variables() {
        return variables;
    }
}
