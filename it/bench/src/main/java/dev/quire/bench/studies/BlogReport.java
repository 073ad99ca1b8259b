package dev.quire.bench.studies;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.studies.BlogArm.Measured;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The tables, claims and bars of the blog.
 *
 * @param measured in the order of tables
 * @param pages how many there are
 */
record BlogReport(List<Measured> measured, BlogStudy.Capacity capacity, UserLoad load, int pages) {
    private static final double RATIO = 16;
    private static final double MORE_STATEMENTS = 1.05;
    private static final double JOINING_PERCENT = 5;

    Findings findings(List<String> faults) {
        return new Findings(
                Map.of("load", loadTable(), "arms", arms(), "minutes", minutes()),
                claims(),
                groups(),
                List.of(),
                faults);
    }

    private String loadTable() {
        return """
        | | |
        | --- | --: |
        | pages per second without caches, 8 clients | %.1f |
        | CPU time of a page, with the database | %.1f ms |
        | size of a page, mean | %.1f KiB |
        | requests of a pass | %,d by %,d users |
        | requests per second | %.1f |
        """
                .formatted(
                        capacity.pagesPerSecond(),
                        capacity.cpuMillis(),
                        capacity.bytes() / 1024,
                        load.users() * load.requests(),
                        load.users(),
                        load.requestsPerSecond());
    }

    private String arms() {
        double none = of(BlogArm.NONE).outcome().meanMillis();
        var text =
                new StringBuilder(
                        """
                        | | mean | ratio | p99 | errors | hits | statements/s | CPU | highest rate |
                        | --- | --: | --: | --: | --: | --: | --: | --: | --: |
                        """);
        for (var one : measured) {
            boolean isFront = one.arm().script().isPresent();
            double mean = one.outcome().meanMillis();
            text.append(
                    "| %s | %s ms | %s | %s ms | %s %% | %s | %s | %s | %s |%n"
                            .formatted(
                                    one.arm().name(),
                                    number(mean),
                                    one.arm().name().equals(BlogArm.NONE)
                                            ? ""
                                            : number(none / mean) + " ×",
                                    number(one.outcome().percentileMillis(99)),
                                    percent(one.outcome().errorPercent()),
                                    isFront ? "%.1f %%".formatted(one.hitPercent()) : "",
                                    number(one.statementsPerSecond()),
                                    cpu(one),
                                    highest(one)));
        }
        return text.toString();
    }

    /** For a request: of the cache in front, if there is one, and of the application. */
    private static String cpu(Measured one) {
        int requests = one.outcome().replies().size();
        var site = "%.1f ms".formatted(1000 * one.cpu().site() / requests);
        return one.arm().script().isEmpty()
                ? site
                : "%.1f + %s".formatted(1000 * one.cpu().front() / requests, site);
    }

    private static String highest(Measured one) {
        double rate = one.highest().perSecond();
        return (one.highest().isBound() ? "≥ " : "") + number(rate) + "/s";
    }

    /** A column for each minute: hits of the cache in front, of the object cache, statements/s. */
    private String minutes() {
        int count = measured.stream().mapToInt(one -> one.minutes().size()).max().orElse(0);
        var text = new StringBuilder("|");
        for (int minute = 1; minute <= count; minute++) {
            text.append(" | minute ").append(minute);
        }
        text.append(" |\n| ---").append(" | --:".repeat(count)).append(" |\n");
        for (var one : measured) {
            text.append("| ").append(one.arm().name());
            for (int minute = 0; minute < count; minute++) {
                text.append(" | ");
                if (minute < one.minutes().size()) {
                    text.append(cell(one, one.minutes().get(minute)));
                }
            }
            text.append(" |\n");
        }
        return text.toString();
    }

    private static String cell(Measured one, BlogArm.Minute minute) {
        var parts = new ArrayList<String>();
        if (one.arm().script().isPresent()) {
            parts.add("%.1f %%".formatted(minute.hitPercent()));
        }
        if (one.arm().isObjectCache()) {
            parts.add("Redis %.1f %%".formatted(minute.objectHitPercent()));
        }
        parts.add(number(minute.statementsPerSecond()) + "/s");
        return String.join(" · ", parts);
    }

