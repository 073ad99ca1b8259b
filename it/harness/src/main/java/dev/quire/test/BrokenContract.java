package dev.quire.test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The failure of {@link FragmentContract}; its message lists every breach. */
final class BrokenContract extends AssertionError {
    private static final long serialVersionUID = 1;

    private final transient List<Breach> breaches;

    BrokenContract(int asked, List<Breach> breaches) {
        super(
                "%d %s of the fragment contract in %d %s:%n%n%s"
                        .formatted(
                                breaches.size(),
                                breaches.size() == 1 ? "breach" : "breaches",
                                asked,
                                asked == 1 ? "fragment or page" : "fragments and pages",
                                breaches.stream()
                                        .map(Breach::text)
                                        .collect(Collectors.joining("\n\n")))
                        .replace("\r\n", "\n"));
        this.breaches = List.copyOf(breaches);
    }

    /** The breaches, by target in request order, then by rule. */
    List<Breach> breaches() {
        return breaches;
    }

    /**
     * A fragment that breaks a rule.
     *
     * @param target path and query, or the name of the handler if it has no example
     * @param handler the handler that answers; empty if unknown
     * @param seen the behaviour that breaks the rule
     */
    record Breach(
            String target, Optional<FragmentHandler> handler, ContractRule rule, String seen) {
        /** One paragraph: the rule, the observed behaviour, and the remedy. */
        String text() {
            return "broken[%s]: %s %s%s%n   saw %s%n   fix: %s"
                    .formatted(
                            rule,
                            target,
                            rule.broken(),
                            handler.map(known ->
                                            "%n   --> %s (%s)"
                                                    .formatted(known.name(), known.handler()))
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
}
