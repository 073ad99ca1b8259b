package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.LoadGenerators;
import dev.quire.bench.peers.Meter.Expected;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Series;
import dev.quire.bench.peers.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The pages of an election night, from the sample site on Tomcat: alone, behind Apache, and behind
 * a cache that assembles them. Each server is measured by itself, right after it has stored all
 * pages, so that they do not expire in the meantime.
 */
final class Mix {
    private static final String ALONE = "Tomcat";
    private static final String APACHE = "Apache";
    private static final String VARNISH = "Varnish";
    private static final String QUIRE = "Quire";
    private static final Map<String, String> LOOKS =
            Map.of(ALONE, "bound", APACHE, "peer-2", VARNISH, "peer-1", QUIRE, "ours");

    private static final Map<String, String> SCRIPTS =
            Map.of(
                    QUIRE, "studies/quire-news",
                    VARNISH, "studies/varnish-news",
                    APACHE, "studies/apache");

    private static final Map<String, String> VARIABLES =
            Map.of(
                    "QUIRE_VARIANT_SECRET",
                    "of the site and of the cache, for variants",
                    "QUIRE_BENCH_NEWS",
                    "--news.shared-greeting=true --management.endpoints.web.exposure.include=metrics");
    private static final int KEPT = 10;
    private static final double UNCACHEABLE_PERCENT = 20;
    private static final double LEAST = 50;
    private static final JsonMapper JSON = new JsonMapper();

    private final Stage stage;
    private final Target site;
    private final NewsReader reader;
    private final List<Step.Body> samples;
    private final List<String> paths;
    private final List<Step> steps;
    private final String scraps;

