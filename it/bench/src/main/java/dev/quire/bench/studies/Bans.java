package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.OriginProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Bans by a regular expression of the URL, while all articles are stored. */
final class Bans {
    private static final String QUIRE = "Quire";
    private static final String ARTICLES = "/news/esi/article/";
    private static final int CLIENTS = 64;
    private static final int PER_SECOND = 10;

    /** One of ten numbers. */
    private static final String COVERED = "^/news/esi/article/[0-9]*7$";

    private static final int FIRST_COVERED = 7;

    private Bans() {}

    /**
     * A load of all articles in turn.
     *
     * @param perSecond requests per second
     * @param cpuMicros CPU time of the server per request
     */
    private record Rate(double perSecond, double cpuMicros) {
        double ratioTo(Rate other) {
            return perSecond / other.perSecond;
        }

        String cell(Rate base) {
            return "%,.0f · %.2f × · %s"
                    .formatted(perSecond, ratioTo(base), Tables.micros(cpuMicros));
        }
    }

    /** The result of one server: without bans, with them, and after them. */
    private record Result(
            double answerMillis, long refetched, Rate before, Rate during, Rate after) {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        int articles = stage.extent().of(20_000, 200);
        int covered = articles / 10;
        var text =
                new StringBuilder(
                        "| | answer to a ban | fetched again, of %,d | without bans | with 10 bans a second | after them |%n"
                                        .formatted(covered)
                                + "| --- | --: | --: | --: | --: | --: |\n");
        var scripts = new LinkedHashMap<String, String>();
        scripts.put("Varnish", "varnish");
        scripts.put(QUIRE, "quire");
        for (var each : scripts.entrySet()) {
            var name = each.getKey();
            var result = measure(stage, name, each.getValue(), articles, covered);
            stage.say("bans: %s, %s".formatted(name, result));
            text.append(
                    "| %s | %.1f ms | %,d | %s | %s | %s |%n"
                            .formatted(
                                    name,
                                    result.answerMillis(),
                                    result.refetched(),
                                    result.before().cell(result.before()),
                                    result.during().cell(result.before()),
                                    result.after().cell(result.before())));
            if (name.equals(QUIRE)) {
                found.claim(
                        Claim.atMost(
                                "ban by a regular expression: covered pages that are not fetched"
                                        + " again, and others that are",
                                (double) Math.abs(covered - result.refetched()),
                                0,
                                ""));
            }
            found.claim(
                    Claim.reported(
                            name + ": requests/s with 10 bans a second beside none",
                            result.during().ratioTo(result.before()),
                            "×"));
        }
        found.table("bans", text.toString());
    }

    private static Result measure(
            Stage stage, String name, String script, int articles, int covered)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        var visit = Visit.ofPages(ARTICLES, articles);
        var variables = Map.of("QUIRE_BENCH_BANS", "on", "QUIRE_BENCH_MIB", "1024");
        try (var target = stage.start(script, "bans-" + name, origin.port(), variables)) {
            var arm = new Arm(name, "", target.port(), ARTICLES, target.running(), 0);
            visit.untilStored(stage, arm, origin::requests);
            long fetched = origin.requests();
            double millis = banned(stage, arm, origin);
            visit.once(stage, arm);
            long refetched = origin.requests() - fetched;
            if (refetched != covered) {
                stage.fault(
                        "bans, %s: %,d pages were fetched again, expected %,d"
                                .formatted(name, refetched, covered));
            }
            if (!stage.extent().isShort()) {
                rate(stage, arm, articles);
            }
            var before = rate(stage, arm, articles);
            Rate during;
            var isOver = new AtomicBoolean();
            var banning = CompletableFuture.runAsync(() -> ban(arm.port(), isOver));
            try {
                during = rate(stage, arm, articles);
            } finally {
                isOver.set(true);
            }
            banning.join();
            return new Result(millis, refetched, before, during, rate(stage, arm, articles));
        }
    }

    /** Returns how long a ban took; the next request of a page that it covers must be a miss. */
    private static double banned(Stage stage, Arm arm, OriginProcess origin)
            throws IOException, InterruptedException {
        try (var client = new Client(arm.port())) {
            long requests = origin.requests();
            long begin = System.nanoTime();
            ban(client, COVERED);
            double millis = (System.nanoTime() - begin) / 1e6;
            client.get("127.0.0.1:" + arm.port(), ARTICLES + FIRST_COVERED);
            if (origin.requests() != requests + 1) {
                stage.fault(
                        "bans, %s: the next request after a ban is a hit".formatted(arm.name()));
            }
            return millis;
        }
    }

    private static Rate rate(Stage stage, Arm arm, int articles)
            throws CannotMeasure, IOException, InterruptedException {
        var cpu = CpuTime.of(arm.running());
        var outcome =
                stage.load()
                        .persistentPaths(
                                arm.url("").replaceFirst("/$", ""),
                                articles,
                                CLIENTS,
                                Duration.ofSeconds(stage.extent().of(10, 1)));
        double cpuMicros = cpu.microsPerRequest(outcome.requests());
        if (outcome.errors() > 0) {
            stage.fault("bans, %s: %,d errors".formatted(arm.name(), outcome.errors()));
        }
        return new Rate(outcome.requestsPerSecond(), cpuMicros);
    }

    /** Bans pages that do not exist, each time others. */
    private static void ban(int port, AtomicBoolean isOver) {
        try (var client = new Client(port)) {
            for (int number = 0; !isOver.get(); number++) {
                ban(client, "^/gone/[0-9]*/" + number + "$");
                TimeUnit.MILLISECONDS.sleep(1000 / PER_SECOND);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void ban(Client client, String pattern) throws IOException {
        client.send("BAN / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Url: " + pattern + "\r\n\r\n");
        int status = client.receive().status();
        if (status != 200) {
            throw new IOException("BAN: status " + status + ", expected 200");
        }
    }
}
