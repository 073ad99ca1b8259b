package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.EntrySource;
import dev.quire.proxy.fleet.FleetOverview;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.fleet.NodeBuild;
import dev.quire.proxy.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The view that operators have of nodes that share a log. */
class FleetOverviewTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final RedisServer redis = RedisServer.redis();
    private final List<FleetNode> nodes = new ArrayList<>();

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    private static long count(FleetNode node, EntrySource source) {
        return node.log.status().invalidations().getOrDefault(source, 0L);
    }

    private static FleetOverview overview(FleetNode node) {
        return node.log.overview().toCompletableFuture().join();
    }

    private static boolean isLate(@Nullable Duration lag) {
        return lag != null && lag.compareTo(FleetNode.LEASE) > 0;
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    @Test
    void nodesAndTheLengthOfTheLogAreKnown() {
        var one = node("one");
        node("two");
        one.purge("t");
        one.awaitLog();

        var overview = overview(one);

        assertThat(overview.length()).isEqualTo(2);
        assertThat(overview.live()).isEqualTo(2);
        assertThat(overview.nodes())
                .extracting(FleetOverview.Node::name)
                .containsExactly("one", "two");
        assertThat(overview.nodes()).extracting(FleetOverview.Node::isSelf).contains(true, false);
        assertThat(overview.nodes())
                .allSatisfy(each -> {
                    assertThat(each.incarnation()).matches("[0-9a-f]{16}");
                    assertThat(each.silence()).isLessThan(FleetNode.LEASE);
                });
        one.await(() ->
                overview(one).nodes().stream()
                        .map(FleetOverview.Node::position)
                        .allMatch(new RecordPosition(one.log.epoch(), overview.last())::equals));
    }

    @Test
    void silentNodeIsNamedUntilItBeginsAgain() {
        var one = node("one");
        var two = node("two");
        two.server.cut();

        one.await(() -> overview(one).live() == 1);
        assertThat(overview(one).nodes())
                .filteredOn(FleetOverview.Node::isSilent)
                .extracting(FleetOverview.Node::name)
                .containsExactly("two");

        node("two");
        assertThat(overview(one).nodes())
                .extracting(FleetOverview.Node::isSilent)
                .containsExactly(false, false);
    }

    @Test
    void liveNodesThatRunSomethingElseAreUnlike() {
        var own = Optional.of(new NodeBuild("1.0", "aa", "a=http://a"));
        var newer = Optional.of(new NodeBuild("1.1 b", "aa", "a=http://a"));
        var other = Optional.of(new NodeBuild("1.0", "bb", "a=http://a"));
        var elsewhere = Optional.of(new NodeBuild("1.0", "aa", "a=http://b"));
        var overview =
                new FleetOverview(
                        1,
                        1,
                        Optional.empty(),
                        List.of(
                                running("a", own, false, true),
                                running("b", own, false, false),
                                running("c", newer, false, false),
                                running("d", other, false, false),
                                running("e", other, true, false),
                                running("f", Optional.empty(), false, false),
                                running("g", elsewhere, false, false)));

        assertThat(overview.unlike())
                .extracting(FleetOverview.Node::name)
                .containsExactly("c", "d", "g");
    }

    @ParameterizedTest
    @CsvSource({
        "allkeys-lru, 100mb, allkeys-lru",
        "allkeys-random, 100mb, allkeys-random",
        "allkeys-lru, 0,",
        "volatile-lfu, 100mb,",
        "noeviction, 100mb,"
    })
    void policyByWhichTheStoreMayRemoveTheLogIsNamed(
            String policy, String memory, @Nullable String named) {
        redis.cli("CONFIG", "SET", "maxmemory", memory);
        redis.cli("CONFIG", "SET", "maxmemory-policy", policy);

        var overview = overview(node("one"));

        assertThat(overview.eviction()).isEqualTo(Optional.ofNullable(named));
        assertThat(overview.policy()).contains(memory.equals("0") ? "" : policy);
    }

    @Test
    void policyThatTheUserMayNotAskForIsNotNamed() {
        redis.cli("CONFIG", "SET", "maxmemory", "100mb");
        redis.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        redis.cli("ACL", "SETUSER", "default", "-info");
        var one = node("one");

        assertThat(overview(one).policy()).isEmpty();
        assertThat(overview(one).live()).isEqualTo(1);
    }

    private static FleetOverview.Node running(
            String name, Optional<NodeBuild> build, boolean isSilent, boolean isSelf) {
        return new FleetOverview.Node(name, "01", null, Duration.ZERO, build, isSilent, isSelf);
    }

    @Test
    void lagGrowsWhileTheStoreIsAway() {
        var one = node("one");
        assertThat(one.log.status().lag()).isLessThan(PATIENCE);
        redis.suspend();

        one.await(() -> isLate(one.log.status().lag()));

        assertThat(one.log.status().isCurrent()).isFalse();
        one.await(() -> one.log.status().fault() != null);
        assertThatThrownBy(() -> overview(one)).isNotNull();
        redis.resume();
    }

    @Test
    void invalidationsAreCountedByTheWayTheyCame() {
        var one = node("one");
        var two = node("two");
        one.purge("a");
        two.awaitEntries(1);
        two.server.deafen();
        one.purge("b");
        two.awaitEntries(2);

        assertThat(count(one, EntrySource.LOCAL)).isEqualTo(2);
        assertThat(count(one, EntrySource.DOORBELL)).isZero();
        assertThat(count(one, EntrySource.CATCHUP)).isZero();
        // The tick may have found the first one, too.
        two.await(() -> count(two, EntrySource.DOORBELL) + count(two, EntrySource.CATCHUP) == 2);
        assertThat(count(two, EntrySource.CATCHUP)).isPositive();
        assertThat(count(two, EntrySource.LOCAL)).isZero();
    }

    /** The entry is in the log, but nothing is known about the other nodes. */
    @Test
    void fleetHasNotObeyedIfItsNodesAreNotKnown() {
        var one = node("one");
        one.server.forget();
        one.purge("t");

        var reached =
                one.log
                        .acknowledged(Ack.FLEET, Duration.ofMillis(500))
                        .toCompletableFuture()
                        .join();

        assertThat(reached.position()).isNotNull();
        assertThat(reached.isComplete()).isFalse();
        assertThat(reached.reached()).isEqualTo(Ack.LOG);
        assertThat(LogId.text(Objects.requireNonNull(reached.position())))
                .matches("[0-9a-f]{16}/[0-9]+-[0-9]+");
    }
}
