package dev.quire.proxy.config;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The changes of a section that a reload cannot make.
 *
 * @param section its name
 * @param problems receives one for each change
 */
record RestartChanges<T>(String section, T present, T next, List<Problem> problems) {

    /** Compares the texts of the values of {@code key}. */
    void add(String key, Function<T, String> text) {
        var before = text.apply(present);
        if (!before.equals(text.apply(next))) {
            report(key, before);
        }
    }

    /** Compares the values of {@code key}, which are not shown. */
    void addHidden(String key, Function<T, ?> value) {
        if (!value.apply(present).equals(value.apply(next))) {
            report(key, "the content in use");
        }
    }

    private void report(String key, String before) {
        problems.add(
                new Problem(
                        Optional.empty(),
                        section + "." + key,
                        "cannot be changed by a reload",
                        before + ", or a restart"));
    }
}