    private Mix(Stage stage, Target site, NewsReader reader)
            throws CannotMeasure, IOException, InterruptedException {
        this.stage = stage;
        this.site = site;
        this.reader = reader;
        var articles = articles();
        for (var article : articles.subList(0, KEPT)) {
            reader.keep(article);
        }
        scraps = reader.scraps(site.port());
        int count = Math.min(articles.size(), stage.extent().of(200, 10));
        samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            samples.add(alone(articles.get(i * (articles.size() / count))));
        }
        double articleBytes =
                samples.stream().mapToInt(one -> one.bytes().length).average().orElseThrow();
        var pages = MixedPages.of(articles);
        paths = pages.paths();
        double bytes = 0;
        for (var kind : pages.kinds()) {
            if (kind.paths().size() == 1) {
                var page = alone(kind.paths().getFirst());
                samples.addFirst(page);
                bytes += kind.share() / 100 * page.bytes().length;
            } else {
                bytes += kind.share() / 100 * articleBytes;
            }
        }
        double share = UNCACHEABLE_PERCENT / 100;
        var scrapPages = pages.with(UNCACHEABLE_PERCENT, reader.cookies(), NewsReader.SCRAPS);
        int fewest = stage.extent().of(64, 8);
        steps = new ArrayList<>();
        steps.add(step(fewest, "", bytes, pages, 60));
        if (!stage.extent().isShort()) {
            steps.add(step(256, "", bytes, pages, 60));
        }
        steps.add(
                step(
                        fewest,
                        ", 20 % private pages",
                        bytes * (1 - share) + reader.scrapBytes() * share,
                        scrapPages,
                        20));
    }

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        stage.version("PostgreSQL", "psql --version");
        try (var site = stage.start("studies/news", "mix-site", 0, VARIABLES);
                var reader = NewsReader.loggedIn(site.port())) {
            var mix = new Mix(stage, site, reader);
            if (!stage.extent().isShort()) {
                // Its code is compiled before any cache waits for it.
                mix.loadPrivatePages(arm(ALONE, site));
            }
            var results = new LinkedHashMap<String, List<Series>>();
            for (var name : List.of(QUIRE, VARNISH, APACHE)) {
                var script = SCRIPTS.getOrDefault(name, name);
                try (var target = stage.start(script, "mix-" + name, site.port(), VARIABLES)) {
                    results.putFirst(name, mix.measure(arm(name, target)));
                }
            }
            results.putFirst(ALONE, mix.measure(arm(ALONE, site)));
            mix.report(results, found);
        }
    }

    private static Arm arm(String name, Target target) {
        return new Arm(
                name,
                LOOKS.getOrDefault(name, "bound"),
                target.port(),
                "",
                target.running(),
                Expected.ANY);
    }

    private static boolean isCache(Arm arm) {
        return arm.name().equals(VARNISH) || arm.name().equals(QUIRE);
    }

    /** Returns the paths of all articles, or of some in a short run. */
    private List<String> articles() throws CannotMeasure, IOException, InterruptedException {
        var output = stage.grounds().folder().resolve("articles");
        var query =
                "select '/main/read.nhn?oid=' || oid || '&aid=' || aid from article order by aid"
                        + (stage.extent().isShort() ? " limit 40" : "");
        var command =
                List.of(
                        "psql",
                        "-h",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(site.tlsPort()),
                        "-U",
                        "news",
                        "-Atc",
                        query,
                        "postgres");
        try (var running = Running.start(command, stage.grounds().environment(Map.of()), output)) {
            if (!running.awaitEnd(Duration.ofMinutes(1)) || running.exitCode() != 0) {
                throw new CannotMeasure("psql: " + running.output());
            }
        }
        return Files.readAllLines(output);
    }

    /** The page as Tomcat alone serves it. */
    private Step.Body alone(String path) throws CannotMeasure, IOException {
        try (var client = new Client(site.port())) {
            var answer = client.get("127.0.0.1:" + site.port(), path);
            if (answer.status() != 200 || answer.text().contains("<esi:")) {
                throw new CannotMeasure(
                        "Tomcat, %s: status %d, expected a whole page"
                                .formatted(path, answer.status()));
            }
            return new Step.Body(path, answer.body());
        }
    }

    private Step step(int clients, String rest, double bytes, MixedPages pages, int seconds)
            throws IOException {
        var title = "%d clients%s".formatted(clients, rest);
        var file = stage.grounds().folder().resolve(title.replaceAll("\\W+", "-"));
        pages.write(file);
        return new Step(
                title,
                clients,
                LoadGenerators.threads(clients),
                bytes,
                samples.subList(0, Math.min(samples.size(), 12)),
                arm -> {
                    // Its rate does not depend on what is stored.
                    int full = isCache(arm) ? seconds : Math.min(seconds, 20);
                    return stage.load()
                            .mix(
                                    arm.url("/"),
                                    file,
                                    clients,
                                    Duration.ofSeconds(stage.extent().of(full, 1)));
                });
    }

    private List<Series> measure(Arm arm) throws CannotMeasure, IOException, InterruptedException {
        warm(arm);
        new Visit(samples.size(), samples::get).once(stage, arm);
        checkScraps(arm);
        var series = new ArrayList<Series>();
        var others =
                arm.name().equals(ALONE) ? List.<Running>of() : List.<Running>of(site.running());
        for (var step : steps) {
            boolean areMany = isCache(arm) && !stage.extent().isShort();
            series.add(
                    stage.measureOnce(
                            areMany ? step : step.ofAnySize(),
                            arm,
                            !isCache(arm),
                            this::requests,
                            others));
        }
        checkScraps(arm);
        return series;
    }

    private void warm(Arm arm) throws CannotMeasure, IOException, InterruptedException {
        if (isCache(arm)) {
            long begin = System.nanoTime();
            Walk.all(stage, arm, 0, paths.size(), paths::get);
            stage.say(
                    "%s: %,d pages stored in %d s"
                            .formatted(
                                    arm.name(),
                                    paths.size(),
                                    Duration.ofNanos(System.nanoTime() - begin).toSeconds()));
            if (!stage.extent().isShort()) {
                loadPrivatePages(arm);
            }
        } else if (!stage.extent().isShort()) {
            steps.getFirst().load().run(arm);
        }
    }

    /** Runs the load with private pages, without measuring it. */
    private void loadPrivatePages(Arm arm) throws CannotMeasure, IOException, InterruptedException {
        steps.getLast().load().run(arm);
    }

    private void checkScraps(Arm arm) throws CannotMeasure, IOException, InterruptedException {
        if (!reader.scraps(arm.port()).equals(scraps)) {
            stage.fault(arm.name() + ": the page of kept articles differs from that of Tomcat");
        }
    }

    /** Returns the number of requests that Tomcat has answered. */
    private long requests() throws IOException {
        try (var client = new Client(site.port())) {
            var metric =
                    client.get("127.0.0.1:" + site.port(), "/actuator/metrics/http.server.requests")
                            .text();
            for (var one : JSON.readTree(metric).get("measurements")) {
                if (one.get("statistic").asString().equals("COUNT")) {
                    return one.get("value").asLong();
                }
            }
            throw new IOException("expected a count of requests, found: " + metric);
        }
    }

    private static Case ofCaches(Case one) {
        return new Case(
                one.name(),
                one.title(),
                one.connections(),
                Stream.of(VARNISH, QUIRE).flatMap(name -> one.of(name).stream()).toList());
    }

    private void report(Map<String, List<Series>> results, PartResults found) {
        var cases =
                IntStream.range(0, steps.size())
                        .mapToObj(i ->
                                new Case(
                                        steps.get(i).title(),
                                        steps.get(i).title(),
                                        steps.get(i).clients(),
                                        results.values().stream().map(all -> all.get(i)).toList()))
                        .toList();
        cases.forEach(found::rounds);
        cases.forEach(one -> found.group(Tables.group(one, ALONE, LOOKS)));
        found.table("mix", Tables.rates(cases, ALONE));
        found.table("mix-origin", Tables.origin(cases.stream().map(Mix::ofCaches).toList()));
        for (var one : cases.subList(0, cases.size() - 1)) {
            found.claim(
                    Claim.atLeast(
                            "%s: Quire at least 50 × Tomcat alone".formatted(one.title()),
                            Tables.ratio(one, QUIRE, ALONE),
                            LEAST,
                            "×"));
            found.claim(
                    Claim.reported(
                            "%s: Quire beside Apache and Tomcat; the case: about 10 ×"
                                    .formatted(one.title()),
                            Tables.ratio(one, QUIRE, APACHE),
                            "×"));
        }
        for (var one : cases) {
            found.claim(
                    Claim.reported(
                            "%s: Quire beside Varnish".formatted(one.title()),
                            Tables.ratio(one, QUIRE, VARNISH),
                            "×"));
        }
        found.claim(
                Claim.reported(
                        cases.getLast().title() + ": Quire beside Tomcat alone",
                        Tables.ratio(cases.getLast(), QUIRE, ALONE),
                        "×"));
    }
}
