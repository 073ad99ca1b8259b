package dev.quire.proxy.cli;

import dev.quire.proxy.config.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a valid configuration cannot be run on this machine at present. */
public final class CannotStart extends Exception {
    private final transient List<Problem> problems;
    private final boolean isTemporary;

    public CannotStart(List<Problem> problems) {
        this(problems, false);
    }

    private CannotStart(List<Problem> problems, boolean isTemporary) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
        this.isTemporary = isTemporary;
    }

    /** Returns a problem that ends by itself within a minute, or with the process. */
    public static CannotStart atPresent(Problem problem) {
        return new CannotStart(List.of(problem), true);
    }

    /** Whether the problem ends by itself. */
    public boolean isTemporary() {
        return isTemporary;
    }

    /** At least one. */
    public List<Problem> problems() {
        return problems;
    }
}
