package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jsoup.nodes.Element;
import org.jsoup.select.QueryParser;
import org.jsoup.select.Selector;

/** The elements in which answers may differ. Never changes, but for which of them were met. */
final class Ignored {
    private final List<Rule> rules;
    private final Set<Rule> met = new LinkedHashSet<>();

    /**
     * @param path where it holds; empty for everywhere
     */
    private record Rule(String path, String selector) {
        boolean isFor(String target) {
            return path.isEmpty()
                    || path.equals(target)
                    || (target.startsWith(path) && target.startsWith("?", path.length()));
        }

        @Override
        public String toString() {
            return "ignoring("
                    + (path.isEmpty() ? "" : "\"" + path + "\", ")
                    + "\""
                    + selector
                    + "\")";
        }
    }

    private Ignored(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /** Nothing. */
    static Ignored nothing() {
        return new Ignored(List.of());
    }

    /**
     * The same and what {@code selector} selects.
     *
     * @throws IllegalArgumentException if it is no selector
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

    /** The same for a new check, in which none has been met. */
    Ignored fresh() {
        return new Ignored(rules);
    }

    /** Empties in {@code tree}, which belongs to {@code target}, what is ignored. */
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

    /** Those that selected nothing, as the test says them. */
    List<String> unmet() {
        return rules.stream().filter(rule -> !met.contains(rule)).map(Rule::toString).toList();
    }
}
