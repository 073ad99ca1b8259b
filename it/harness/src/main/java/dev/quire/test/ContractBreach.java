package dev.quire.test;

import java.util.Optional;

/**
 * A fragment that breaks a rule.
 *
 * @param target path and query, or the name of the handler if it has no example
 * @param handler the handler that answers; empty if unknown
 * @param seen the behaviour that breaks the rule
 */
record ContractBreach(
        String target, Optional<FragmentHandler> handler, ContractRule rule, String seen) {

    /** One paragraph: the rule, the observed behaviour, and the remedy. */
    public String text() {
        return "broken[%s]: %s %s%s%n   saw %s%n   fix: %s"
                .formatted(
                        rule,
                        target,
                        rule.broken(),
                        handler.map(known ->
                                        "%n   --> %s (%s)".formatted(known.name(), known.handler()))
                                .orElse(""),
                        seen,
                        rule.remedy())
                .replace("\r\n", "\n");
    }

    @Override
    public String toString() {
        return text();
    }
}
