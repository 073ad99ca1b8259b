package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Two thousand clients that connect at once, without keep-alive. */
final class Crowd {
    private static final String QUIRE = "Quire";
    private static final int CLIENTS = 2000;
    private static final int REQUESTS = 20_000;
    private static final String PATH = "/brief/1";

    /** Its response has no includes. */
    private static final Map<String, String> PLAIN = Map.of("QUIRE_BENCH_SSI", "off");

    private Crowd() {}

    /**
     * The result of one server in all rounds.
     *
     * @param p99Millis of the slowest round
     * @param cpuMicros CPU time of the server per request
     */
    private record Result(long overflows, long errors, double p99Millis, double cpuMicros) {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        int port = stage.grounds().origin().port();
        int clients = stage.extent().of(CLIENTS, 500);
        int requests = stage.extent().of(REQUESTS, 2 * clients);
        var scripts = new LinkedHashMap<String, String>();
        if (!stage.extent().isShort()) {
            scripts.put("nginx", "nginx");
            scripts.put("Varnish", "varnish");
        }
        scripts.put(QUIRE, "quire");
        var text =
                new StringBuilder(
                        "| | listen overflows in %d rounds | errors | p99 | CPU per request |%n| --- | --: | --: | --: | --: |%n"
                                .formatted(stage.extent().rounds()));
        for (var each : scripts.entrySet()) {
            try (var target = stage.start(each.getValue(), "crowd-" + each.getKey(), port, PLAIN)) {
                var arm = Arm.cache(each.getKey(), "", target);
                var body = new Step.Body(PATH, Site.assembled(PATH, ""));
                stage.check("crowd", arm, body);
                var result = rounds(stage, arm, requests, clients);
                stage.say("crowd: %s, %s".formatted(arm.name(), result));
                text.append(
                        "| %s | %,d | %,d | %,.0f ms | %s |%n"
                                .formatted(
                                        arm.name(),
                                        result.overflows(),
                                        result.errors(),
                                        result.p99Millis(),
                                        Tables.micros(result.cpuMicros())));
                if (arm.name().equals(QUIRE)) {
                    found.claim(
                            Claim.atMost(
                                    "2,000 new connections at once: 0 listen overflows",
                                    (double) result.overflows(),
                                    0,
                                    ""));
                    found.claim(
                            Claim.atMost(
                                    "2,000 new connections at once: 0 errors",
                                    (double) result.errors(),
                                    0,
                                    ""));
                }
            }
        }
        found.table("crowd", text.toString());
    }

    private static Result rounds(Stage stage, Arm arm, int requests, int clients)
            throws CannotMeasure, IOException, InterruptedException {
        long answered = 0;
        long overflows = 0;
        long errors = 0;
        double p99 = 0;
        var cpu = CpuTime.of(arm.running());
        for (int round = 0; round < stage.extent().rounds(); round++) {
            long before = overflows();
            var outcome = stage.load().closing(arm.url(PATH), requests, clients);
            answered += outcome.requests();
            overflows += overflows() - before;
            errors += outcome.errors();
            p99 = Math.max(p99, outcome.p99Millis());
        }
        return new Result(overflows, errors, p99, cpu.microsPerRequest(answered));
    }

    /** Returns how often the kernel found the queue of a listening socket full. */
    static long overflows() throws IOException {
        var lines = Files.readAllLines(Path.of("/proc/net/netstat"));
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            var names = lines.get(i).split(" ", -1);
            var values = lines.get(i + 1).split(" ", -1);
            for (int field = 0; field < names.length; field++) {
                if (names[field].equals("ListenOverflows")) {
                    return Long.parseLong(values[field]);
                }
            }
        }
        throw new IOException("ListenOverflows is not in /proc/net/netstat");
    }
}
