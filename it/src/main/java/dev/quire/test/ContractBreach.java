package dev.quire.test;

import java.util.Optional;

/**
 * A rule that a fragment does not keep to.
 *
 * @param target path and query; the name of its handler if nobody knows how to ask for it
 * @param handler that answers; empty where it is not known
 * @param seen what it does instead
 */
public record ContractBreach(
        String target, Optional<FragmentHandler> handler, ContractRule rule, String seen) {

    /** One paragraph: what is broken, what was seen, and what to do. */
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
