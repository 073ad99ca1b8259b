package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs that lose entries. */
class FleetEpochTest {
    // Numbers of epochs of one log, one after the other.
    private static final long FIRST = 1 << 16;
    private static final long SECOND = 2 << 16;
    private static final long THIRD = 3 << 16;

    private final RedisServer redis = RedisServer.redis("--stream-node-max-entries", "10");
    private final LogCopies log = new LogCopies(redis);
    private final List<FleetNode> nodes = new ArrayList<>();
    private final long now = Instant.now().toEpochMilli();

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

    private static void awaitEpochAfter(long epoch, FleetNode... all) {
        for (var node : all) {
            node.await(() ->
                    node.log.epoch() != epoch
                            && node.log.isCurrent()
                            && node.log.status().waiting() == 0);
        }
    }

    private static void awaitEpoch(long epoch, FleetNode... all) {
        for (var node : all) {
            node.await(() -> node.log.epoch() == epoch && node.log.isCurrent());
        }
    }

    /** Waits until all have read the log up to the entry of that age. */
    private void awaitRead(long age, FleetNode... all) {
        for (var node : all) {
            node.await(() -> node.log.status().applied() == id(age));
        }
    }

    /** Appends an entry that only {@code node} reads, which is cut off then. */
    private void appendFor(FleetNode node, long age) {
        append(age);
        awaitRead(age, node);
        node.server.cut();
    }

    /** The id of an entry that was so many seconds old when the test began. */
    private long id(long age) {
        return LogId.of((now - 1000 * age) + "-0");
    }

    private void append(long age) {
        log.append(id(age));
    }

    /** Begins an epoch with an entry. */
    private void begin(long epoch, long age) {
        append(age);
        log.begin(epoch, id(age));
    }

    @Test
    void serverThatRestartsEmptyGetsTheEntriesOfTheLastMinuteAgain() {
        var one = node("one");
        var two = node("two");
        long epoch = one.log.epoch();
        one.purge("before");
        two.awaitEntries(1);
        one.awaitLog();
        var old = one.position(1);

        redis.kill();
        one.purge("away");
        redis.start();

        awaitEpochAfter(epoch, one, two);
        two.awaitEntries(2);
        assertThat(two.tags()).containsExactly("before", "away");
        assertThat(one.tags()).containsExactly("before", "away");
        assertThat(two.log.epoch()).isEqualTo(one.log.epoch());
        assertThat(two.log.order(old)).isEqualTo(FleetPositions.UNKNOWN);
        assertThat(two.log.order(one.position(2))).isEqualTo(2);
        assertThat(node("three").tags()).contains("before", "away");
    }

    @Test
    void entryThatAFailoverHasLostReachesTheOthers() {
        var one = node("one");
        var two = node("two");
        one.purge("kept");
        two.awaitEntries(1);
        long epoch = one.log.epoch();
        log.copy();
        two.server.cut();
        one.purge("lost");
        one.awaitLog();

        log.bringBack();
        two.server.heal();

        awaitEpochAfter(epoch, one, two);
        assertThat(two.tags()).contains("kept", "lost");
        assertThat(one.tags()).containsExactly("kept", "lost");
    }

    /** A primary server and its replica are both written for a moment, and the replica stays. */
    @Test
    void nodeOfAServerThatIsGoneReadsWhatTheOtherHasAndAppendsItsEntriesAgain() {
        var one = node("one");
        var two = node("two");
        long epoch = one.log.epoch();
        log.fork(one, two);
        one.server.cut();

        log.exchange();
        two.server.heal();
        one.server.heal();

        awaitEpochAfter(epoch, one, two);
        assertThat(one.tags()).containsExactly("of primary", "of replica");
        assertThat(one.hasPurgedEverything()).isFalse();
        two.await(() -> two.tags().contains("of primary"));
    }

