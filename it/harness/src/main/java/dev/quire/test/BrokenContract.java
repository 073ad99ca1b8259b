package dev.quire.test;

import java.util.List;
import java.util.stream.Collectors;

/** The failure of {@link FragmentContract}; its message lists every breach. */
final class BrokenContract extends AssertionError {
    private static final long serialVersionUID = 1;

    private final transient List<ContractBreach> breaches;

    BrokenContract(int asked, List<ContractBreach> breaches) {
        super(
                "%d %s of the fragment contract in %d %s:%n%n%s"
                        .formatted(
                                breaches.size(),
                                breaches.size() == 1 ? "breach" : "breaches",
                                asked,
                                asked == 1 ? "fragment or page" : "fragments and pages",
                                breaches.stream()
                                        .map(ContractBreach::text)
                                        .collect(Collectors.joining("\n\n")))
                        .replace("\r\n", "\n"));
        this.breaches = List.copyOf(breaches);
    }

    /** The breaches, by target in request order, then by rule. */
    public List<ContractBreach> breaches() {
        return breaches;
    }
}
