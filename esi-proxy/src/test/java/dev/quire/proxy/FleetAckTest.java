package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.Acknowledged;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acknowledgements, and nodes that are cut off. */
class FleetAckTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "news.example", "/a");
    private static final BanCondition BAN =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a")));

    private final RedisServer redis = RedisServer.redis();
    private final List<FleetNode> nodes = new ArrayList<>();

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    private FleetNode node(FleetLog.Terms terms) {
        var node = FleetNode.startWithout(terms, redis);
        nodes.add(node);
        return node;
    }

    /** Returns a node whose journal has ten entries at most. */
    private FleetNode nodeWithSmallJournal(String name) {
        var terms = FleetNode.terms(name);
        var node =
                node(
                        new FleetLog.Terms(
                                terms.fleet(), terms.node(), terms.lease(), terms.retention(), 10));
        node.await(node.log::isCurrent);
        return node;
    }

    private static Acknowledged acknowledged(FleetNode node, Ack ack, Duration patience) {
        return node.log.acknowledged(ack, patience).toCompletableFuture().join();
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    @Test
    void allNodesObeyOnceTheFleetHasAcknowledged() {
        var one = node("one");
        var two = node("two");
        var three = node("three");

        for (int i = 1; i <= 200; i++) {
            one.purge("t" + i);
            var reached = acknowledged(one, Ack.FLEET, PATIENCE);

            assertThat(two.tags()).hasSize(i);
            assertThat(three.tags()).hasSize(i);
            assertThat(reached.isComplete()).isTrue();
            assertThat(reached.nodes()).containsExactlyInAnyOrder("one", "two", "three");
        }
    }

    @Test
    void nodeThatCouldForgetAnEntryHasNotAcknowledgedIt() {
        var one = node("one");
        var two = node("two");
        var written = new CompletableFuture<Durability>();
        two.synced = written;
        one.purge("t");

        var early = acknowledged(one, Ack.FLEET, Duration.ofSeconds(1));

        assertThat(early.missing()).containsExactly("two");
        two.await(() -> two.tags().equals(List.of("t")));
        written.complete(Durability.DURABLE);
        // The node has been silent meanwhile.
        one.await(() -> acknowledged(one, Ack.FLEET, PATIENCE).isComplete());
    }

    @Test
    void nodeIsCurrentAlthoughTheNewestEntryWasDeleted() {
        var one = node("one");
        one.purge("t");
        one.purge("u");
        assertThat(acknowledged(one, Ack.LOG, PATIENCE).isComplete()).isTrue();
        var newest = redis.cli("XREVRANGE", "q1:{log}", "+", "-", "COUNT", "1").lines().findFirst();
        one.server.cut();
        redis.cli("XDEL", "q1:{log}", newest.orElseThrow());

        var two = node("two");

        assertThat(two.tags()).contains("t").doesNotContain("u");
    }

    @Test
    void logHasTheEntryOnceItIsAcknowledged() {
        var one = node("one");
        for (int i = 1; i <= 100; i++) {
            one.store.invalidate(URL, null);

            var reached = acknowledged(one, Ack.LOG, PATIENCE);

            assertThat(reached.isComplete()).isTrue();
            assertThat(redis.cli("XLEN", "q1:{log}")).isEqualTo("" + (i + 1));
        }
    }

    @Test
    void storeThatHasForgottenTheNodesIsNoReasonToForgetOne() {
        var one = node("one");
        var two = node("two");
        one.purge("a");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        two.server.cut();
        redis.cli("DEL", "q1:{log}:n");
        one.purge("b");

        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).missing()).containsExactly("two");
        one.purge("c");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).missing()).containsExactly("two");
        two.server.heal();
        two.await(() -> two.tags().contains("c"));
        one.await(() -> acknowledged(one, Ack.FLEET, Duration.ofSeconds(2)).isComplete());
    }

    /** As a replica has it that takes the place of its server before it has all of its content. */
    @Test
    void storeWithAnOlderTableOfNodesIsNoReasonToForgetOne() {
        var one = node("one");
        var two = node("two");
        one.purge("a");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        two.server.cut();
        redis.cli("HDEL", "q1:{log}:n", two.log.status().node());
        redis.cli("HINCRBY", "q1:{log}:e", "entered", "-1");
        one.purge("b");

        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).missing()).containsExactly("two");
    }

    @Test
    void nodeThatWasKilledIsNotAwaitedOnceItsNextProcessHasLeft() {
        var one = node("one");
        node("two").server.cut();
        var next = FleetNode.start("two", redis);
        // The killed process is silent.
        one.await(() -> {
            one.purge("a");
            return acknowledged(one, Ack.FLEET, Duration.ofMillis(100)).isComplete();
        });
        next.close();
        one.purge("b");

        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).nodes()).containsExactly("one");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).missing()).isEmpty();
    }

    @Test
    void storeThatIsAwayIsNotAwaitedForLong() {
        var one = node("one");
        redis.suspend();
        one.purge("t");

        var local = acknowledged(one, Ack.LOCAL, PATIENCE);
        var logged = acknowledged(one, Ack.LOG, Duration.ofMillis(50));
        var fleet = acknowledged(one, Ack.FLEET, Duration.ofMillis(50));

        assertThat(local.isComplete()).isTrue();
        assertThat(logged.isComplete()).isFalse();
        assertThat(fleet.isComplete()).isFalse();
        redis.resume();
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
    }

    @Test
    void nodesAreNotKnownAtTheBeginOfAnEpoch() {
        node("two").server.cut();
        redis.cli("FLUSHALL");
        var one = node("one");
        one.purge("t");

        var early = acknowledged(one, Ack.FLEET, Duration.ofMillis(50));

        assertThat(early.isComplete()).isFalse();
        assertThat(early.reached()).isEqualTo(Ack.LOG);
    }

    @Test
    void nodeThatIsCutOffIsNamedAfterTheStoreHasForgottenIt() {
        var one = node("one");
        var two = node("two");
        one.purge("t");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        two.server.cut();
        redis.cli("FLUSHALL");

        one.purge("u");
        one.await(() -> {
            var reached = acknowledged(one, Ack.FLEET, Duration.ofMillis(100));
            assertThat(reached.isComplete()).isFalse();
            return reached.missing().contains("two");
        });
        two.server.heal();
        one.await(() -> acknowledged(one, Ack.FLEET, PATIENCE).isComplete());
        assertThat(two.tags()).contains("u");
    }

    /** The next process of a node has either seen the former store, or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodeThatIsCutOffIsNamedByAProcessThatHasNotAskedForIt(boolean startsFirst) {
        node("two").server.cut();
        var three = node("three");
        if (startsFirst) {
            node("one");
            three.server.cut();
        }
        redis.cli("FLUSHALL");
        var one = startsFirst ? nodes.getLast() : node("one");

        one.await(() -> {
            one.purge("t");
            var reached = acknowledged(one, Ack.FLEET, Duration.ofMillis(100));
            assertThat(reached.isComplete()).isFalse();
            return reached.missing().contains("two");
        });
        nodes.forEach(node -> node.server.heal());
        one.await(() -> acknowledged(one, Ack.FLEET, PATIENCE).isComplete());
        assertThat(redis.cli("HKEYS", "q1:{log}:n").lines()).hasSize(3).noneMatch("two"::equals);
    }

    @Test
    void nodeThatHasLeftIsNotNamedAfterTheStoreHasForgottenAll() {
        var one = node("one");
        var two = FleetNode.start("two", redis);
        one.purge("t");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).nodes()).contains("two");
        two.close();
        one.await(() -> acknowledged(one, Ack.FLEET, PATIENCE).nodes().size() == 1);
        redis.cli("FLUSHALL");

        one.purge("u");

        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        assertThat(redis.cli("HKEYS", "q1:{log}:n")).startsWith("one#").doesNotContain("two");
    }

    @Test
    void nothingIsAwaitedOnceTheNodeHasLeft() {
        var one = FleetNode.start("one", redis);
        one.close();

        assertThat(one.log.acknowledged(Ack.FLEET, PATIENCE))
                .succeedsWithin(PATIENCE)
                .returns(false, Acknowledged::isComplete);
    }

    @Test
    void nodeThatDoesNotAnswerIsNamed() {
        var one = node("one");
        var two = node("two");
        two.server.cut();
        one.purge("t");

        var early = acknowledged(one, Ack.FLEET, Duration.ofMillis(100));

        assertThat(early.isComplete()).isFalse();
        assertThat(early.nodes()).containsExactly("one");
        assertThat(early.missing()).containsExactly("two");

        // By now it knows itself that it may be behind.
        var late = acknowledged(one, Ack.FLEET, PATIENCE);
        assertThat(late.missing()).containsExactly("two");
        assertThat(two.log.isCurrent()).isFalse();

        two.server.heal();
        two.await(two.log::isCurrent);
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).nodes())
                .containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void answerThatIsLostComesWithTheNextTick() {
        var one = node("one");
        var two = node("two");
        one.server.deafen();
        two.server.deafen();
        one.purge("t");

        var reached = acknowledged(one, Ack.FLEET, PATIENCE);

        assertThat(reached.isComplete()).isTrue();
        assertThat(two.tags()).containsExactly("t");
    }

    @Test
    void nodeThatLeavesIsNotAwaited() {
        var one = node("one");
        FleetNode.start("two", redis).close();
        one.purge("t");

        var reached = acknowledged(one, Ack.FLEET, PATIENCE);

        assertThat(reached.isComplete()).isTrue();
        assertThat(reached.nodes()).containsExactly("one");
    }

    @Test
    void entriesOfANodeThatIsCutOffAreAppendedLater() {
        var one = node("one");
        var two = node("two");
        two.server.cut();
        two.purge("a");
        two.store.invalidate(URL, null);
        two.purge("b");
        one.purge("c");
        var position = one.position(1);

        two.server.heal();

        one.awaitEntries(4);
        two.awaitEntries(4);
        assertThat(one.tags()).containsExactly("c", "a", "b");
        assertThat(two.tags()).containsExactly("a", "b", "c");
        // Its own entries are later in the log than this record.
        assertThat(two.log.order(position)).isZero();
    }

    @Test
    void tooManyEntriesOfANodeThatIsCutOffBecomeAPurgeOfEverything() {
        var one = node("one");
        var two = nodeWithSmallJournal("two");
        two.server.cut();
        for (int i = 0; i < 25; i++) {
            two.purge("t" + i);
        }
        acknowledged(two, Ack.LOG, Duration.ofMillis(100));
        two.await(() -> two.log.status().waiting() <= 10);

        two.server.heal();

        two.awaitLog();
        one.await(one::hasPurgedEverything);
        assertThat(two.hasPurgedEverything()).isFalse();
        assertThat(two.tags()).hasSize(25);
        one.await(() -> one.log.status().applied() == two.log.status().applied());
        var record = one.position(one.invalidations().newest());
        two.await(() -> two.log.order(record) == two.invalidations().newest());
    }

    @Test
    void entryInAPurgeOfEverythingIsAcknowledgedOnceTheLogHasThat() {
        var one = node("one");
        var two = nodeWithSmallJournal("two");
        two.server.cut();
        two.purge("t");
        var first = two.log.acknowledged(Ack.LOG, PATIENCE).toCompletableFuture();
        for (int i = 0; i < 25; i++) {
            two.purge("t" + i);
        }

        assertThat(acknowledged(two, Ack.LOG, Duration.ofMillis(500)).isComplete()).isFalse();
        assertThat(first).isNotDone();

        two.server.heal();
        assertThat(first.join().isComplete()).isTrue();
        assertThat(redis.cli("XLEN", "q1:{log}")).isNotEqualTo("1");
        one.await(one::hasPurgedEverything);
    }

    @Test
    void entriesThatTheStoreDoesNotTakeAreExplained() {
        var one = node("one");
        assertThat(redis.cli("ACL", "SETUSER", "default", "-xadd")).isEqualTo("OK");

        one.purge("t");

        one.await(() ->
                String.valueOf(one.log.status().fault())
                        .startsWith("a permission is missing in the store: "));
        assertThat(one.log.isCurrent()).isTrue();
        assertThat(one.log.status().waiting()).isEqualTo(1);
        redis.cli("ACL", "SETUSER", "default", "+xadd");
        one.awaitLog();
        one.await(() -> one.log.status().fault() == null);
    }

    @Test
    void nodeThatHasLeftDoesNotRegisterAgain() {
        var one = node("one");
        var two = FleetNode.start("two", redis);
        two.server.loseRemovals();

        two.close();

        one.purge("t");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).nodes()).containsExactly("one");
        assertThat(redis.cli("HKEYS", "q1:{log}:n")).doesNotContain("two");
    }

    @Test
    void bansAndTheirEndsHaveOneOrder() {
        var one = node("one");
        var two = node("two");
        two.server.cut();
        two.operator.ban(BAN);
        long number = one.operator.ban(BAN).getAsLong();
        one.invalidations().lift(number);
        one.awaitLog();

        two.server.heal();

        assertThat(acknowledged(two, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        assertThat(one.invalidations().activeBan(BAN)).isPresent();
        assertThat(two.invalidations().activeBan(BAN)).isPresent();
    }

    @Test
    void anotherFleetUnderTheSameNamespaceIsRefused() {
        var one = node("one");
        var stranger =
                node(
                        new FleetLog.Terms(
                                "other", "two#1", FleetNode.LEASE, Duration.ofHours(25), 10_000));
        stranger.await(() -> String.valueOf(stranger.log.status().fault()).contains("fleet test"));

        one.purge("t");
        stranger.purge("u");

        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).nodes()).containsExactly("one");
        assertThat(stranger.tags()).containsExactly("u");
        assertThat(stranger.log.isCurrent()).isFalse();
        assertThat(stranger.log.position(1)).isNull();
        assertThat(stranger.log.order(one.position(1))).isEqualTo(FleetPositions.UNKNOWN);
    }

    @Test
    void nodeOfAnotherVersionIsRefused() {
        var one = node("one");
        long epoch = one.log.epoch();
        redis.cli("HSET", "q1:{log}:e", "schema", "99");

        one.await(() -> String.valueOf(one.log.status().fault()).contains("schema 99"));
        assertThat(one.log.isCurrent()).isFalse();

        redis.cli("HSET", "q1:{log}:e", "schema", "1");
        one.await(one.log::isCurrent);
        assertThat(one.log.epoch()).isEqualTo(epoch);
    }

    @Test
    void messagesThatThePermissionsForbidAreExplained() {
        redis.cli("ACL", "SETUSER", "default", "-subscribe");
        var one = node("one");
        one.await(() -> String.valueOf(one.log.status().fault()).contains("permission"));
        var two = node("two");
        two.purge("t");
        // By a tick.
        one.await(() -> one.tags().contains("t"));

        redis.cli("ACL", "SETUSER", "default", "+subscribe");

        one.await(() -> one.log.status().fault() == null);
    }

    @Test
    void nodeStartsWithoutAStore() {
        redis.kill();
        var one = node(FleetNode.terms("one"));
        one.purge("t");
        one.await(() -> one.log.status().waiting() == 1);

        redis.start();

        one.await(one.log::isCurrent);
        one.awaitLog();
        assertThat(node("two").tags()).containsExactly("t");
    }

    @Test
    void userOfTheLogNeedsFewCommands() {
        var user =
                "ACL SETUSER default resetkeys ~q1:* resetchannels &q1:* -@all +hello +info"
                        + " +eval +evalsha +subscribe +publish +time +exists"
                        + " +xadd +xrange +xrevrange +xtrim +xinfo|stream +hget +hmget +hgetall +hset +hlen +hdel";
        assertThat(redis.cli(user.split(" "))).isEqualTo("OK");
        var one = node("one");
        var two = node("two");

        one.purge("t");
        assertThat(acknowledged(one, Ack.FLEET, PATIENCE).isComplete()).isTrue();
        assertThat(two.tags()).containsExactly("t");

        assertThat(redis.cli("FLUSHALL")).contains("NOPERM");
    }
}
