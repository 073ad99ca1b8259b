package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that share a log. */
class FleetLogTest {
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "news.example", "/a");
    private static final BanCondition BAN =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a")));

    private final RedisServer redis = RedisServer.of(program());
    private final List<FleetNode> nodes = new ArrayList<>();

    String program() {
        return RedisServer.REDIS;
    }

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    @Test
    void allKindsReachTheOtherNode() {
        var one = node("one");
        var two = node("two");
        var purge =
                new Purge(Set.of(URL), Set.of("t"), Set.of("h"), List.of(new PathPattern("/p*")));

        one.operator.purgeUncounted(purge, true);
        one.store.invalidate(URL, null);
        one.invalidations().invalidateGroups(URL, Set.of("g"));
        one.operator.ban(BAN);

        two.awaitEntries(4);
        assertThat(two.entries.get(0))
                .isInstanceOfSatisfying(
                        PurgeEntry.class,
                        entry -> {
                            assertThat(entry.isSoft()).isTrue();
                            assertThat(entry.purge().keys()).containsExactly(URL);
                            assertThat(entry.purge().tags()).containsExactly("t");
                            assertThat(entry.purge().hosts()).containsExactly("h");
                            assertThat(entry.purge().paths()).hasSize(1);
                        });
        assertThat(two.entries.get(1))
                .isInstanceOfSatisfying(
                        UrlEntry.class, entry -> assertThat(entry.url()).isEqualTo(URL));
        assertThat(two.entries.get(2))
                .isInstanceOfSatisfying(
                        GroupsEntry.class, entry -> assertThat(entry.names()).containsExactly("g"));
        assertThat(two.entries.get(3))
                .isInstanceOfSatisfying(
                        BanEntry.class, entry -> assertThat(entry.condition()).isEqualTo(BAN));
        assertThat(one.entries).hasSize(4);
    }

    @Test
    void banIsLiftedOnAllNodes() {
        var one = node("one");
        var two = node("two");
        two.purge("other numbers");
        one.awaitEntries(1);
        long number = one.operator.ban(BAN).getAsLong();
        two.await(() -> two.invalidations().activeBan(BAN).isPresent());

        assertThat(one.invalidations().lift(number)).isTrue();

        two.await(() -> two.invalidations().activeBan(BAN).isEmpty());
        assertThat(two.entries.getLast()).isInstanceOf(LiftEntry.class);
    }

    @Test
    void completedBanIsNotLiftedByAnotherNode() {
        var one = node("one");
        var two = node("two");
        try (var sweeper = two.operator.sweeper()) {
            sweeper.start();
            long number = one.operator.ban(BAN).getAsLong();
            two.await(() ->
                    two.invalidations().activeBan(BAN).isPresent()
                            && two.invalidations().banCount() == 0);

            assertThat(one.invalidations().lift(number)).isTrue();
            one.purge("later");

            two.await(() -> two.tags().contains("later"));
            assertThat(one.invalidations().activeBan(BAN)).isEmpty();
            assertThat(two.invalidations().activeBan(BAN)).isPresent();
        }
    }

    @Test
    void positionsOfOneNodeAreKnownToTheOther() {
        var one = node("one");
        var two = node("two");
        one.purge("a");
        two.awaitEntries(1);
        two.await(() -> two.log.status().applied() == one.log.status().applied());
        long first = one.log.status().applied();
        two.purge("b");
        one.awaitEntries(2);
        one.await(() ->
                one.log.status().applied() > first
                        && two.log.status().applied() == one.log.status().applied());

        var afterFirst = one.position(1);
        var afterBoth = one.position(2);

        assertThat(afterFirst).isNotNull();
        assertThat(afterBoth).isNotNull();
        assertThat(two.log.order(afterFirst)).isEqualTo(1);
        assertThat(two.log.order(afterBoth)).isEqualTo(2);
        assertThat(one.log.epoch()).isEqualTo(two.log.epoch()).isNotZero();
    }

    @Test
    void lostMessagesAreFoundByTheTick() {
        var one = node("one");
        var two = node("two");
        two.server.deafen();

        one.purge("a");
        one.purge("b");

        two.awaitEntries(2);
        two.server.heal();
        one.purge("c");
        two.awaitEntries(3);
        assertThat(two.tags()).containsExactly("a", "b", "c");
    }

    @Test
    void allNodesHaveAllEntriesOfManyAtOnce() throws InterruptedException {
        var all = List.of(node("one"), node("two"), node("three"));
        int each = 300;
        var threads =
                all.stream()
                        .map(node ->
                                Thread.ofPlatform()
                                        .start(() -> {
                                            for (int i = 0; i < each; i++) {
                                                node.purge(node.name + i);
                                                node.store.invalidate(URL, null);
                                            }
                                        }))
                        .toList();
        for (var thread : threads) {
            thread.join();
        }

        all.forEach(node -> node.awaitEntries(all.size() * each * 2));
        long last = all.stream().mapToLong(node -> node.log.status().applied()).max().getAsLong();
        all.forEach(node -> node.await(() -> node.log.status().applied() == last));
        for (var node : all) {
            assertThat(node.entries).hasSize(all.size() * each * 2);
            assertThat(node.position(node.invalidations().newest()).number()).isEqualTo(last);
            assertThat(node.log.order(node.position(node.invalidations().newest())))
                    .isEqualTo(node.invalidations().newest());
        }
    }

    @Test
    void nodeThatStartsReadsTheWholeLog() {
        var one = node("one");
        for (int i = 0; i < 2_500; i++) {
            one.purge("t" + i);
        }
        one.await(() -> one.log.status().waiting() == 0);

        var two = node("two");

        assertThat(two.entries).hasSize(2_500);
        assertThat(two.position(two.invalidations().newest())).isNotNull();
    }
}