    /**
     * Two servers had the log for minutes. The primary server has an entry that is {@code lost}
     * seconds old, the replica has one that is {@code kept} seconds old, perhaps the first one of
     * an epoch.
     */
    @ParameterizedTest
    @CsvSource({"300, 200, false", "200, 300, false", "100, 200, true", "200, 100, true"})
    void nodesOfTwoServersThatHadTheLogForMinutesPurgeEverything(
            long lost, long kept, boolean begins) {
        begin(FIRST, 600);
        var one = node("one");
        var two = node("two");
        log.copy();
        two.server.cut();
        appendFor(one, lost);
        log.bringBack();
        append(kept);
        if (begins) {
            log.begin(SECOND, id(kept));
        }
        two.server.heal();
        awaitTick(two);
        awaitEpoch(begins ? SECOND : FIRST, two);
        assertThat(two.hasPurgedEverything()).isFalse();

        one.server.heal();

        two.await(two::hasPurgedEverything);
        one.await(one.log::isCurrent);
        // Once at once, and once for all nodes.
        assertThat(one.timed()).filteredOn(FleetNode.Timed::isAll).hasSize(2);
    }

    /** Each of those was away for more than a minute before the epoch began. */
    @Test
    void nodeThatHadReadMoreThanThoseThatComeLateTellsThem() {
        begin(FIRST, 600);
        var one = node("one");
        var two = patient("two");
        var three = patient("three");
        two.server.cut();
        three.server.cut();
        appendFor(one, 200);
        redis.cli("FLUSHALL");
        begin(SECOND, -120);
        two.server.heal();
        three.server.heal();
        awaitEpochAfter(FIRST, two, three);
        assertThat(two.hasPurgedEverything()).isFalse();

        one.server.heal();

        two.await(two::hasPurgedEverything);
        three.await(three::hasPurgedEverything);
    }

