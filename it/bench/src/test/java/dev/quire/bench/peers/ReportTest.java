package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.peers.Results.Absent;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Measured;
import dev.quire.bench.peers.Results.Series;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class ReportTest {
    private static final Machine MACHINE =
            new Machine("CPU <of> \"two\" & more", 2, 8L << 30, "Debian", "Linux 6", "JVM 21");

    @Test
    void ratiosStandBesideVarnishAndTheBareServer() {
        var report =
                new Report(
                        results(
                                page(
                                        series("quire", 9000, 500, 8000),
                                        series("varnish", 1000, 50, 1000),
                                        series("bare", 10_000, 1000, 10_000))));

        assertThat(line(report, "| Quire"))
                .startsWith("| Quire | 8,000 (500–9,000) | 9.00 | 0.80 | 1.00 | 2.00 | ");
        assertThat(line(report, "| bare Netty | 10,000")).contains("| 10.00 | 1.00 |");
        assertThat(report.markdown())
                .contains("× Varnish", "| HAProxy | not measured: no haproxy |");
    }

    @Test
    void withoutVarnishAnotherPeerIsTheBase() {
        var one = page(series("bare", 4), series("quire", 3), series("nginx", 1));

        assertThat(Report.base(one).map(Series::target)).hasValue("nginx");
        assertThat(new Report(results(one)).markdown()).contains("× nginx");
    }

    @Test
    void roundThatMeansNothingIsNoFigure() {
        var invalid =
                new Series(
                        "quire",
                        List.of(round(1000, Optional.empty()), round(900, Optional.of("7 errors"))),
                        1 << 20,
                        Optional.empty());
        var report = new Report(results(page(invalid, series("varnish", 10, 10))));

        assertThat(line(report, "| Quire | **"))
                .contains("**1 of 2 rounds are invalid: 7 errors**");
        assertThat(report.svg()).doesNotContain(">Quire<");
    }

    @Test
    void loadGeneratorThatHasNoTimeLeftIsMarked() {
        var busy = new Round(new Outcome(10, 2, 10, 0, 1, 2), 1, 3.7, 2, 0, 0, Optional.empty());
        var full = new Series("quire", List.of(busy), 1 << 20, Optional.empty());
        var report = new Report(results(page(full, series("nginx", 10))));

        assertThat(line(report, "| Quire | ")).contains("| 93 %, full |");
        assertThat(line(report, "| nginx | 10")).contains("| 20 % |");
        assertThat(report.markdown()).contains("nginx: without its cache");
    }

    @Test
    void pictureIsWellFormedAndHoldsNothingThatRuns() throws Exception {
        var report = new Report(results(page(series("quire", 9000), series("varnish", 1000))));

        var picture = xml(report.svg());

        assertThat(picture.getElementsByTagName("rect").getLength()).isEqualTo(1 + 2);
        assertThat(picture.getElementsByTagName("script").getLength()).isZero();
        assertThat(picture.getDocumentElement().getTextContent())
                .contains("9,000 · 9.00 × Varnish", "CPU <of> \"two\" & more")
                .contains("prefers-color-scheme: dark");
    }

    @Test
    void fragmentCostIsASlopeInNanoseconds() throws Exception {
        var cases =
                new Case[] {
                    new Case("1", "one", 64, List.of(costing("quire", 12), costing("varnish", 30))),
                    new Case(
                            "11",
                            "many",
                            64,
                            List.of(costing("quire", 17), costing("varnish", 130)))
                };
        var cost = new FragmentCost(results(cases));

        assertThat(cost.markdown())
                .contains("| Quire | 12.0 | 17.0 | 500 | 11.5 | 1.000 |")
                .contains("| Varnish | 30.0 | 130.0 | 10,000 | 20.0 | 1.000 |");
        assertThat(xml(cost.svg()).getDocumentElement().getTextContent())
                .contains("Quire: 500 ns/fragment", "Varnish: 10,000 ns/fragment");
    }

    @Test
    void axisEndsAtARoundNumber() {
        assertThat(LineChart.nice(200)).isEqualTo(200);
        assertThat(LineChart.nice(201)).isEqualTo(250);
        assertThat(LineChart.nice(0.07)).isEqualTo(0.1);
        assertThat(LineChart.nice(0)).isEqualTo(1);
    }

    @Test
    void resultsAreWrittenWhole(@TempDir Path folder) throws Exception {
        var file = folder.resolve("results.json");

        Json.write(file, results(page(series("quire", 9000))));

        assertThat(Files.readString(file))
                .contains("\"processors\" : 2", "\"target\" : \"quire\"", "\"requests\" : 9000");
    }

    private static Document xml(String text) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(text.getBytes(UTF_8)));
    }

    private static String line(Report report, String start) {
        return report.markdown()
                .lines()
                .filter(line -> line.startsWith(start) && !line.contains("of this"))
                .findFirst()
                .orElseThrow();
    }

    private static Results results(Case... cases) {
        return new Results(
                "bin/bench peers",
                "2026-11-20 12:00 UTC",
                3,
                5,
                MACHINE,
                List.of(
                        new Measured("bare", "bare Netty", "of this project"),
                        new Measured("nginx", "nginx", "1.22.1"),
                        new Measured("quire", "Quire", "of this project"),
                        new Measured("varnish", "Varnish", "7.1.1")),
                List.of(new Absent("haproxy", "HAProxy", "no haproxy")),
                Arrays.asList(cases));
    }

    private static Case page(Series... series) {
        return new Case("page", "page", 64, Arrays.asList(series));
    }

    private static Series series(String target, int... requests) {
        return new Series(
                target,
                Arrays.stream(requests).mapToObj(n -> round(n, Optional.empty())).toList(),
                1 << 20,
                Optional.empty());
    }

    private static Series costing(String target, double cpuMicros) {
        var round =
                new Round(
                        new Outcome(1000, 1, 1_000_000, 0, 1, 2),
                        cpuMicros / 1e3,
                        0,
                        1,
                        0,
                        0,
                        Optional.empty());
        return new Series(target, List.of(round), 1 << 20, Optional.empty());
    }

    private static Round round(long requests, Optional<String> fault) {
        return new Round(
                new Outcome(requests, 1, requests * 1000, 0, 1, 2), 0.5, 0.2, 1, 0, 0.01, fault);
    }
}
