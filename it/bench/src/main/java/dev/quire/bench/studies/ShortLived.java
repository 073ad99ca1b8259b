package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Site;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Memory of a cache that stores many responses, each for nine seconds only. */
final class ShortLived {
    private static final String QUIRE = "Quire";
    private static final String NEITHER = "-p default_grace=0 -p default_keep=0";
    private static final int LIMIT_MIB = 256;
    private static final int URLS = 400_000;
    private static final int CLIENTS = 64;
    private static final double MOST = 1.25;

    /** A server with its options. */
    private record Setup(String script, String look, Map<String, String> variables) {
        Setup {
            variables = new HashMap<>(variables);
            variables.put("QUIRE_BENCH_MIB", Integer.toString(LIMIT_MIB));
        }
    }

    private static Setup varnish(String look, String options) {
        return new Setup("varnish", look, Map.of("QUIRE_BENCH_VARNISH", NEITHER + options));
    }

    private static Map<String, Setup> setups(boolean isShort) {
        var setups = new LinkedHashMap<String, Setup>();
        if (!isShort) {
            setups.put("Varnish", varnish("peer-1", ""));
            setups.put("Varnish, Transient 64 MiB", varnish("peer-3", " -s Transient=malloc,64m"));
            setups.put("Varnish, shortlived 0", varnish("peer-4", " -p shortlived=0"));
            setups.put(
                    "Quire, -Xmx256m",
                    new Setup(
                            "quire",
                            "ours",
                            Map.of("QUIRE_BENCH_GRACE", "0s", "QUIRE_JVM_OPTIONS", "-Xmx256m")));
        }
        setups.put(QUIRE, new Setup("quire", "ours", Map.of("QUIRE_BENCH_GRACE", "0s")));
        return setups;
    }

    private ShortLived() {}

    /** Measures one server after the other, each in an empty process. */
    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        int urls = stage.extent().of(URLS, 2000);
        var duration = Duration.ofSeconds(stage.extent().of(30, 2));
        var text =
                new StringBuilder(
                        "| | memory | of the limit | requests/s | CPU per request | errors |\n| --- | --: | --: | --: | --: | --: |\n");
        var bars = new ArrayList<BarChart.Bar>();
        for (var each : setups(stage.extent().isShort()).entrySet()) {
            var setup = each.getValue();
            try (var target =
                    stage.start(
                            setup.script(),
                            "short-" + each.getKey().replaceAll("\\W+", "-"),
                            origin.port(),
                            setup.variables())) {
                var arm = Arm.cache(each.getKey(), setup.look(), target);
                var body = new Step.Body("/brief/0", Site.assembled("/brief/0", ""));
                stage.check("short-lived", arm, body);
                target.running().forgetPeak();
                var cpu = CpuTime.of(target.running());
                var outcome =
                        stage.load().persistentPaths(arm.url("/brief"), urls, CLIENTS, duration);
                double cpuMicros = cpu.microsPerRequest(outcome.requests());
                double mib = target.running().peakBytes() / (double) (1 << 20);
                stage.say(
                        "short-lived: %s, %.0f MiB, %,.0f requests/s, %d errors"
                                .formatted(
                                        arm.name(),
                                        mib,
                                        outcome.requestsPerSecond(),
                                        outcome.errors()));
                stage.check("short-lived", arm, body);
                text.append(
                        "| %s | %.0f MiB | %.2f × | %,.0f | %s | %,d |%n"
                                .formatted(
                                        arm.name(),
                                        mib,
                                        mib / LIMIT_MIB,
                                        outcome.requestsPerSecond(),
                                        Tables.micros(cpuMicros),
                                        outcome.errors()));
                bars.add(
                        new BarChart.Bar(
                                // There is little room.
                                arm.name().replace("Varnish, ", ""),
                                mib,
                                "%.0f MiB · %.2f × the limit".formatted(mib, mib / LIMIT_MIB),
                                arm.look()));
                if (arm.name().equals(QUIRE)) {
                    if (outcome.errors() > 0) {
                        stage.fault("short-lived: %d errors".formatted(outcome.errors()));
                    }
                    found.claim(
                            Claim.atMost(
                                    "short-lived responses: memory of the process at most 1.25 ×"
                                            + " the limit",
                                    mib / LIMIT_MIB,
                                    MOST,
                                    "×"));
                }
            }
        }
        found.table("short-lived", text.toString());
        found.group(
                new BarChart.Group(
                        "400,000 responses of 1 KiB that live 9 s: memory with a limit of %d MiB"
                                .formatted(LIMIT_MIB),
                        bars));
    }
}
