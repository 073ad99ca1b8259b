package dev.quire.test.cases;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The outcome of a case in its runs.
 *
 * @param runs all runs
 * @param failures the differences; empty if it passed
 */
record Outcome(Case one, List<Run> runs, List<Failure> failures) {

    /**
     * The same difference in one or several runs.
     *
     * @param runs with this difference
     * @param difference of one or several lines
     */
    record Failure(List<Run> runs, String difference) {}

    boolean isPassed() {
        return failures.isEmpty();
    }

    /** The report of a failed case. */
    String report() {
        var report = new StringBuilder("FAILED " + one.id());
        if (!one.feature().isEmpty()) {
            report.append(" (").append(one.feature()).append(')');
        }
        report.append(", line ").append(one.line()).append('\n');
        List<Run> shown = List.of();
        for (var failure : failures) {
            if (!failure.runs().equals(shown)) {
                shown = failure.runs();
                report.append("  ").append(named(shown)).append('\n');
            }
            report.append(failure.difference().indent(4));
        }
        return report.toString();
    }

    private String named(List<Run> some) {
        return some.equals(runs)
                ? "in every run"
                : some.stream().map(Run::toString).collect(Collectors.joining(", "));
    }
}