    private List<Claim> claims() {
        var claims = new ArrayList<Claim>();
        claims.add(
                Claim.reported(
                        "errors without caches", of(BlogArm.NONE).outcome().errorPercent(), "%"));
        for (var one : measured) {
            if (one.arm().isQuire()) {
                claims.add(
                        Claim.atMost(
                                one.arm().name() + ": 0 errors",
                                (double) one.outcome().errors(),
                                0,
                                ""));
            }
        }
        claims.add(
                Claim.atLeast(
                        "Quire: at least 16 × as fast as without caches",
                        ratio(BlogArm.NONE, BlogArm.QUIRE, BlogReport::mean),
                        RATIO,
                        "×"));
        claims.add(
                Claim.atMost(
                        "mean response: Quire at most 1.0 × Varnish",
                        ratio(BlogArm.QUIRE, BlogArm.VARNISH, BlogReport::mean),
                        1,
                        "×"));
        claims.add(
                Claim.atMost(
                        "mean response: Quire with 256 connections at most 1.0 × Varnish",
                        ratio(BlogArm.DEFAULT, BlogArm.VARNISH, BlogReport::mean),
                        1,
                        "×"));
        claims.add(
                Claim.atMost(
                        "mean response: Quire + Redis at most 1.0 × Varnish + Redis",
                        ratio(BlogArm.QUIRE_REDIS, BlogArm.VARNISH_REDIS, BlogReport::mean),
                        1,
                        "×"));
        claims.add(
                Claim.atMost(
                        "statements: Quire at most 1.05 × Varnish",
                        ratio(BlogArm.QUIRE, BlogArm.VARNISH, Measured::statementsPerSecond),
                        MORE_STATEMENTS,
                        "×"));
        claims.add(
                Claim.reported(
                        "highest rate: Quire / Varnish",
                        ratio(BlogArm.QUIRE, BlogArm.VARNISH, one -> one.highest().perSecond()),
                        "×"));
        claims.add(
                Claim.atMost(
                        "the node that joins fetches at most 5 % of the pages",
                        100.0 * of(BlogArm.TWO).joining().orElse(pages) / pages,
                        JOINING_PERCENT,
                        "%"));
        return claims;
    }

    private List<BarChart.Group> groups() {
        return List.of(
                group(
                        "mean response at %.0f requests per second, 1.5 × the capacity without caches"
                                .formatted(load.requestsPerSecond()),
                        BlogReport::mean,
                        one ->
                                "%s ms · %s %% errors"
                                        .formatted(
                                                number(mean(one)),
                                                percent(one.outcome().errorPercent()))),
                group(
                        "highest rate without errors and with p99 of at most 1 s",
                        one -> one.highest().perSecond(),
                        BlogReport::highest),
                group(
                        "statements per second",
                        Measured::statementsPerSecond,
                        one -> number(one.statementsPerSecond()) + "/s"));
    }

    /** Text after a bar. */
    @FunctionalInterface
    private interface Label {
        String of(Measured one);
    }

    private BarChart.Group group(String title, ToDoubleFunction<Measured> length, Label label) {
        return new BarChart.Group(
                title,
                measured.stream()
                        .map(one ->
                                new BarChart.Bar(
                                        one.arm().name(),
                                        length.applyAsDouble(one),
                                        label.of(one),
                                        one.arm().look()))
                        .toList());
    }

    private static double mean(Measured one) {
        return one.outcome().meanMillis();
    }

    private double ratio(String arm, String base, ToDoubleFunction<Measured> figure) {
        return figure.applyAsDouble(of(arm)) / figure.applyAsDouble(of(base));
    }

    private Measured of(String arm) {
        return measured.stream()
                .filter(one -> one.arm().name().equals(arm))
                .findFirst()
                .orElseThrow();
    }

    private static String percent(double value) {
        return value == 0 ? "0" : String.format(Locale.ROOT, "%.2f", value);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%,.1f" : "%,.0f", value);
    }
}
