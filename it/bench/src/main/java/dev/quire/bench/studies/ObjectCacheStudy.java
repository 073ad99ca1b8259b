package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Meter;
import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Target;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One slow statement: not cached, cached by the application in Memcached, and cached in front. */
final class ObjectCacheStudy implements Study {
    private static final String ALONE = "not cached";
    private static final String MEMCACHED = "application";
    private static final String VARNISH = "Varnish";
    private static final String QUIRE = "Quire";
    private static final String QUIRE_REDIS = "Quire (Redis)";
    private static final String QUIRE_MEMCACHED = "Quire (Memcached)";
    private static final Map<String, String> LOOKS =
            Map.of(
                    ALONE, "bound",
                    MEMCACHED, "peer-2",
                    VARNISH, "peer-1",
                    QUIRE, "ours",
                    QUIRE_REDIS, "ours",
                    QUIRE_MEMCACHED, "ours");
    private static final String PAGES = "/load-test/";
    private static final int CROWD = 1000;
    private static final int SMALL_CROWD = 100;
    private static final int KEYS = 20_000;
    private static final int KEY_CLIENTS = 64;

    /** Runs of ab for an arm that is faster than the statement. */
    private static final int TIMES = 10;

    @Override
    public String name() {
        return "object-cache";
    }

    @Override
    public String title() {
        return "A cache in the application";
    }

