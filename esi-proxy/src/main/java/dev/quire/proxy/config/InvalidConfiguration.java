package dev.quire.proxy.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be run, with every problem it has. */
public final class InvalidConfiguration extends Exception {
    private final transient List<Problem> problems;

    InvalidConfiguration(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** In the order of the file, those of the command line first; at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
