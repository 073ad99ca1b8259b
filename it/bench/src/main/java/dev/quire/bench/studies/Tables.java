package dev.quire.bench.studies;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Series;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Tables in Markdown, and pictures, of the rounds of a study. */
final class Tables {

    private Tables() {}

    /**
     * A row for each arm and a column for each case. A cell has requests per second, the ratio to
     * {@code base}, and CPU time per request; † if the load generator had no time left in a round,
     * and ‡ if other processes disturbed one.
     */
    static String rates(List<Case> cases, String base) {
        var text = new StringBuilder("|");
        cases.forEach(one -> text.append(" | ").append(one.title()));
        text.append(" |\n| ---").append(" | --:".repeat(cases.size())).append(" |\n");
        for (var arm : arms(cases)) {
            text.append("| ").append(arm);
            for (var one : cases) {
                text.append(" | ").append(cell(one, arm, base));
            }
            text.append(" |\n");
        }
        return text.toString();
    }

    /** A row for each arm and a column for each case, with the median latency. */
    static String medians(List<Case> cases) {
        return sound(cases, series -> millis(series.p50Millis()) + " ms");
    }

    /**
     * A row for each arm and a column for each case, with the requests at the origin for 1,000
     * requests, and the 99th percentile of the latency.
     */
    static String origin(List<Case> cases) {
        return sound(
                cases,
                series ->
                        "%s · %s ms"
                                .formatted(
                                        number(
                                                series.rounds()
                                                        .getFirst()
                                                        .originRequestsPerThousand()),
                                        number(series.p99Millis())));
    }

    /** ab counts whole milliseconds. */
    private static String millis(double value) {
        return value == 0 ? "< 1" : number(value);
    }

    private static String sound(List<Case> cases, Function<Series, String> figure) {
        var text = new StringBuilder("|");
        cases.forEach(one -> text.append(" | ").append(one.title()));
        text.append(" |\n| ---").append(" | --:".repeat(cases.size())).append(" |\n");
        for (var arm : arms(cases)) {
            text.append("| ").append(arm);
            for (var one : cases) {
                text.append(" | ")
                        .append(one.of(arm).filter(Series::isSound).map(figure).orElse(""));
            }
            text.append(" |\n");
        }
        return text.toString();
    }

    private static Set<String> arms(List<Case> cases) {
        var arms = new LinkedHashSet<String>();
        cases.forEach(one -> one.series().forEach(series -> arms.add(series.target())));
        return arms;
    }

    private static String cell(Case one, String arm, String base) {
        return one.of(arm)
                .filter(Series::isSound)
                .map(series ->
                        "%s%s%s · %s"
                                .formatted(
                                        rate(series),
                                        marks(series),
                                        ratio(one, series, base).map(r -> " · " + r).orElse(""),
                                        micros(series.cpuMicrosPerRequest())))
                .orElse(one.of(arm).map(Tables::unsound).orElse(""));
    }

    /** The rate of a server that has failed requests, which says little. */
    private static String unsound(Series series) {
        long errors = series.rounds().stream().mapToLong(round -> round.outcome().errors()).sum();
        return errors == 0 ? "**invalid**" : "%s · **%,d errors**".formatted(rate(series), errors);
    }

    private static String rate(Series series) {
        return number(series.requestsPerSecond());
    }

    private static String marks(Series series) {
        return (series.isLoadFull() ? " †" : "") + (series.disturbed() > 0 ? " ‡" : "");
    }

    /** CPU time per request; empty for NaN. */
    static String micros(double value) {
        return Double.isNaN(value) ? "" : number(value) + " µs";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%,.1f" : "%,.0f", value);
    }

    private static Optional<String> ratio(Case one, Series series, String base) {
        return one.of(base)
                .filter(Series::isSound)
                .map(series::ratioTo)
                .map(ratio -> String.format(Locale.ROOT, ratio < 10 ? "%.2f ×" : "%,.0f ×", ratio));
    }

    /** Returns the median of the ratios per round of two arms; NaN if one has no valid rounds. */
    static double ratio(Case one, String arm, String base) {
        var series = one.of(arm).filter(Series::isSound);
        var other = one.of(base).filter(Series::isSound);
        return series.isPresent() && other.isPresent()
                ? series.get().ratioTo(other.get())
                : Double.NaN;
    }

    /** A row for each claim. */
    static String claims(List<Claim> claims) {
        var text = new StringBuilder("| must hold | found | |\n| --- | --: | --- |\n");
        for (var claim : claims) {
            text.append(
                    "| %s | %s | %s |%n"
                            .formatted(
                                    claim.text(),
                                    claim.figure(),
                                    switch (claim.verdict()) {
                                        case HOLDS -> "holds";
                                        case MISSED -> "**missed**";
                                        case REPORTED -> "";
                                    }));
        }
        return text.toString();
    }

    /**
     * A group of bars for a case, in the order of its arms.
     *
     * @param looks classes by arm
     */
    static BarChart.Group group(Case one, String base, Map<String, String> looks) {
        return new BarChart.Group(
                "%s, requests per second".formatted(one.title()),
                one.series().stream()
                        .filter(Series::isSound)
                        .map(series ->
                                new BarChart.Bar(
                                        series.target(),
                                        series.requestsPerSecond(),
                                        rate(series)
                                                + (series.target().equals(base)
                                                        ? ""
                                                        : ratio(one, series, base)
                                                                .map(r -> " · " + r + " " + base)
                                                                .orElse("")),
                                        looks.getOrDefault(series.target(), "bound")))
                        .toList());
    }
}
