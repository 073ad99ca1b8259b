package dev.quire.test.cases;

import java.util.List;

/** A file of cases that cannot be run, with all its problems. */
final class InvalidCases extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    /** Problems as {@code line N: key: what is wrong (what was expected)}. */
    InvalidCases(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    List<String> problems() {
        return problems;
    }
}
