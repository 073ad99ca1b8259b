package dev.quire.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A proxy of a fleet that is killed, and starts again with its disk. */
@Timeout(300)
class FleetRestartIT {
    private static final int PAGES = 20;
    private static final String HOST = "fleet.example";
    private static final Pattern ON_DISK = Pattern.compile("\"disk\":\\{[^}]*\"objects\":(\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir private Path folder;

    @Test
    void responsesThatAreNewerThanAPurgeStayAndOlderOnesDoNot() throws Exception {
        var terms = new Fleet.Terms(2, Optional.of("redis-server"), Optional.empty(), true, "");
        try (var origin =
                        Origin.start()
                                .otherwise(request ->
                                        Answer.html("page " + request.target())
                                                .field("Surrogate-Key", "all")
                                                .field("Cache-Control", "max-age=600"));
                var fleet =
                        Fleet.start(terms, Launch.inClassPath(), folder, origin.url().getPort())) {
            var one = fleet.node(0);
            purge(one, "{\"tags\":[\"all\"],\"count\":false,\"ack\":\"log\"}");
            fetchAll(one);
            awaitOnDisk(one);
            int requests = origin.requests().size();
            assertThat(requests).isEqualTo(PAGES);

            one.kill();
            one.start();
            awaitOnDisk(one);
            // A node that is cut off names no tier.
            awaitCurrent(one);

            for (int i = 0; i < PAGES; i++) {
                assertThat(get(one, i).head()).contains("detail=disk");
            }
            assertThat(origin.requests()).hasSize(requests);

            one.kill();
            purge(
                    fleet.node(1),
                    "{\"urls\":[\"http://%s/0\"],\"count\":false,\"ack\":\"log\"}".formatted(HOST));
            one.start();

            assertThat(get(one, 0).isHit()).isFalse();
            assertThat(origin.requests()).hasSize(requests + 1);
        }
    }

    @Test
    void aPurgeThatIsAnsweredWith202WhileItsNodeIsCutOffHoldsEverywhereAfterAKill()
            throws Exception {
        var toxiproxy = Toxiproxy.build(Path.of(""));
        assumeTrue(toxiproxy.isPresent(), "Go is not installed, which builds toxiproxy");
        var terms = new Fleet.Terms(2, Optional.of("redis-server"), toxiproxy, true, "");
        try (var origin = StampedOrigin.start(url -> new Resource(100, "all"));
                var fleet = Fleet.start(terms, Launch.inClassPath(), folder, origin.port())) {
            var one = fleet.node(0);
            var two = fleet.node(1);
            fetchAll(one);
            awaitOnDisk(one);
            fetchAll(two);
            fleet.lines().orElseThrow().cut(0);
            var url = HOST + "/0";
            long version = origin.change(url);

            var answer =
                    one.admin(
                            "/v1/purge",
                            "{\"urls\":[\"http://%s\"],\"count\":false,\"ack\":\"log\"}"
                                    .formatted(url));
            one.kill();

            assertThat(answer.status()).isEqualTo(202);
            assertThat(answer.text()).contains("\"applied\":\"local\"").doesNotContain("durable");
            one.start();
            assertThat(version(one, url)).isEqualTo(version);
            fleet.lines().orElseThrow().heal(0);
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (version(two, url) < version) {
                assertThat(System.nanoTime()).as("the other node obeys").isLessThan(end);
            }
        }
    }

    private static long version(KilledProxy node, String url) throws IOException {
        return StampedBody.version(url, get(node, 0).body()).orElseThrow();
    }

    private static void purge(KilledProxy node, String json) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var answer = node.admin("/v1/purge", json);
        while (answer.text().contains("\"durable\":false") && System.nanoTime() - end < 0) {
            // The disk was slow.
            answer = node.admin("/v1/purge", json);
        }
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    private static Client.Answer get(KilledProxy node, int page) throws IOException {
        try (var client = new Client(node.port())) {
            return client.get(HOST, "/" + page);
        }
    }

    private static void fetchAll(KilledProxy node) throws IOException {
        for (int i = 0; i < PAGES; i++) {
            assertThat(get(node, i).status()).isEqualTo(200);
        }
    }

    private static void awaitCurrent(KilledProxy node) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!node.admin("/v1/fleet").text().contains("\"state\":\"current\"")) {
            assertThat(System.nanoTime()).as("the node has read the log").isLessThan(end);
        }
    }

    private static void awaitOnDisk(KilledProxy node) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String tiers;
        do {
            tiers = node.admin("/v1/tiers").text();
            var objects = ON_DISK.matcher(tiers);
            if (objects.find() && Integer.parseInt(objects.group(1)) == PAGES) {
                return;
            }
        } while (System.nanoTime() - end < 0);
        throw new AssertionError(tiers);
    }
}
