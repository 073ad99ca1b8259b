package dev.quire.proxy.cli;

import dev.quire.proxy.config.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a valid configuration cannot be run on this machine at present. */
public final class CannotStart extends Exception {
    private final transient List<Problem> problems;

    public CannotStart(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** At least one. */
    public List<Problem> problems() {
        return problems;
    }
}
