package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.fleet.EntrySource;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.redis.ClusterServers;
import dev.quire.proxy.redis.RedisServer;
import dev.quire.proxy.redis.RedisSettings;
import dev.quire.proxy.redis.WatchedServers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs whose server is replaced by its replica. */
class FleetFailoverTest {
    private static final String LOG = "q1:{log}";

    @TempDir Path folder;
    private final List<FleetNode> nodes = new ArrayList<>();

    String program() {
        return RedisServer.REDIS;
    }

    private FleetNode node(String name, RedisSettings store) {
        var node = FleetNode.start(name, store);
        nodes.add(node);
        return node;
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
    }

    @Test
    void sentinelsLeadToTheNewServer() throws Exception {
        try (var servers = WatchedServers.start(program(), folder)) {
            goesOn(servers.settings(), servers.primary(), servers.replica());
        }
    }

    @Test
    void clusterLeadsToTheNewServer() {
        try (var servers = ClusterServers.start(program(), folder, true)) {
            var primary = servers.primaryOf(LOG);
            goesOn(servers.settings(), primary, servers.replicaOf(primary));
        }
    }

    /** Its machine still acknowledges what is sent to it. */
    @Test
    void serverThatIsStoppedIsLeft() throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder)) {
            var one = node("one", servers.settings());
            var two = node("two", servers.settings());
            one.purge("before");
            two.awaitEntries(1);
            servers.replica().awaitCopyOf(servers.primary());

            servers.primary().suspend();
            one.purge("meanwhile");

            two.await(() -> two.tags().contains("meanwhile") && two.log.isCurrent());
            long heard = heard(one);
            one.await(() -> {
                two.purge("heard");
                return heard(one) > heard;
            });
        }
    }

    private void goesOn(RedisSettings store, RedisServer primary, RedisServer replica) {
        var one = node("one", store);
        var two = node("two", store);
        one.purge("before");
        two.awaitEntries(1);
        long epoch = one.log.epoch();
        replica.awaitCopyOf(primary);
        long start = System.nanoTime();

        primary.kill();
        one.purge("meanwhile");

        two.await(() -> two.tags().contains("meanwhile") && two.log.isCurrent());
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        two.purge("after");
        one.await(() -> one.tags().contains("after") && one.log.isCurrent());
        assertThat(two.tags()).containsSubsequence("before", "meanwhile", "after");
        assertThat(one.log.epoch()).isEqualTo(two.log.epoch()).isEqualTo(epoch);
        assertThat(two.hasPurgedEverything()).isFalse();
        long heard = heard(one);
        one.await(() -> {
            two.purge("heard");
            return heard(one) > heard;
        });
    }

    /** The entries that came by a message. */
    private static long heard(FleetNode node) {
        return node.log.status().invalidations().getOrDefault(EntrySource.DOORBELL, 0L);
    }

    @Test
    void entryThatTheNewServerLacksIsAppendedAgainInANewEpoch() throws Exception {
        try (var servers = WatchedServers.start(program(), folder)) {
            var one = node("one", servers.settings());
            var two = node("two", servers.settings());
            one.purge("kept");
            two.awaitEntries(1);
            long epoch = one.log.epoch();
            two.server.cut();
            servers.separate();
            one.purge("lost");
            one.awaitLog();
            var lost = one.position(2);

            servers.primary().kill();
            two.server.heal();

            for (var node : nodes) {
                node.await(() ->
                        node.log.epoch() != epoch
                                && node.log.isCurrent()
                                && node.log.status().waiting() == 0);
            }
            assertThat(two.tags()).contains("kept", "lost");
            assertThat(one.log.order(lost)).isEqualTo(FleetPositions.UNKNOWN);
            assertThat(two.log.order(lost)).isEqualTo(FleetPositions.UNKNOWN);
            assertThat(two.log.epoch()).isEqualTo(one.log.epoch());
            assertThat(node("three", servers.settings()).tags()).contains("kept", "lost");
        }
    }
}
