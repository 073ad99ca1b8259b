package dev.quire.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of a node that replace one another, by {@code run --replace}. */
@Timeout(300)
class FleetHandoverIT {
    private static final String HOST = "fleet.example";
    private static final int REPLACEMENTS = 4;

    /** Pages that no purge covers. */
    private static final int KEPT = 20;

    private static final Pattern ENTRIES = Pattern.compile("\"log\":\\{\"entries\":(\\d+)");
    private static final Pattern STATE = Pattern.compile("\"state\":\"current\"");

    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isOver = new AtomicBoolean();

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNewProcessKnowsAllPurgesAndMakesNoneEverywhereAgain(boolean hasDisk) throws Exception {
        var terms = new Fleet.Terms(2, Optional.of("redis-server"), Optional.empty(), hasDisk, "");
        try (var origin = StampedOrigin.start(url -> new Resource(100, "all"));
                var fleet = Fleet.start(terms, Launch.inClassPath(), folder, origin.port())) {
            var one = fleet.node(0);
            var two = fleet.node(1);
            awaitCurrent(one);
            awaitCurrent(two);
            for (int i = 0; i < KEPT; i++) {
                get(one, "/kept/" + i);
            }
            long entries = entries(one);
            int purges = 0;
            var readers = Thread.ofPlatform().start(() -> readUntilOver(one));

            for (int i = 0; i < REPLACEMENTS; i++) {
                var purged = "/purged/" + i;
                get(one, purged);
                get(two, purged);
                long version = origin.change(HOST + purged);
                purge(i % 2 == 0 ? one : two, purged);
                purges++;

                one.replace();

                assertThat(version(one, purged)).isEqualTo(version);
                version = origin.change(HOST + purged);
                purge(two, purged);
                purges++;
                awaitVersion(one, purged, version);
                awaitCurrent(one);
                assertThat(one.output()).doesNotContain("fleet-missed");
            }
            isOver.set(true);
            readers.join();

            assertThat(faults).isEmpty();
            assertThat(entries(one)).isEqualTo(entries + purges);
            long requests = origin.requests();
            for (int i = 0; i < KEPT; i++) {
                assertThat(get(one, "/kept/" + i).isHit()).as("/kept/%d", i).isTrue();
            }
            assertThat(origin.requests()).isEqualTo(requests);
            assertThat(two.output()).doesNotContain("fleet-missed");
        }
    }

    /** A new connection each time, as an old one may end with its process. */
    private void readUntilOver(KilledProxy node) {
        for (int i = 0; !isOver.get(); i++) {
            try {
                var answer = get(node, "/kept/" + i % KEPT);
                if (answer.status() != 200) {
                    faults.add(answer.head());
                }
            } catch (IOException e) {
                faults.add(e.toString());
            }
        }
    }

    private static void purge(KilledProxy node, String target) throws IOException {
        var answer =
                node.admin(
                        "/v1/purge",
                        "{\"urls\":[\"http://%s\"],\"count\":false,\"ack\":\"log\"}"
                                .formatted(HOST + target));
        // It is in the log, and known to the next process, also if the disk is slow.
        boolean isDiskSlow = answer.text().contains("\"durable\":false");
        assertThat(answer.status()).as(answer.text()).isEqualTo(isDiskSlow ? 202 : 200);
        assertThat(answer.text()).contains("\"applied\":\"log\"");
    }

    private static long version(KilledProxy node, String target) throws IOException {
        return StampedBody.version(HOST + target, get(node, target).body()).orElseThrow();
    }

    private static Client.Answer get(KilledProxy node, String target) throws IOException {
        try (var client = new Client(node.port())) {
            return client.get(HOST, target);
        }
    }

    private static long entries(KilledProxy node) throws IOException {
        var fleet = node.admin("/v1/fleet").text();
        var entries = ENTRIES.matcher(fleet);
        assertThat(entries.find()).as(fleet).isTrue();
        return Long.parseLong(entries.group(1));
    }

    private static void awaitVersion(KilledProxy node, String target, long version)
            throws IOException {
        while (version(node, target) != version) {
            Thread.onSpinWait();
        }
    }

    private static void awaitCurrent(KilledProxy node) throws IOException {
        while (!STATE.matcher(node.admin("/v1/fleet").text()).find()) {
            Thread.onSpinWait();
        }
    }
}
