package dev.quire.proxy.check;

import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results of the tests of a file.
 *
 * @param tests how many there are
 * @param differences the first one of each test that fails, in the order of the file
 */
public record RuleTests(int tests, List<Problem> differences) {

    public RuleTests {
        differences = List.copyOf(differences);
    }

    /** Runs the tests of {@code file} at {@code now}. */
    public static RuleTests of(CheckedFile file, Instant now) {
        var router = TestRun.router(file.configuration());
        var differences = new ArrayList<Problem>();
        for (var test : file.tests()) {
            var outcome = TestRun.of(file.configuration(), router, test, now);
            test.expected().stream()
                    .filter(expectation -> !outcome.is(expectation))
                    .findFirst()
                    .map(expectation ->
                            new Problem(
                                    Optional.of(expectation.place()),
                                    expectation.key(),
                                    outcome.shown(expectation),
                                    expectation
                                            .text()
                                            .map(text -> "'" + text + "'")
                                            .orElse("none")))
                    .ifPresent(differences::add);
        }
        return new RuleTests(file.tests().size(), differences);
    }

    /** Says how many tests there are, and how many pass. */
    public String summary() {
        return (tests == 1 ? "1 test" : tests + " tests")
                + ", "
                + (tests - differences.size())
                + " passed"
                + (differences.isEmpty() ? "" : ", " + differences.size() + " failed");
    }
}
