package dev.quire.bench.peers;

import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The report in Markdown, and as a picture. */
final class Report {
    private static final List<String> OURS = List.of("quire", "quire-disk", "quire-tiers");
    private static final String BOUND = "bare";
    private static final String FIRST_PEER = "varnish";
    private static final String ON_TMPFS = "nginx";
    private static final int PEER_LOOKS = 4;

    private static final String MADE =
            """
            ## How it was made

            All targets run at the same time and take turns round by round; each round starts with
            another target. Responses were compared byte by byte with the expected ones before the
            rounds and after them. A round is invalid if a request failed, if the mean size of the
            responses was wrong, or if the origin received too many or too few requests. A round is
            disturbed if processes that were not started by this run used more than 5 % of the
            machine. Ratios are medians of the ratios of each round to the same round of the base.
            CPU is user and system time of all processes of a target; peak is their resident memory
            without files on tmpfs. The load generator is full if it used more than 90 % of the time
            of its threads in any round: the target may then be faster than the figure. Load
            generator, origin and targets share the machine.
            The setup of each peer, with reasons, is in `it/bench/targets`.
            """;

    private final Results results;

    Report(Results results) {
        this.results = results;
    }

    String markdown() {
        var text = new StringBuilder("# Quire compared with its peers\n\n");
        text.append(preamble());
        for (var one : results.cases()) {
            text.append("\n## ").append(one.name()).append(": ").append(one.title());
            text.append("\n\n").append(table(one));
        }
        return text.append('\n').append(MADE).toString();
    }

    /** Returns the table of machine, command and versions. */
    String preamble() {
        var text = new StringBuilder();
        text.append("| | |\n| --- | --- |\n");
        row(text, "machine", results.machine().toString());
        row(text, "command", "`" + results.command() + "`");
        row(text, "date", results.date());
        row(text, "rounds", results.rounds() + " of " + results.seconds() + " s");
        for (var target : results.targets()) {
            row(text, target.title(), target.version());
        }
        for (var absent : results.absent()) {
            row(text, absent.title(), "not measured: " + absent.why());
        }
        return text.toString();
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append("| ").append(cell(name)).append(" | ").append(cell(value)).append(" |\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replaceAll("\\s+", " ");
    }

    private String table(Case one) {
        var base = base(one);
        var bound = one.of(BOUND).filter(Series::isSound);
        var baseTitle = base.map(series -> title(series.target())).orElse("?");
        var text =
                new StringBuilder(
                        "| %d clients | requests/s, median (range) | × %s | × bare | p50 ms | p99 ms | CPU ms/request | CPU × %s | peak MiB | origin/1,000 | load generator | disturbed |%n"
                                .formatted(one.connections(), baseTitle, baseTitle));
        text.append("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
        for (var series : sorted(one)) {
            text.append("| ").append(cell(title(series.target())));
            if (series.isSound()) {
                text.append(
                        " | %,.0f (%,.0f–%,.0f) | %s | %s | %s | %s | %.4f | %s | %,.0f | %,.1f | %.0f %%%s | %d of %d |%n"
                                .formatted(
                                        series.requestsPerSecond(),
                                        series.slowest(),
                                        series.fastest(),
                                        decimal(base.map(series::ratioTo)),
                                        decimal(bound.map(series::ratioTo)),
                                        decimal(Optional.of(series.p50Millis())),
                                        decimal(Optional.of(series.p99Millis())),
                                        series.cpuMicrosPerRequest() / 1e3,
                                        decimal(base.map(series::cpuRatioTo)),
                                        series.peakBytes() / (double) (1 << 20),
                                        series.originRequestsPerThousand(),
                                        series.loadShare() * 100,
                                        series.isLoadFull() ? ", full" : "",
                                        series.disturbed(),
                                        series.rounds().size()));
            } else {
                text.append(" | **")
                        .append(cell(series.problem().orElse("no rounds")))
                        .append("** | | | | | | | | | | |\n");
            }
        }
        text.append("\npeak MiB: includes memory kept from earlier workloads of this run");
        if (one.of(ON_TMPFS).isPresent()) {
            text.append("; ")
                    .append(cell(title(ON_TMPFS)))
                    .append(": without its cache, which is in files on tmpfs");
        }
        return text.append(".\n").toString();
    }

    private static String decimal(Optional<Double> figure) {
        return figure.filter(Double::isFinite)
                .map(value -> String.format(Locale.ROOT, "%.2f", value))
                .orElse("");
    }

    /**
     * Returns a chart of requests per second, with a group for each case that has valid results.
     */
    String svg() {
        var groups = new ArrayList<BarChart.Group>();
        for (var one : results.cases()) {
            var sound = sorted(one).stream().filter(Series::isSound).toList();
            if (!sound.isEmpty()) {
                groups.add(
                        new BarChart.Group(
                                "%s, %d clients".formatted(one.title(), one.connections()),
                                sound.stream().map(series -> bar(one, series)).toList()));
            }
        }
        return new BarChart(
                        "Requests per second",
                        List.of(
                                machineLine(),
                                "median of "
                                        + results.rounds()
                                        + " interleaved rounds of "
                                        + results.seconds()
                                        + " s; ratios are medians of the ratios per round"),
                        groups)
                .svg();
    }

    /** Returns machine and date for pictures. */
    String machineLine() {
        return "%s, %d processors, shared with load generator and origin; %s"
                .formatted(
                        results.machine().processor(),
                        results.machine().processors(),
                        results.date());
    }

    private BarChart.Bar bar(Case one, Series series) {
        var ratio =
                base(one)
                        .filter(base -> !base.target().equals(series.target()))
                        .map(base ->
                                String.format(
                                        Locale.ROOT,
                                        " · %.2f × %s",
                                        series.ratioTo(base),
                                        title(base.target())))
                        .orElse("");
        return new BarChart.Bar(
                title(series.target()),
                series.requestsPerSecond(),
                "%,.0f%s".formatted(series.requestsPerSecond(), ratio),
                look(series.target()));
    }

    /** Returns the class in {@link Svg} for {@code target}, the same in all pictures. */
    String look(String target) {
        if (OURS.contains(target)) {
            return "ours";
        }
        return switch (target) {
            case BOUND -> "bound";
            default -> {
                var peers =
                        results.targets().stream()
                                .map(Results.Measured::name)
                                .filter(name -> !OURS.contains(name) && !name.equals(BOUND))
                                .sorted(
                                        Comparator.comparing(
                                                (String name) -> !name.equals(FIRST_PEER)))
                                .toList();
                yield "peer-" + (Math.max(0, peers.indexOf(target)) % PEER_LOOKS + 1);
            }
        };
    }

    String title(String target) {
        return results.targets().stream()
                .filter(one -> one.name().equals(target))
                .map(Results.Measured::title)
                .findFirst()
                .orElse(target);
    }

    /**
     * Returns the base of ratios among the targets with valid results: Varnish, else another peer,
     * else any.
     */
    static Optional<Series> base(Case one) {
        return one.series().stream()
                .filter(Series::isSound)
                .min(
                        Comparator.comparing(series ->
                                switch (series.target()) {
                                    case FIRST_PEER -> 0;
                                    case BOUND -> 3;
                                    default -> OURS.contains(series.target()) ? 2 : 1;
                                }));
    }

    /** Sorts the fastest first and those without valid results last. */
    private static List<Series> sorted(Case one) {
        return one.series().stream()
                .sorted(
                        Comparator.comparingDouble((Series series) ->
                                series.isSound() ? -series.requestsPerSecond() : 1))
                .collect(Collectors.toList());
    }
}
