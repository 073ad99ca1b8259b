package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.fleet.Fleet;
import dev.quire.bench.fleet.Promise;
import dev.quire.bench.fleet.Trial;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** An editor who purges the pages of a tag each second, on either of two nodes with one Redis. */
final class Editor {
    private static final int NODES = 2;
    private static final int READS_PER_SECOND = 500;
    private static final long SEED = 20_121_219;

    private Editor() {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        var terms =
                new Fleet.Terms(NODES, Optional.of("redis-server"), Optional.empty(), false, "");
        var trial =
                new Trial(
                        terms,
                        Duration.ofSeconds(stage.extent().of(60, 8)),
                        READS_PER_SECOND,
                        // At each node.
                        stage.extent().isShort() ? 5 : 1.0 / NODES,
                        true,
                        false,
                        SEED);
        var folder = Files.createDirectories(stage.grounds().folder().resolve("editor"));
        var outcome = trial.run(Launch.script(stage.root()), folder);
        var verdict = outcome.verdict();
        stage.say("editor: " + outcome);
        if (!outcome.isSound()) {
            stage.fault("editor: " + outcome);
        }
        long stale =
                Stream.of(Promise.FLEET, Promise.OWN, Promise.HEALED)
                        .mapToLong(verdict::violations)
                        .sum();
        found.claim(
                Claim.atMost(
                        "purges on two nodes: 0 stale responses after the acknowledged purge",
                        (double) stale,
                        0,
                        ""));
        found.table(
                "editor",
                """
                | reads | purges | stale after the answer | p99 of the other node's delay |
                | --: | --: | --: | --: |
                | %,d | %,d | %,d | %.1f ms |
                """
                        .formatted(
                                verdict.reads(), verdict.purges(), stale, verdict.delayMillis(99)));
    }
}
