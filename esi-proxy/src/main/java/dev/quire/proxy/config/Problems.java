package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;

/** Collects problems, so that all are reported at once. */
final class Problems {
    private static final Comparator<Problem> BY_PLACE =
            Comparator.comparingInt(
                            (Problem problem) -> problem.place().map(p -> p.line()).orElse(0))
                    .thenComparingInt(problem -> problem.place().map(p -> p.column()).orElse(0));

    private final List<Problem> found = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();
    private final String file;

    Problems(String file) {
        this.file = file;
    }

    void onCommandLine(String option, String what, String expected) {
        found.add(new Problem(Optional.empty(), option, what, expected));
    }

    void inFile(Optional<Mark> at, String key, String what, String expected) {
        found.add(problem(at, key, what, expected));
    }

    /** Adds a problem that does not make the configuration invalid. */
    void warn(Optional<Mark> at, String key, String what, String expected) {
        warnings.add(problem(at, key, what, expected));
    }

    private Problem problem(Optional<Mark> at, String key, String what, String expected) {
        int line = at.map(Mark::getLine).orElse(0) + 1;
        int column = at.map(Mark::getColumn).orElse(0) + 1;
        return new Problem(Optional.of(new Problem.Place(file, line, column)), key, what, expected);
    }

    List<Problem> warnings() {
        return warnings;
    }

    void throwIfAny() throws InvalidConfiguration {
        if (!found.isEmpty()) {
            throw asException();
        }
    }

    /** The problems found; at least one is required. */
    InvalidConfiguration asException() {
        return new InvalidConfiguration(found.stream().sorted(BY_PLACE).toList());
    }
}
