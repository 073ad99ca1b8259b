package dev.quire.proxy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes with a disk tier that are killed and start again. */
@Timeout(60)
class FleetRestartTest {
    private static final CacheKey URL = new CacheKey(Scheme.HTTP, "news.example", "/a");
    private static final BanCondition BAN =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a")));
    private static final BanCondition LIFTED =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/b")));

    private final RedisServer redis = RedisServer.redis("--stream-node-max-entries", "10");
    private final LogCopies log = new LogCopies(redis);
    private final List<FleetNode> nodes = new ArrayList<>();

    @TempDir private Path temporary;

    private Path directory;
    private int kills;

    @BeforeEach
    void nameDirectory() {
        directory = temporary.resolve("first");
    }

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    /** Returns one that has read the log. */
    private FleetNode onDisk(FleetLog.Terms terms) {
        var node = cutOff(terms);
        node.server.heal();
        node.await(node.log::isCurrent);
        return node;
    }

    private FleetNode onDisk() {
        return onDisk(FleetNode.terms("one"));
    }

    private FleetNode cutOff(FleetLog.Terms terms) {
        var node = FleetNode.startCutOff(terms, redis, directory);
        nodes.add(node);
        return node;
    }

    /** The next process finds the files as they are now. */
    private void kill(FleetNode node) {
        var copy = temporary.resolve("kill" + kills++);
        node.copyDisk(directory, copy);
        directory = copy;
        node.server.cut();
    }

