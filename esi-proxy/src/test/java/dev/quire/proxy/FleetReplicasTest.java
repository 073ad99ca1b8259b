package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.Acknowledged;
import dev.quire.proxy.fleet.Acknowledged.Replicas;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.fleet.Replication;
import dev.quire.proxy.redis.ClusterServers;
import dev.quire.proxy.redis.RedisServer;
import dev.quire.proxy.redis.RedisSettings;
import dev.quire.proxy.redis.WatchedServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers to invalidations that wait for replicas of the store. */
class FleetReplicasTest {
    private static final String LOG = "q1:{log}";

    @TempDir Path folder;

    /** Invalidates, and returns the answer. */
    private static Acknowledged purge(FleetNode node, Membership fleet, Ack ack) {
        node.purge("t");
        return fleet.acknowledged(Optional.of(ack)).toCompletableFuture().join().orElseThrow();
    }

    private static Membership fleet(FleetNode node) {
        var fleet = new Membership();
        fleet.join(
                () -> new Membership.Terms("test", Ack.LOG, Duration.ofSeconds(20)),
                node.log,
                Optional.of(new Replication(node.server::copies, 1)));
        return fleet;
    }

    @Test
    void replicaBehindSentinelsIsWaitedFor() throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder)) {
            isWaitedFor(servers.settings(), servers.replica());
        }
    }

    @Test
    void replicaOfTheServerWithTheLogInAClusterIsWaitedFor() {
        try (var servers = ClusterServers.start("redis-server", folder, true)) {
            isWaitedFor(servers.settings(), servers.replicaOf(servers.primaryOf(LOG)));
        }
    }

    private static void isWaitedFor(RedisSettings store, RedisServer replica) {
        try (var node = FleetNode.start("one", store)) {
            var fleet = fleet(node);
            node.await(() -> purge(node, fleet, Ack.LOG).isComplete());

            var answers = new ArrayList<Acknowledged>();
            node.await(() -> {
                answers.add(purge(node, fleet, Ack.FLEET));
                return answers.getLast().isComplete();
            });
            var whole = answers.getLast();
            replica.suspend();
            var lacking = purge(node, fleet, Ack.LOG);
            var local = purge(node, fleet, Ack.LOCAL);

            assertThat(whole.replicas()).contains(new Replicas(1, 1));
            assertThat(whole.reached()).isEqualTo(Ack.FLEET);
            assertThat(whole.members()).containsEntry("replicas", 1).containsEntry("replicated", 1);
            assertThat(lacking.replicas()).contains(new Replicas(1, 0));
            assertThat(lacking.isComplete()).isFalse();
            assertThat(lacking.reached()).isEqualTo(Ack.LOG);
            assertThat(local.isComplete()).isTrue();
            assertThat(local.replicas()).isEmpty();

            replica.resume();
            node.await(() -> purge(node, fleet, Ack.LOG).isComplete());
        }
    }

    @Test
    void newPrimaryServerIsAskedAfterAFailover() throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder);
                var node = FleetNode.start("one", servers.settings())) {
            var fleet = fleet(node);
            node.await(() -> purge(node, fleet, Ack.LOG).isComplete());

            servers.primary().kill();
            node.await(() -> purge(node, fleet, Ack.LOG).reached() == Ack.LOG);
            var alone = purge(node, fleet, Ack.LOG);
            try (var next =
                    RedisServer.redis("--replicaof", "127.0.0.1 " + servers.replica().port())) {
                next.awaitCopyOf(servers.replica());
                node.await(() -> purge(node, fleet, Ack.LOG).isComplete());
            }

            assertThat(alone.replicas()).contains(new Replicas(1, 0));
        }
    }
}
