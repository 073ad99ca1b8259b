package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Meter;
import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Results.Case;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A page of Django that costs 150 ms, alone and behind caches. */
final class DjangoSite implements Study {
    private static final String ALONE = "Django";
    private static final String NGINX = "nginx";
    private static final String VARNISH = "Varnish";
    private static final String QUIRE = "Quire";
    private static final Map<String, String> LOOKS =
            Map.of(ALONE, "bound", NGINX, "peer-2", VARNISH, "peer-1", QUIRE, "ours");
    private static final int PAGE_BYTES = 3440;
    private static final String PAGE_MILLIS = "150";
    private static final double LEAST = 500;
    private static final List<Integer> CLIENTS = List.of(1, 50, 100);

    /** Of the page alone, as in the case. */
    private static final int REQUESTS = 100;

    /** Of caches with more than one client: 100 requests take a few hundredths of a second. */
    private static final int MORE_REQUESTS = 20_000;

    /** Runs of 100 requests by one client, for caches. */
    private static final int TIMES = 20;

    @Override
    public String name() {
        return "django";
    }

    @Override
    public String title() {
        return "A page of Django";
    }

    @Override
    public Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        var arms = new ArrayList<Arm>();
        var cases = new ArrayList<Case>();
        try {
            var site =
                    stage.start(
                            "studies/gunicorn",
                            "django",
                            0,
                            Map.of(
                                    "QUIRE_BENCH_DJANGO",
                                    stage.root().resolve("it/bench/target/django").toString(),
                                    "QUIRE_BENCH_MILLIS",
                                    PAGE_MILLIS));
            arms.add(new Arm(ALONE, "bound", site.port(), "", site.running(), 1));
            arms.add(
                    Arm.cache(
                            NGINX,
                            "peer-2",
                            stage.start(
                                    "nginx",
                                    NGINX,
                                    site.port(),
                                    // No page has includes.
                                    Map.of("QUIRE_BENCH_SSI", "off"))));
            arms.add(
                    Arm.cache(
                            VARNISH,
                            "peer-1",
                            stage.start("varnish", VARNISH, site.port(), Map.of())));
            arms.add(Arm.cache(QUIRE, "ours", stage.start("quire", QUIRE, site.port(), Map.of())));
            var page = page(site.port());
            Meter.Counter count = counter(stage.grounds().folder().resolve("django/requests"));
            // One client last: its few requests do not warm the JVM up.
            for (int clients : CLIENTS.reversed()) {
                cases.addFirst(stage.measure(step(stage, page, clients), arms, count, List.of()));
            }
        } finally {
            arms.reversed().forEach(Arm::close);
        }
        var groups = new ArrayList<BarChart.Group>();
        cases.forEach(one -> groups.add(Tables.group(one, ALONE, LOOKS)));
        return new Findings(
                Map.of(
                        "rates", Tables.rates(cases, ALONE),
                        "medians", Tables.medians(cases)),
                claims(cases),
                groups,
                cases,
                stage.faults());
    }

    /** The page as the site alone serves it. */
    private static Step.Body page(int port) throws CannotMeasure, IOException {
        try (var client = new Client(port)) {
            var answer = client.get("127.0.0.1:" + port, "/");
            if (answer.status() != 200 || answer.body().length != PAGE_BYTES) {
                throw new CannotMeasure(
                        "Django: status %d with %d bytes, expected 200 with %d"
                                .formatted(answer.status(), answer.body().length, PAGE_BYTES));
            }
            return new Step.Body("/", answer.body());
        }
    }

    /** Counts the bytes of a file: the site writes one for each request. */
    private static Meter.Counter counter(Path file) {
        return () -> Files.exists(file) ? Files.size(file) : 0;
    }

    private static Step step(Stage stage, Step.Body page, int clients) {
        return new Step(
                "%d %s".formatted(clients, clients == 1 ? "client" : "clients"),
                clients,
                1,
                PAGE_BYTES,
                List.of(page),
                arm -> load(stage, arm, clients));
    }

    private static Outcome load(Stage stage, Arm arm, int clients)
            throws CannotMeasure, IOException, InterruptedException {
        boolean isAlone = arm.originRequests() > 0;
        int requests =
                isAlone
                        ? stage.extent().of(REQUESTS, Math.max(4, clients / 5))
                        : stage.extent().of(clients == 1 ? REQUESTS : MORE_REQUESTS, REQUESTS);
        int times = isAlone || clients > 1 ? 1 : stage.extent().of(TIMES, 1);
        var runs = new ArrayList<Outcome>();
        for (int time = 0; time < times; time++) {
            runs.add(stage.load().closing(arm.url("/"), requests, Math.min(clients, requests)));
        }
        return Outcome.sum(runs);
    }

    private static List<Claim> claims(List<Case> cases) {
        var claims = new ArrayList<Claim>();
        for (var one : cases) {
            claims.add(
                    Claim.atLeast(
                            one.title() + ": at least 1.0 × Varnish",
                            Tables.ratio(one, QUIRE, VARNISH),
                            1,
                            "×"));
            claims.add(
                    Claim.atLeast(
                            one.title() + ": at least 500 × Django alone",
                            Tables.ratio(one, QUIRE, ALONE),
                            LEAST,
                            "×"));
        }
        return claims;
    }
}