    @AfterEach
    void stop() {
        nodes.forEach(node -> node.server.cut());
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    /** The one in between writes the journal anew. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void entriesOfAKilledNodeReachTheOthers(int between) {
        var one = onDisk();
        var two = node("two");
        one.operator.ban(LIFTED);
        two.await(() -> two.invalidations().activeBan(LIFTED).isPresent());
        one.awaitNoted();
        one.server.cut();
        one.purge("a");
        one.store.invalidate(URL, null);
        one.invalidations().invalidateGroups(URL, Set.of("g"));
        one.operator.ban(BAN);
        one.invalidations().lift(one.invalidations().activeBan(LIFTED).getAsLong());
        kill(one);
        for (int i = 0; i < between; i++) {
            kill(cutOff(FleetNode.terms("one")));
        }

        var again = onDisk();

        two.await(() -> two.invalidations().activeBan(LIFTED).isEmpty());
        assertThat(two.tags()).containsExactly("a");
        assertThat(two.entries).hasSize(6);
        assertThat(two.entries).filteredOn(UrlEntry.class::isInstance).hasSize(1);
        assertThat(two.entries).filteredOn(GroupsEntry.class::isInstance).hasSize(1);
        assertThat(two.invalidations().activeBan(BAN)).isPresent();
        assertThat(again.invalidations().newest()).isEqualTo(one.invalidations().newest());
        again.await(() -> again.log.status().waiting() == 0);
        assertThat(again.invalidations().activeBan(BAN)).isPresent();
        assertThat(again.invalidations().activeBan(LIFTED)).isEmpty();
    }

    @Test
    void entryThatWasAppendedButNotNotedIsMadeOnce() {
        var one = onDisk();
        var two = node("two");
        one.server.cut();
        one.purge("a");
        one.copyDisk(directory, temporary.resolve("pending"));
        one.server.heal();
        one.awaitLog();
        two.awaitEntries(1);
        one.server.cut();
        directory = temporary.resolve("pending");

        var again = onDisk();

        two.purge("last");
        again.await(() -> again.keptTags().contains("last"));
        again.await(() -> again.log.status().waiting() == 0);
        assertThat(two.tags()).containsExactly("a", "last");
        assertThat(again.invalidations().newest()).isEqualTo(2);
        assertThat(redis.cli("XLEN", LogCopies.LOG)).isEqualTo("3");
    }

    @Test
    void onlyNewerEntriesAreRead() {
        var one = onDisk();
        var two = node("two");
        two.purge("a");
        one.purge("b");
        one.awaitLog();
        two.awaitLog();
        two.awaitEntries(2);
        one.awaitNoted();
        long before = one.invalidations().newest();
        kill(one);
        two.purge("away");

        var again = onDisk();

        again.await(() -> again.invalidations().newest() == before + 1);
        assertThat(again.keptTags()).contains("away");
        assertThat(again.hasKeptPurgeOfEverything()).isFalse();
        assertThat(two.tags()).containsExactly("a", "b", "away");
    }

    @Test
    void recordsOfTheSharedStoreAreFoundAfterARestart() {
        var one = onDisk();
        var two = node("two");
        // One after the other: of entries that two nodes make at a time, not all are places.
        for (int i = 0; i < 5; i++) {
            int count = two.entries.size();
            one.purge("a" + i);
            two.awaitEntries(count + 1);
            two.purge("b" + i);
            one.await(() -> one.invalidations().newest() == count + 2);
        }
        one.awaitLog();
        two.awaitLog();
        one.awaitNoted();
        two.awaitNoted();
        var expected = new ArrayList<Long>();
        for (long number = 0; number <= 10; number++) {
            expected.add(one.log.order(two.position(number)));
        }
        kill(one);

        var again = onDisk();

        for (int number = 0; number <= 10; number++) {
            assertThat(again.log.order(two.position(number))).isEqualTo(expected.get(number));
        }
        assertThat(expected.getLast()).isEqualTo(10);
        assertThat(again.position(10)).isEqualTo(two.position(10));
        assertThat(again.log.position(9)).isNull();
        // So no entry that an old record must be tested against is forgotten by then.
        assertThat(again.invalidations().notes().oldest()).isZero();
    }

    @Test
    void entryThatWaitsHidesRecordsThatAreNotTestedAgainstIt() {
        var one = onDisk();
        var two = node("two");
        one.server.cut();
        one.purge("a");
        kill(one);
        var position = two.position(0);

        var again = cutOff(FleetNode.terms("one"));
        again.server.heal();

        again.await(() -> again.log.order(position) != FleetPositions.UNKNOWN);
        assertThat(again.log.order(position)).isZero();
        two.awaitEntries(1);
        again.await(() -> again.log.order(two.position(1)) == 1);
        assertThat(again.log.order(position)).isZero();
    }

    @Test
    void trimmedLogPurgesEverything() {
        var kept = Duration.ofMillis(500);
        var shortLived = FleetNode.terms("one", kept);
        var one = onDisk(shortLived);
        var two = FleetNode.startWithout(FleetNode.terms("two", kept), redis);
        nodes.add(two);
        two.await(two.log::isCurrent);
        kill(one);
        two.purge("missed");
        for (int i = 0; i < 30; i++) {
            two.purge("more" + i);
        }
        two.awaitLog();
        two.awaitPassed(kept.multipliedBy(2));
        two.purge("later");
        two.awaitLog();

        var again = onDisk(shortLived);

        assertThat(again.hasKeptPurgeOfEverything()).isTrue();
        assertThat(again.log.epoch()).isEqualTo(two.log.epoch());
    }

    @Test
    void logThatIsOlderThanTheFormerOnePurgesEverything() {
        try (var older = RedisServer.redis()) {
            var other = FleetNode.start("other", older);
            nodes.add(other);
            other.await(other.log::isCurrent);
            long former = other.log.epoch();
            var one = onDisk();
            one.purge("a");
            one.awaitLog();
            one.awaitNoted();
            kill(one);

            var again = FleetNode.startCutOff(FleetNode.terms("one"), older, directory);
            nodes.add(again);
            again.server.heal();
            again.await(again.log::isCurrent);

            // Its records must not be valid again.
            assertThat(again.log.epoch()).isNotEqualTo(former);
            other.await(() -> other.log.epoch() == again.log.epoch());
            assertThat(again.hasKeptPurgeOfEverything()).isTrue();
        }
    }

    /** A primary server and its replica are both written for a moment, and the replica stays. */
    @Test
    void entriesOfAnotherServerAreReadAfterARestart() {
        var one = onDisk();
        var two = node("two");
        log.fork(one, two);
        one.awaitNoted();
        kill(one);
        log.exchange();
        two.server.heal();

        var again = onDisk();

        assertThat(again.keptTags()).contains("of replica");
        assertThat(again.hasKeptPurgeOfEverything()).isFalse();
        two.await(() -> two.tags().contains("of primary"));
    }

    /** A node that was killed had read entries that no node appends again. */
    @Test
    void othersPurgeEverythingIfAnotherServerHadTheLogForMinutes() {
        long start = idBefore(600);
        long lost = idBefore(300);
        long applied = idBefore(200);
        var one = cutOff(FleetNode.terms("one"));
        var notes = one.invalidations().notes();
        notes.begin(new LogNote.Begun(9, start, start), Set.of());
        notes.settle();
        var places = List.of(new LogState.Place(lost, 1), new LogState.Place(applied, 2));
        notes.add(new LogNote.Read(9, start, applied, places, List.of()));
        kill(one);
        log.append(start);
        log.append(idBefore(100));
        log.begin(9, start);
        var two = node("two");

        onDisk();

        two.await(two::hasPurgedEverything);
    }

    private static long idBefore(int secondsAgo) {
        return Instant.now().minusSeconds(secondsAgo).toEpochMilli() << 20;
    }

    /** Another epoch had begun and ended meanwhile: no other node knows of the former one. */
    @ParameterizedTest
    @CsvSource({"120, false, true", "120, true, false", "30, false, false"})
    void nodeThatMissedAWholeEpochPurgesEverything(
            int secondsAgo, boolean isKnownToOthers, boolean isPurged) {
        long applied = idBefore(secondsAgo);
        var one = cutOff(FleetNode.terms("one"));
        var notes = one.invalidations().notes();
        notes.begin(new LogNote.Begun(5, applied, 0), Set.of());
        notes.settle();
        notes.add(new LogNote.Read(5, applied, applied, List.of(), List.of()));
        kill(one);
        node("two");
        if (isKnownToOthers) {
            redis.cli("HSET", LogCopies.EPOCH, "last 5", LogId.text(applied) + " three");
        }

        assertThat(onDisk().hasKeptPurgeOfEverything()).isEqualTo(isPurged);
    }

    @Test
    void responsesOfAProcessOutsideTheFleetArePurged() {
        var outside = cutOff(FleetNode.terms("one"));
        kill(outside);
        node("two");

        assertThat(onDisk().hasKeptPurgeOfEverything()).isTrue();
    }

    @Test
    void crashBeforeTheComparisonComparesAgain() {
        var one = onDisk();
        var two = node("two");
        kill(one);
        long epoch = two.log.epoch();
        two.purge("lost");
        two.awaitLog();
        redis.kill();
        redis.start();
        two.await(() -> two.log.epoch() != epoch && two.log.isCurrent());
        var early = cutOff(FleetNode.terms("one"));
        early.server.heal();
        early.await(() -> early.log.epoch() == two.log.epoch());
        kill(early);
        assertThat(early.log.isCurrent()).isFalse();
        assertThat(early.hasKeptPurgeOfEverything()).isFalse();

        var again = onDisk();

        assertThat(again.hasKeptPurgeOfEverything()).isTrue();
        assertThat(two.hasPurgedEverything()).isFalse();
        long purged = again.invalidations().newest();
        kill(again);
        assertThat(onDisk().invalidations().newest()).isEqualTo(purged);
    }

    private static Stream<LogState.Own> waiting(FleetNode node) {
        var state = requireNonNull(node.invalidations().notes().state());
        return state.own().stream().filter(LogState.Own::isPending);
    }

    @Test
    void tooManyEntriesStayOnePurgeOfEverything() {
        var terms = FleetNode.terms("one");
        var few = new FleetLog.Terms("test", terms.node(), terms.lease(), terms.retention(), 3);
        var one = onDisk(few);
        var two = node("two");
        one.server.cut();
        for (int i = 0; i < 9; i++) {
            one.purge("t" + i);
        }
        // At least one of them is that of everything, with the first and the last number.
        one.await(() ->
                waiting(one).anyMatch(own -> own.numbers()[0] == 1 && own.numbers().length == 2)
                        && waiting(one).allMatch(own -> own.numbers().length <= 2)
                        && waiting(one).mapToLong(LogState.Own::number).max().getAsLong() == 9
                        && waiting(one).count() <= few.journal()
                        && one.log.status().waiting() == waiting(one).count());
        int waiting = one.log.status().waiting();
        kill(one);

        var again = cutOff(FleetNode.terms("one"));
        again.await(() -> again.log.status().waiting() == waiting);
        again.server.heal();

        two.await(two::hasPurgedEverything);
        again.await(() -> again.log.status().waiting() == 0);
        two.awaitEntries(waiting);
        assertThat(two.entries).hasSize(waiting);
        assertThat(again.invalidations().newest()).isEqualTo(9);
    }
}