    @Override
    public Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        var variables = new HashMap<String, String>();
        variables.put("QUIRE_BENCH_OBJECT_CACHE", "memcached");
        variables.put("QUIRE_BENCH_STORE_PORT", Integer.toString(FreePort.next()));
        variables.put("QUIRE_BENCH_NEWS", "--news.load-test=true");
        stage.version("PostgreSQL", "psql --version");
        stage.version("Memcached", "memcached -V");
        stage.version("Redis", "redis-server --version");
        var cases = new ArrayList<Case>();
        var herd = new ArrayList<Herd>();
        try (var site = stage.start("studies/news", "site", 0, variables)) {
            Meter.Counter requests = () -> count(site);
            var arms = new ArrayList<Arm>();
            arms.add(page(ALONE, site, "no-cache", 1));
            arms.add(page(MEMCACHED, site, "cache", 1));
            try (var varnish = stage.start("varnish", VARNISH, site.port(), Map.of());
                    var quire = stage.start("quire", QUIRE, site.port(), Map.of())) {
                arms.add(page(VARNISH, varnish, "edge", 0));
                arms.add(page(QUIRE, quire, "edge", 0));
                for (var step : steps(stage, requests)) {
                    cases.add(stage.measure(step, arms, requests, List.of()));
                }
                for (int round = 0; round < stage.extent().rounds(); round++) {
                    for (var arm : arms.subList(2, arms.size())) {
                        herd.add(herd(stage, arm, "?herd=" + round, requests));
                    }
                }
            }
            cases.add(tiers(stage, site, requests));
        }
        return findings(stage, cases, herd);
    }

    private static Arm page(String name, Target target, String page, int originRequests) {
        return new Arm(
                name,
                LOOKS.getOrDefault(name, "bound"),
                target.port(),
                PAGES + page,
                target.running(),
                originRequests);
    }

    /** Returns the number of requests that the site has answered. */
    private static long count(Target site) throws IOException {
        try (var client = new Client(site.port())) {
            var counts = client.get("127.0.0.1:" + site.port(), PAGES + "counts").text();
            return Long.parseLong(counts.split(" ", -1)[0]);
        }
    }

    private static List<Step> steps(Stage stage, Meter.Counter requests) {
        var duration = Duration.ofSeconds(stage.extent().of(8, 1));
        int crowd = stage.extent().of(CROWD, SMALL_CROWD);
        return List.of(
                step(
                        "wrk, 1 client",
                        1,
                        1,
                        arm -> stage.load().persistent(arm.url(""), 1, 1, duration)),
                step(
                        "wrk, 1,000 clients",
                        crowd,
                        2,
                        arm ->
                                settled(
                                        arm,
                                        requests,
                                        stage.load().persistent(arm.url(""), 2, crowd, duration))),
                step(
                        "ab, 1,000 clients",
                        crowd,
                        1,
                        arm -> {
                            var runs = new ArrayList<Outcome>();
                            int times = arm.name().equals(ALONE) ? 1 : stage.extent().of(TIMES, 1);
                            for (int time = 0; time < times; time++) {
                                runs.add(stage.load().closing(arm.url(""), crowd, crowd));
                            }
                            return settled(arm, requests, Outcome.sum(runs));
                        }));
    }

    private static Step step(String title, int clients, int threads, Step.Load load) {
        return new Step(title, clients, threads, 0, List.of(new Step.Body("", new byte[0])), load);
    }

    /**
     * Returns {@code outcome} once the site has answered what its clients have left behind: they
     * may be a thousand, and it answers one after the other.
     */
    private static Outcome settled(Arm arm, Meter.Counter requests, Outcome outcome)
            throws IOException, InterruptedException {
        if (arm.originRequests() > 0) {
            settle(requests);
        }
        return outcome;
    }

    /** Returns the number of requests that the site has answered, once it answers no more. */
    private static long settle(Meter.Counter requests) throws IOException, InterruptedException {
        long before = -1;
        long now = requests.requests();
        while (now != before) {
            TimeUnit.MILLISECONDS.sleep(500);
            before = now;
            now = requests.requests();
        }
        return now;
    }

    /** The result of a thousand clients that request one cold page at once. */
    private record Herd(String arm, long originRequests, long errors, double seconds) {}

    private static Herd herd(Stage stage, Arm arm, String query, Meter.Counter requests)
            throws CannotMeasure, IOException, InterruptedException {
        long before = requests.requests();
        int clients = stage.extent().of(CROWD, SMALL_CROWD);
        var outcome = stage.load().closing(arm.url(query), clients, clients);
        long found = settle(requests) - before;
        stage.say(
                "herd: %s, %d requests at the origin, %d errors"
                        .formatted(arm.name(), found, outcome.errors()));
        if (outcome.errors() > 0) {
            stage.fault("herd, %s: %d errors".formatted(arm.name(), outcome.errors()));
        }
        return new Herd(arm.name(), found, outcome.errors(), outcome.seconds());
    }

    /** Hits of many keys in memory, and in each kind of shared tier. */
    private static Case tiers(Stage stage, Target site, Meter.Counter requests)
            throws CannotMeasure, IOException, InterruptedException {
        int keys = stage.extent().of(KEYS, 200);
        var duration = Duration.ofSeconds(stage.extent().of(8, 1));
        var empty = new byte[0];
        var arms = new ArrayList<Arm>();
        // No request goes to the origin because the machine is busy.
        var patient = Map.of("QUIRE_BENCH_TIMEOUT", "1s");
        try (var quire = stage.start("quire", "quire-keys", site.port(), Map.of());
                var redis = stage.start("quire-shared", "redis", site.port(), patient);
                var memcached =
                        stage.start("studies/quire-memcached", "memcached", site.port(), patient)) {
            arms.add(page(QUIRE, quire, "many", 0));
            arms.add(page(QUIRE_REDIS, redis, "many", 0));
            arms.add(page(QUIRE_MEMCACHED, memcached, "many", 0));
            var visit = new Visit(keys, number -> new Step.Body("?k=" + number, empty));
            for (var arm : arms) {
                visit.untilStored(stage, arm, requests);
            }
            var step =
                    new Step(
                            "%,d keys, %d clients".formatted(keys, KEY_CLIENTS),
                            KEY_CLIENTS,
                            2,
                            0,
                            List.of(new Step.Body("?k=0", empty)),
                            arm ->
                                    stage.load()
                                            .persistentMany(
                                                    arm.url(""), keys, 2, KEY_CLIENTS, duration));
            return stage.measure(step, arms, requests, List.of(site.running()));
        }
    }

    private static Findings findings(Stage stage, List<Case> cases, List<Herd> herd) {
        var loads = cases.subList(0, 3);
        var tiers = cases.getLast();
        var groups = new ArrayList<BarChart.Group>();
        loads.forEach(one -> groups.add(Tables.group(one, ALONE, LOOKS)));
        groups.add(Tables.group(tiers, QUIRE, LOOKS));
        var cold =
                new StringBuilder("| | requests at the origin | errors |\n| --- | --: | --: |\n");
        for (var arm : List.of(VARNISH, QUIRE)) {
            cold.append("| %s | %d | %d |%n".formatted(arm, most(herd, arm), errors(herd, arm)));
        }
        return new Findings(
                Map.of(
                        "rates", Tables.rates(loads, ALONE),
                        "herd", cold.toString(),
                        "tiers", Tables.rates(List.of(tiers), QUIRE)),
                claims(loads, tiers, herd),
                groups,
                cases,
                stage.faults());
    }

    private static List<Claim> claims(List<Case> loads, Case tiers, List<Herd> herd) {
        return List.of(
                application(loads.get(0), 5),
                application(loads.get(1), 45),
                application(loads.get(2), 45),
                quire(loads.get(0), 100),
                quire(loads.get(1), 500),
                quire(loads.get(2), 200),
                Claim.atMost(
                        "cold page, 1,000 clients at once: 1 request at the origin",
                        (double) most(herd, QUIRE),
                        1.01,
                        ""),
                Claim.atMost(
                        "cold page, 1,000 clients at once: 0 errors",
                        (double) errors(herd, QUIRE),
                        0,
                        ""),
                Claim.atLeast(
                        "from Redis: at least 0.4 × own memory",
                        Tables.ratio(tiers, QUIRE_REDIS, QUIRE),
                        0.4,
                        "×"),
                Claim.atLeast(
                        "from Memcached: at least 0.4 × own memory",
                        Tables.ratio(tiers, QUIRE_MEMCACHED, QUIRE),
                        0.4,
                        "×"));
    }

    private static Claim application(Case one, int bound) {
        return Claim.atLeast(
                "%s: the application with Memcached at least %d ×".formatted(one.title(), bound),
                Tables.ratio(one, MEMCACHED, ALONE),
                bound,
                "×");
    }

    private static Claim quire(Case one, int bound) {
        return Claim.atLeast(
                "%s: Quire at least %d ×".formatted(one.title(), bound),
                Tables.ratio(one, QUIRE, ALONE),
                bound,
                "×");
    }

    private static long most(List<Herd> herd, String arm) {
        return herd.stream()
                .filter(one -> one.arm().equals(arm))
                .mapToLong(Herd::originRequests)
                .max()
                .orElseThrow();
    }

    private static long errors(List<Herd> herd, String arm) {
        return herd.stream().filter(one -> one.arm().equals(arm)).mapToLong(Herd::errors).sum();
    }
}
