package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Site;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** An origin that refuses connections for a minute, while the responses in the cache expire. */
final class Outage {
    private static final String QUIRE = "Quire";
    private static final int URLS = 200;
    private static final int CLIENTS = 64;

    private Outage() {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        var duration = Duration.ofSeconds(stage.extent().of(60, 8));
        var text =
                new StringBuilder("| | requests/s | errors | p99 |\n| --- | --: | --: | --: |\n");
        var scripts = new LinkedHashMap<String, String>();
        scripts.put("Varnish", "varnish");
        scripts.put(QUIRE, "quire");
        for (var each : scripts.entrySet()) {
            int port = FreePort.next();
            var variables = Map.of("QUIRE_BENCH_VARNISH", "-p default_grace=3600");
            var visit =
                    new Visit(
                            URLS,
                            number -> {
                                var path = "/outage/" + number;
                                return new Step.Body(path, Site.assembled(path, ""));
                            });
            Arm arm;
            Outcome outcome;
            var origin = stage.grounds().startOrigin(port);
            try (var target =
                    stage.start(each.getValue(), "outage-" + each.getKey(), port, variables)) {
                arm = Arm.cache(each.getKey(), "", target);
                visit.once(stage, arm);
                origin.close();
                outcome = stage.load().persistentPaths(arm.url("/outage"), URLS, CLIENTS, duration);
                visit.once(stage, arm);
            } finally {
                origin.close();
            }
            stage.say(
                    "outage: %s, %,.0f requests/s, %d errors"
                            .formatted(arm.name(), outcome.requestsPerSecond(), outcome.errors()));
            text.append(
                    "| %s | %,.0f | %,d | %.1f ms |%n"
                            .formatted(
                                    arm.name(),
                                    outcome.requestsPerSecond(),
                                    outcome.errors(),
                                    outcome.p99Millis()));
            if (arm.name().equals(QUIRE)) {
                found.claim(
                        Claim.atMost(
                                "origin down: 0 client errors", (double) outcome.errors(), 0, ""));
                if (outcome.errors() > 0) {
                    stage.fault("outage: %d client errors".formatted(outcome.errors()));
                }
            }
        }
        found.table("outage", text.toString());
    }
}
