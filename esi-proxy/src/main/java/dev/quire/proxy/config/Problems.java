package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;

/** Collects problems, so that all are reported at once. */
final class Problems {
    private final List<Problem> found = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();

    /** The file that is read first. */
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
        return new Problem(Optional.of(place(at)), key, what, expected);
    }

    /** The position in the file that the mark names; the first file's start if it is absent. */
    Problem.Place place(Optional<Mark> at) {
        return at.map(mark ->
                        new Problem.Place(mark.getName(), mark.getLine() + 1, mark.getColumn() + 1))
                .orElseGet(() -> new Problem.Place(file, 1, 1));
    }

    boolean has(String key) {
        return found.stream().anyMatch(problem -> problem.key().equals(key));
    }

    List<Problem> warnings() {
        return warnings;
    }

    void throwIfAny() throws InvalidConfiguration {
        if (!found.isEmpty()) {
            throw asException();
        }
    }

    /** Ignores problems of other keys. */
    void throwIfAnyOf(List<String> keys) throws InvalidConfiguration {
        found.removeIf(problem -> !keys.contains(problem.key()));
        throwIfAny();
    }

    /** The problems found; at least one is required. */
    InvalidConfiguration asException() {
        return new InvalidConfiguration(found.stream().sorted(byPlace()).toList());
    }

    /** The command line, then the first file, then the others by name. */
    private Comparator<Problem> byPlace() {
        return Comparator.comparing(
                (Problem problem) -> problem.place().orElse(null),
                Comparator.nullsFirst(
                        Comparator.comparing((Problem.Place place) -> !place.file().equals(file))
                                .thenComparing(Problem.Place::file)
                                .thenComparingInt(Problem.Place::line)
                                .thenComparingInt(Problem.Place::column)));
    }
}
