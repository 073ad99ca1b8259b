package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.admin.FleetState;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The view and the answers that operators of a node get, with a real store. */
class ShownFleetTest {
    private final RedisServer redis = RedisServer.redis();
    private final List<FleetNode> nodes = new ArrayList<>();

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    /** Joins the fleet; answers of {@code node} wait for {@code ack} by default. */
    private static ShownFleet shown(FleetNode node, Ack ack, Duration patience) {
        node.operator
                .fleet()
                .join(
                        () -> new Membership.Terms("test", ack, patience),
                        node.log,
                        Optional.empty());
        var shown = new ShownFleet(node.operator.fleet(), node.operator.metrics());
        shown.show();
        return shown;
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    @Test
    void stateNamesTheNodesAndTheirPositions() {
        var one = node("one");
        var two = node("two");
        var shown = shown(one, Ack.FLEET, Duration.ofSeconds(20));
        one.purge("t");

        var settled = one.operator.settled(Optional.empty()).toCompletableFuture().join();
        var state = shown.now().orElseThrow();

        assertThat(settled.isComplete()).isTrue();
        assertThat(two.tags()).containsExactly("t");
        var reached = settled.fleet().orElseThrow();
        assertThat(reached.reached()).isEqualTo(Ack.FLEET);
        assertThat(reached.nodes()).containsExactlyInAnyOrder("one", "two");
        assertThat(state.name()).isEqualTo("test");
        assertThat(state.node()).isEqualTo("one");
        assertThat(state.state()).isEqualTo("current");
        assertThat(state.reason()).isNull();
        assertThat(state.ack()).isEqualTo("fleet");
        assertThat(state.position())
                .isEqualTo(LogId.text(Objects.requireNonNull(reached.position())))
                .startsWith(state.epoch() + "/");
        assertThat(state.invalidations()).containsEntry("local", 1L);
        var log = Objects.requireNonNull(state.log());
        assertThat(log.entries()).isEqualTo(2);
        assertThat(state.position()).endsWith("/" + log.last());
        assertThat(state.nodes()).extracting(FleetState.Node::name).containsExactly("one", "two");
        assertThat(state.nodes()).extracting(FleetState.Node::state).containsOnly("live");
    }

    @Test
    void policyByWhichTheStoreMayRemoveTheLogIsShown() {
        redis.cli("CONFIG", "SET", "maxmemory", "100mb");
        redis.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
        var shown = shown(node("one"), Ack.LOG, Duration.ofSeconds(20));

        var log = Objects.requireNonNull(shown.now().orElseThrow().log());

        assertThat(log.eviction()).isEqualTo("allkeys-lfu");
        redis.cli("CONFIG", "SET", "maxmemory-policy", "noeviction");
        assertThat(Objects.requireNonNull(shown.now().orElseThrow().log()).eviction()).isNull();
    }

    @Test
    void storeThatIsAwayIsNamed() {
        var one = node("one");
        var shown = shown(one, Ack.LOG, Duration.ofMillis(50));
        redis.suspend();
        one.await(() -> one.log.status().fault() != null);
        one.purge("t");

        var settled = one.operator.settled(Optional.empty()).toCompletableFuture().join();
        var local = one.operator.settled(Optional.of(Ack.LOCAL)).toCompletableFuture().join();
        var state = shown.now().orElseThrow();

        assertThat(settled.durability()).isEqualTo(Durability.DURABLE);
        assertThat(settled.isComplete()).isFalse();
        assertThat(settled.fleet().orElseThrow().reached()).isEqualTo(Ack.LOCAL);
        assertThat(local.isComplete()).isTrue();
        assertThat(state.state()).isEqualTo("behind");
        assertThat(state.reason())
                .isEqualTo("store " + one.server.addresses() + ": no answer within 2 s");
        assertThat(state.waiting()).isEqualTo(1);
        assertThat(state.log()).isNull();
        assertThat(state.nodes()).isEmpty();
        redis.resume();
    }

    @Test
    void metricsShowTheFleet() {
        var one = node("one");
        var two = node("two");
        assertThat(one.operator.metrics().scrape()).doesNotContain("quire_fleet");
        var shown = shown(one, Ack.LOG, Duration.ofSeconds(20));
        assertThat(one.operator.metrics().scrape()).contains("quire_fleet_nodes NaN\n");
        long begun = LogId.millis(one.log.status().read().floor());
        assertThat(begun).isPositive();
        assertThat(one.operator.metrics().scrape())
                .contains("quire_fleet_floor " + begun / 1e3 + "\n");
        two.purge("t");
        var counted = Pattern.compile("source=\"(catchup|doorbell)\"\\} 1.0\n");
        one.await(() -> counted.matcher(one.operator.metrics().scrape()).find());

        shown.look();

        assertThat(one.operator.metrics().scrape())
                .contains("quire_fleet_nodes 2.0\n", "quire_fleet_silent 0.0\n")
                .contains("quire_fleet_journal 0.0\n")
                .containsPattern("quire_fleet_lag [0-9.]+(E-[0-9]+)?\n")
                .contains("quire_fleet_invalidations_total{source=\"local\"} 0.0\n");

        two.server.cut();
        one.await(() -> {
            shown.look();
            return one.operator.metrics().scrape().contains("quire_fleet_silent 1.0\n");
        });
        assertThat(one.operator.metrics().scrape()).contains("quire_fleet_nodes 1.0\n");
    }

    @Test
    void withoutAFleetNothingIsAwaited() {
        var one = node("one");
        var alone = new ShownFleet(new Membership(), one.operator.metrics());
        alone.show();
        alone.look();

        assertThat(alone.now()).isEmpty();
        assertThat(one.operator.settled(Optional.empty()).toCompletableFuture().getNow(null))
                .satisfies(settled -> {
                    assertThat(settled.fleet()).isEmpty();
                    assertThat(settled.isComplete()).isTrue();
                });
    }
}
