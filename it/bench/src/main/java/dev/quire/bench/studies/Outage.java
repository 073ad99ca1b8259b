package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.OriginProcess;
import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Site;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An origin that fails for half of its URLs, then refuses connections for a minute, while the
 * responses in the cache expire.
 */
final class Outage {
    private static final String QUIRE = "Quire";
    private static final int URLS = 200;
    private static final int CLIENTS = 64;

    private Outage() {}

    /** The faults of the origin, one after the other. */
    private enum Fault {
        ERRORS("503 for half of the URLs", "origin fails for half of its URLs: 0 client errors"),
        DOWN("refuses connections", "origin down: 0 client errors");

        private final String title;
        private final String claim;

        Fault(String title, String claim) {
            this.title = title;
            this.claim = claim;
        }

        void begin(OriginProcess origin) throws IOException, InterruptedException {
            switch (this) {
                case DOWN -> origin.close();
                case ERRORS -> origin.failSome();
            }
        }

        /** Responses expire after 5 s. */
        Duration duration(Stage stage) {
            return Duration.ofSeconds(
                    switch (this) {
                        case ERRORS -> stage.extent().of(20, 6);
                        case DOWN -> stage.extent().of(60, 1);
                    });
        }
    }

    /**
     * The result of one server with one fault.
     *
     * @param cpuMicros CPU time of the server per request
     */
    private record Result(Outcome outcome, double cpuMicros) {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        var text =
                new StringBuilder(
                        "| | origin | requests/s | CPU per request | errors | p99 |\n| --- | --- | --: | --: | --: | --: |\n");
        var scripts = new LinkedHashMap<String, String>();
        if (!stage.extent().isShort()) {
            scripts.put("Varnish", "varnish");
        }
        scripts.put(QUIRE, "quire");
        for (var each : scripts.entrySet()) {
            measure(stage, each.getKey(), each.getValue())
                    .forEach((fault, result) -> {
                        var outcome = result.outcome();
                        text.append(
                                "| %s | %s | %,.0f | %s | %,d | %.1f ms |%n"
                                        .formatted(
                                                each.getKey(),
                                                fault.title,
                                                outcome.requestsPerSecond(),
                                                Tables.micros(result.cpuMicros()),
                                                outcome.errors(),
                                                outcome.p99Millis()));
                        if (each.getKey().equals(QUIRE)) {
                            found.claim(
                                    Claim.atMost(fault.claim, (double) outcome.errors(), 0, ""));
                            if (outcome.errors() > 0) {
                                stage.fault(
                                        "%s: %d client errors"
                                                .formatted(fault.title, outcome.errors()));
                            }
                        }
                    });
        }
        found.table("outage", text.toString());
    }

    private static Map<Fault, Result> measure(Stage stage, String name, String script)
            throws CannotMeasure, IOException, InterruptedException {
        int port = FreePort.next();
        var variables = Map.of("QUIRE_BENCH_VARNISH", "-p default_grace=3600");
        var visit =
                new Visit(
                        URLS,
                        number -> {
                            var path = "/outage/" + number;
                            return new Step.Body(path, Site.assembled(path, ""));
                        });
        var results = new EnumMap<Fault, Result>(Fault.class);
        var origin = stage.grounds().startOrigin(port);
        try (var target = stage.start(script, "outage-" + name, port, variables)) {
            var arm = Arm.cache(name, "", target);
            visit.once(stage, arm);
            for (var fault : Fault.values()) {
                fault.begin(origin);
                var cpu = CpuTime.of(arm.running());
                var outcome =
                        stage.load()
                                .persistentPaths(
                                        arm.url("/outage"), URLS, CLIENTS, fault.duration(stage));
                double cpuMicros = cpu.microsPerRequest(outcome.requests());
                visit.once(stage, arm);
                stage.say(
                        "outage, %s: %s, %,.0f requests/s, %d errors"
                                .formatted(
                                        fault.title,
                                        name,
                                        outcome.requestsPerSecond(),
                                        outcome.errors()));
                results.put(fault, new Result(outcome, cpuMicros));
            }
            return results;
        } finally {
            origin.close();
        }
    }
}
