package dev.quire.core.rule;

import java.util.List;

/**
 * The limits that count a request only if it starts or joins a fetch: once, however often it looks
 * again. Confined to one thread.
 */
public final class MissChecks {
    static final MissChecks NONE = new MissChecks(List.of());

    private final List<Ending.Check> checks;
    private boolean isTaken;

    MissChecks(List<Ending.Check> checks) {
        this.checks = List.copyOf(checks);
    }

    /** Returns the checks to be made now: none after the first call. */
    public List<Ending.Check> take() {
        if (checks.isEmpty() || isTaken) {
            return List.of();
        }
        isTaken = true;
        return checks;
    }
}