    /** As a store has it that was restarted with an older copy of its data. */
    @Test
    void nodesThatHadReadAllOfALogThatIsOlderNowKeepWhatTheyHave() {
        begin(FIRST, 600);
        var one = node("one");
        var two = node("two");
        log.copy();
        append(300);
        awaitRead(300, one, two);
        two.server.cut();
        log.bringBack();
        awaitEpochAfter(FIRST, one);

        two.server.heal();

        awaitEpochAfter(FIRST, two);
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    /** A copy of the data of the store has the log and its epoch. */
    @Test
    void recordsOfAFormerEpochAreNotUsedAgain() {
        var one = node("one");
        long first = one.log.epoch();
        one.purge("kept");
        one.awaitLog();
        var old = one.position(1);
        log.copyWithEpoch();
        redis.cli("DEL", LogCopies.LOG);
        awaitEpochAfter(first, one);
        long second = one.log.epoch();
        one.purge("later");
        one.awaitLog();
        one.server.cut();
        log.bringBackWithEpoch();

        one.server.heal();

        awaitEpochAfter(second, one);
        assertThat(one.log.epoch()).isNotEqualTo(first);
        assertThat(one.log.order(old)).isEqualTo(FleetPositions.UNKNOWN);
    }

    /** A primary server and its replica have begun one each. */
    @Test
    void nodesOfTwoEpochsThatBeganAtOncePurgeEverything() {
        var one = node("one");
        long epoch = one.log.epoch();
        long other = epoch ^ 1;
        one.server.cut();
        redis.cli("HSET", LogCopies.EPOCH, "epoch", other + "");
        var two = node("two");

        one.server.heal();

        awaitEpochAfter(epoch, one);
        awaitEpochAfter(other, two);
        assertThat(one.log.epoch()).isNotEqualTo(other).isEqualTo(two.log.epoch());
        assertThat(one.hasPurgedEverything()).isTrue();
        assertThat(two.hasPurgedEverything()).isTrue();
    }

    /** The others do not know any longer how far they had read the log of that node. */
    @Test
    void nodeThatHasMissedAWholeEpochTellsTheOthers() {
        begin(FIRST, 600);
        var one = node("one");
        var two = node("two");
        one.server.cut();
        redis.cli("DEL", LogCopies.LOG);
        awaitEpochAfter(FIRST, two);
        long second = two.log.epoch();
        redis.cli("DEL", LogCopies.LOG);
        awaitEpochAfter(second, two);
        assertThat(two.hasPurgedEverything()).isFalse();

        one.server.heal();

        two.await(two::hasPurgedEverything);
        assertThat(one.hasPurgedEverything()).isTrue();
    }

    /** They have compared how far they had read another log than that of this node. */
    @Test
    void nodeOfAnEpochThatBeganAtOnceTellsThoseThatHaveBegunALaterOne() {
        begin(FIRST | 1, 600);
        var one = node("one");
        appendFor(one, 300);
        redis.cli("FLUSHALL");
        begin(FIRST, 600);
        var two = node("two");
        append(200);
        awaitRead(200, two);
        redis.cli("DEL", LogCopies.LOG);
        awaitEpochAfter(FIRST, two);
        two.await(() -> !redis.cli("HGET", LogCopies.EPOCH, "compared").isBlank());
        assertThat(two.hasPurgedEverything()).isFalse();

        one.server.heal();

        two.await(two::hasPurgedEverything);
        assertThat(one.hasPurgedEverything()).isTrue();
    }

    /** Neither has compared yet. That of the later position lacks entries of the other one too. */
    @Test
    void nodesOfTwoEpochsThatBeganAtOncePurgeEverythingIfTheyMeetInAnEmptyLog() {
        begin(FIRST | 1, 600);
        var one = patient("one");
        appendFor(one, 200);
        redis.cli("FLUSHALL");
        begin(FIRST, 600);
        var two = patient("two");
        appendFor(two, 300);
        redis.cli("FLUSHALL");

        one.server.heal();
        two.server.heal();

        awaitEpochAfter(FIRST | 1, one);
        awaitEpochAfter(FIRST, two);
        assertThat(one.hasPurgedEverything()).isTrue();
        assertThat(two.hasPurgedEverything()).isTrue();
    }

    /** They have noted how far they had read two epochs, one after the other. */
    @Test
    void nodeThatHasMissedAnEpochOfAWholeLogIsTheOnlyOneThatPurgesEverything() {
        begin(FIRST, 600);
        var one = patient("one");
        var two = patient("two");
        nodes.forEach(node -> node.server.cut());
        begin(SECOND, 500);
        two.server.heal();
        awaitEpoch(SECOND, two);
        two.server.cut();
        begin(THIRD, 400);

        nodes.forEach(node -> node.server.heal());

        awaitEpoch(THIRD, one, two);
        assertThat(one.hasPurgedEverything()).isTrue();
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    /** An append may be faster than the tick that finds the loss. */
    @Test
    void nothingIsAppendedToALogThatHasLostEntries() {
        begin(FIRST, 600);
        var one = node("one");
        var two = node("two");
        log.copy();
        append(300);
        awaitRead(300, one, two);
        nodes.forEach(node -> node.server.stopTicks());
        log.bringBack();
        one.purge("meanwhile");
        one.log.acknowledged(Ack.LOG, Duration.ofSeconds(1)).toCompletableFuture().join();
        assertThat(redis.cli("XLEN", LogCopies.LOG)).isEqualTo("1");

        nodes.forEach(node -> node.server.heal());

        awaitEpochAfter(FIRST, one, two);
        two.await(() -> two.tags().contains("meanwhile"));
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    @Test
    void nodesKeepTheLogForTheShortestOfTheirTimes() {
        var one = shortLived("one", Duration.ofMillis(500));
        for (int i = 0; i < 30; i++) {
            one.purge("old" + i);
        }
        one.awaitLog();
        one.awaitPassed(Duration.ofSeconds(1));
        one.purge("later");
        one.awaitLog();

        long epoch = one.log.epoch();
        var two = node("two");

        assertThat(two.log.epoch()).isEqualTo(epoch);
        assertThat(two.tags()).contains("later").doesNotContain("old0");
        assertThat(one.log.epoch()).isEqualTo(epoch);
    }

    @Test
    void nodeThatHadReadLessOfTheFormerLogPurgesEverything() {
        var one = node("one");
        var two = node("two");
        two.server.cut();
        long epoch = one.log.epoch();
        one.purge("lost");
        one.awaitLog();
        redis.kill();
        redis.start();
        one.await(() -> one.log.epoch() != epoch);

        two.server.heal();

        awaitEpochAfter(epoch, one, two);
        assertThat(two.hasPurgedEverything()).isTrue();
        assertThat(one.hasPurgedEverything()).isFalse();
    }

    @Test
    void entryOfADeadNodeIsPassedOnByThoseThatHaveReadIt() {
        var one = node("one");
        var two = node("two");
        var three = node("three");
        long epoch = one.log.epoch();
        three.server.cut();
        one.purge("lost");
        two.awaitEntries(1);
        one.server.cut();

        redis.kill();
        redis.start();
        three.server.heal();

        awaitEpochAfter(epoch, two, three);
        three.await(() -> three.tags().contains("lost"));
        assertThat(two.tags()).containsExactly("lost");
    }

    @Test
    void entryLostWithoutAnyLaterOneIsFoundToo() {
        var one = node("one");
        log.copy();
        one.purge("lost");
        one.awaitLog();
        long epoch = one.log.epoch();

        log.bringBack();

        awaitEpochAfter(epoch, one);
        assertThat(node("two").tags()).containsExactly("lost");
    }

    @Test
    void logThatWasDeletedBeginsAgain() {
        var one = node("one");
        one.purge("a");
        one.awaitLog();
        long epoch = one.log.epoch();

        redis.cli("DEL", LogCopies.LOG);

        awaitEpochAfter(epoch, one);
        assertThat(node("two").tags()).containsExactly("a");
    }

    @Test
    void nodeBehindATrimmedLogPurgesEverything() {
        var kept = Duration.ofMillis(500);
        var one = shortLived("one", kept);
        var two = shortLived("two", kept);
        two.server.cut();
        one.purge("missed");
        one.awaitLog();
        var early = one.position(1);
        for (int i = 0; i < 30; i++) {
            one.purge("more" + i);
        }
        one.awaitLog();
        one.awaitPassed(kept.multipliedBy(2));
        one.purge("later");
        one.awaitLog();

        two.server.heal();

        two.await(() -> two.tags().contains("later") && two.log.isCurrent());
        assertThat(two.tags()).doesNotContain("missed");
        assertThat(two.hasPurgedEverything()).isTrue();
        assertThat(two.log.epoch()).isEqualTo(one.log.epoch());
        assertThat(two.log.order(early)).isEqualTo(FleetPositions.UNKNOWN);
        var newest = one.position(one.invalidations().newest());
        assertThat(two.log.order(newest)).isEqualTo(two.invalidations().newest());
    }

    /** An epoch that begins two minutes after all nodes were cut off, without entries. */
    private void loseTheLogWhileAllAreAway() {
        nodes.forEach(node -> node.server.cut());
        redis.cli("FLUSHALL");
        begin(FIRST, -120);
    }

    @Test
    void nodesThatWereAwayTogetherKeepWhatTheyHave() {
        var one = patient("one");
        var two = patient("two");
        one.purge("a");
        one.awaitLog();
        two.awaitEntries(1);
        loseTheLogWhileAllAreAway();

        nodes.forEach(node -> node.server.heal());

        awaitEpoch(FIRST, one, two);
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    @Test
    void nodeThatHadReadLessThanAnotherOneThatWasAwayPurgesEverything() {
        var one = patient("one");
        var two = patient("two");
        two.server.cut();
        one.purge("a");
        one.awaitLog();
        loseTheLogWhileAllAreAway();

        nodes.forEach(node -> node.server.heal());

        awaitEpoch(FIRST, one, two);
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isTrue();
    }

    /** Waits for the answer to a tick that is sent from now on. */
    private static void awaitTick(FleetNode node) {
        long asked = System.nanoTime();
        node.await(() -> {
            var lag = node.log.status().lag();
            return lag != null && System.nanoTime() - lag.toNanos() - asked > 0;
        });
    }

    @Test
    void nodeThatWasAwayAndFindsNoOtherPurgesEverything() {
        var one = node("one");
        node("two");
        one.await(() -> one.log.overview().toCompletableFuture().join().nodes().size() == 2);
        // It names both.
        awaitTick(one);
        loseTheLogWhileAllAreAway();

        one.server.heal();

        awaitEpoch(FIRST, one);
        assertThat(one.hasPurgedEverything()).isTrue();
    }

    @Test
    void onlyNodeThatWasAwayKeepsWhatItHas() {
        var one = node("one");
        one.purge("a");
        one.awaitLog();
        loseTheLogWhileAllAreAway();

        one.server.heal();

        awaitEpoch(FIRST, one);
        assertThat(one.hasPurgedEverything()).isFalse();
    }

    /** A former process of it that was killed is not another node. */
    @Test
    void onlyNodeThatHasBegunAgainKeepsWhatItHas() {
        node("one").server.cut();
        var one = node("one");
        one.purge("a");
        one.awaitLog();
        awaitTick(one);
        loseTheLogWhileAllAreAway();

        one.server.heal();

        awaitEpoch(FIRST, one);
        assertThat(one.hasPurgedEverything()).isFalse();
    }

    @Test
    void nodesThatWereRefusedCompareWhatTheyHaveRead() {
        var one = node("one");
        var two = node("two");
        two.server.cut();
        one.purge("a");
        one.awaitLog();
        redis.cli("FLUSHALL");
        redis.cli("HSET", LogCopies.EPOCH, "epoch", "9", "fleet", "other", "schema", "1");
        two.server.heal();
        nodes.forEach(node ->
                node.await(
                        () -> String.valueOf(node.log.status().fault()).contains("fleet other")));
        one.purge("meanwhile");

        redis.cli("FLUSHALL");

        nodes.forEach(node -> node.await(node.log::isCurrent));
        two.await(() -> two.tags().contains("meanwhile"));
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isTrue();
    }

    @Test
    void entriesThatAreAppendedAgainAreNotTooMany() {
        var terms = FleetNode.terms("one");
        var few =
                new FleetLog.Terms(
                        terms.fleet(), terms.node(), terms.lease(), terms.retention(), 10);
        var one = started(few);
        var two = node("two");
        for (int i = 0; i < 30; i++) {
            one.purge("t" + i);
            one.awaitLog();
        }
        two.awaitEntries(30);
        long epoch = one.log.epoch();
        nodes.forEach(node -> node.server.cut());
        redis.cli("FLUSHALL");
        one.purge("away");

        nodes.forEach(node -> node.server.heal());

        awaitEpochAfter(epoch, one, two);
        two.await(() -> two.tags().contains("away"));
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    @Test
    void entriesOfAnotherVersionAreOnePurgeOfEverything() {
        var one = node("one");
        one.server.cut();
        for (int i = 0; i < 5; i++) {
            redis.cli("XADD", LogCopies.LOG, "*", "e", "\u0009foreign");
        }

        one.server.heal();

        one.await(one::hasPurgedEverything);
        one.await(one.log::isCurrent);
        one.awaitEntries(1);
        assertThat(one.entries).hasSize(1);
    }

    @Test
    void recordsOfAFleetWithoutInvalidationsStayUsable() {
        var kept = Duration.ofMillis(500);
        var one = shortLived("one", kept);
        var two = shortLived("two", kept);
        one.purge("last");
        one.awaitLog();
        two.awaitEntries(1);
        one.awaitPassed(kept.multipliedBy(4));

        assertThat(two.log.order(one.position(1))).isEqualTo(1);
    }

    /** The last entry is older than the log keeps entries. */
    @Test
    void nodesOfALostLogWithoutInvalidationsForLongKeepWhatTheyHave() {
        var kept = Duration.ofSeconds(3);
        var one = shortLived("one", kept);
        var two = shortLived("two", kept);
        one.purge("last");
        one.awaitLog();
        two.awaitEntries(1);
        one.awaitPassed(kept.plusSeconds(1));
        long epoch = one.log.epoch();

        redis.cli("FLUSHALL");

        awaitEpochAfter(epoch, one, two);
        assertThat(one.hasPurgedEverything()).isFalse();
        assertThat(two.hasPurgedEverything()).isFalse();
    }

    private FleetNode started(FleetLog.Terms terms) {
        var node = FleetNode.startWithout(terms, redis);
        nodes.add(node);
        node.await(node.log::isCurrent);
        return node;
    }

    /** Returns a node that gives the others enough time on a busy machine. */
    private FleetNode patient(String name) {
        var terms = FleetNode.terms(name);
        return started(
                new FleetLog.Terms(
                        terms.fleet(),
                        terms.node(),
                        FleetNode.LEASE.multipliedBy(3),
                        terms.retention(),
                        terms.journal()));
    }

    private FleetNode shortLived(String name, Duration retention) {
        return started(FleetNode.terms(name, retention));
    }
}
