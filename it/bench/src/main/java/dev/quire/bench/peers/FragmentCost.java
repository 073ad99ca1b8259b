package dev.quire.bench.peers;

import dev.quire.bench.peers.Results.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cost of a fragment: CPU time of pages by number of fragments, and a line fitted through it.
 */
final class FragmentCost {
    private static final String MADE =
            """
            CPU is user and system time of all processes of a target, per request of a round;
            each figure is the median of the rounds. The line is a least-squares fit. A page has
            16 KiB of text, and each fragment adds 1 KiB. The slope includes the kernel's time
            to write those bytes, which is all that the bare server does.
            """;

    private final Results results;
    private final Report names;

    /**
     * @param results whose cases are named by their number of fragments
     */
    FragmentCost(Results results) {
        this.results = results;
        this.names = new Report(results);
    }

    private record Cost(String target, List<Line.Point> points, Line line) {}

    private List<Cost> costs() {
        var costs = new ArrayList<Cost>();
        for (var target : results.targets()) {
            var points = new ArrayList<Line.Point>();
            for (var one : results.cases()) {
                one.of(target.name())
                        .filter(Series::isSound)
                        .map(series ->
                                new Line.Point(
                                        Double.parseDouble(one.name()),
                                        series.cpuMicrosPerRequest()))
                        .ifPresent(points::add);
            }
            if (points.size() > 1) {
                costs.add(new Cost(target.name(), points, Line.through(points)));
            }
        }
        return costs;
    }

    String markdown() {
        var text = new StringBuilder("# Cost of a fragment\n\n").append(names.preamble());
        text.append("\n| CPU µs/request |");
        results.cases().forEach(one -> text.append(' ').append(one.name()).append(" |"));
        text.append(" ns/fragment | µs without fragments | R² |\n| --- |");
        text.append(" --: |".repeat(results.cases().size() + 3)).append('\n');
        for (var cost : costs()) {
            text.append("| ").append(names.title(cost.target())).append(" |");
            for (var one : results.cases()) {
                text.append(
                        one.of(cost.target())
                                .filter(Series::isSound)
                                .map(series -> " %.1f |".formatted(series.cpuMicrosPerRequest()))
                                .orElse(" |"));
            }
            text.append(
                    " %,.0f | %.1f | %.3f |%n"
                            .formatted(
                                    cost.line().slope() * 1e3,
                                    cost.line().atZero(),
                                    cost.line().fit()));
        }
        for (var one : results.cases()) {
            for (var series : one.series()) {
                series.problem()
                        .ifPresent(problem ->
                                text.append(
                                        "\n%s, %s fragments: **%s**%n"
                                                .formatted(
                                                        names.title(series.target()),
                                                        one.name(),
                                                        problem)));
            }
        }
        return text.append('\n').append(MADE).toString();
    }

    String svg() {
        return new LineChart(
                        "CPU time of a page by number of fragments",
                        List.of(
                                names.machineLine(),
                                "16 KiB of text and cached fragments of 1 KiB each; the cost of"
                                        + " writing these bytes is included"),
                        "fragments",
                        "CPU µs/request",
                        costs().stream()
                                .map(cost ->
                                        new LineChart.Series(
                                                String.format(
                                                        Locale.ROOT,
                                                        "%s: %,.0f ns/fragment",
                                                        names.title(cost.target()),
                                                        cost.line().slope() * 1e3),
                                                cost.points(),
                                                cost.line(),
                                                names.look(cost.target())))
                                .toList())
                .svg();
    }
}
