package dev.quire.proxy.config;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a configuration is invalid; contains all its problems. */
public final class InvalidConfiguration extends Exception {
    private final transient List<Problem> problems;

    InvalidConfiguration(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** At least one problem: those of the command line first, then in file order. */
    public List<Problem> problems() {
        return problems;
    }
}
