package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jsoup.nodes.Element;
import org.jsoup.select.QueryParser;
import org.jsoup.select.Selector;

/**
 * The elements and fields in which answers may differ. Immutable, except for the record of which
 * rules matched.
 */
final class Ignored {
    private final List<Rule> rules;
    private final Set<Rule> met = new LinkedHashSet<>();

    /**
     * @param path the path it applies to; empty for all
     */
    private record Rule(String path, String selector) {
        boolean isFor(String target) {
            return path.isEmpty()
                    || path.equals(target)
                    || (target.startsWith(path) && target.startsWith("?", path.length()));
        }

        @Override
        public String toString() {
            var where = path.isEmpty() ? "" : "\"" + path + "\", ";
            return "ignoring(%s\"%s\")".formatted(where, selector);
        }
    }

    private Ignored(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    static Ignored nothing() {
        return new Ignored(List.of());
    }

    /**
     * These rules and {@code selector}.
     *
     * @throws IllegalArgumentException if it is not a selector
     */
    Ignored and(String path, String selector) {
        try {
            QueryParser.parse(selector);
        } catch (Selector.SelectorParseException | IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "ignoring(\"%s\"): no selector: %s (expected for example .made-at)"
                            .formatted(selector, wrong.getMessage()),
                    wrong);
        }
        var more = new ArrayList<>(rules);
        more.add(new Rule(path, selector));
        return new Ignored(more);
    }

    /** The same rules for a new check, with none matched yet. */
    Ignored fresh() {
        return new Ignored(rules);
    }

    /** Empties the ignored elements of {@code tree}, the document of {@code target}. */
    void strike(String target, Element tree) {
        for (var rule : rules) {
            if (rule.isFor(target)) {
                for (var element : tree.select(rule.selector())) {
                    met.add(rule);
                    element.empty();
                    element.clearAttributes();
                }
            }
        }
    }

    /** Whether {@code place}, a field written as in a finding, is ignored for {@code target}. */
    boolean covers(String target, String place) {
        var covering =
                rules.stream()
                        .filter(rule ->
                                rule.isFor(target) && rule.selector().equalsIgnoreCase(place))
                        .toList();
        met.addAll(covering);
        return !covering.isEmpty();
    }

    /** The rules that matched nothing, as written in the test. */
    List<String> unmet() {
        return rules.stream().filter(rule -> !met.contains(rule)).map(Rule::toString).toList();
    }
}
