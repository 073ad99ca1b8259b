package dev.quire.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Change;
import dev.quire.bench.fleet.Event.Disturbance;
import dev.quire.bench.fleet.Event.Effect;
import dev.quire.bench.fleet.Event.Kind;
import dev.quire.bench.fleet.Event.Lift;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Histories of three nodes, in milliseconds. */
class HistoryTest {
    private static final String PAGE = "/page";
    private static final String TAG = "tag";
    private static final Set<Integer> ALL = Set.of(0, 1, 2);
    private static final Set<Promise> LEASE = Set.of(Promise.LEASE);

    private final History history =
            new History(3, url -> List.of(url, TAG), 0, Set.of(Promise.ORDER));

    @Test
    void aHistoryWithoutStaleReadsIsSound() {
        changed(2, 100);
        purged(0, Ack.FLEET, 110, 120);
        read(0, 2, 130);
        read(1, 2, 140);
        read(2, 1, 115);

        assertThat(verdict().isSound()).isTrue();
        assertThat(verdict().reads()).isEqualTo(3);
    }

    @Test
    void afterAFleetPurgeNoNodeMayBeStale() {
        changed(2, 100);
        purged(0, Ack.FLEET, 110, 120);
        read(1, 1, 121);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET);
        assertThat(verdict().violations(Promise.FLEET)).isEqualTo(1);
    }

    @Test
    void aFleetPurgeRequiresTheVersionAtItsInvocation() {
        changed(2, 100);
        purged(0, Ack.FLEET, 110, 130);
        changed(3, 115);
        read(1, 2, 140);

        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void aNodeThatTheAnswerNamesMayBeStaleForAWhile() {
        changed(2, 100);
        history.add(
                new Purge(
                        0,
                        Effect.HARD,
                        List.of(PAGE),
                        Ack.FLEET,
                        true,
                        Set.of(1),
                        nanos(110),
                        nanos(120)));
        read(1, 1, 130);
        assertThat(verdict().isSound()).isTrue();

        read(2, 1, 130);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET);
    }

    @Test
    void aNodeThatDidNotRunNeedNotObeyAtOnce() {
        changed(2, 100);
        disturbed(Set.of(1), Kind.KILL, 90, 200);
        purged(0, Ack.FLEET, 110, 120);
        read(1, 1, 210);
        assertThat(verdict().isSound()).isTrue();

        read(1, 1, 5_300);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.HEALED);
    }

    @Test
    void aTagCoversTheUrlsThatHaveIt() {
        changed(2, 100);
        history.add(
                new Purge(
                        0,
                        Effect.HARD,
                        List.of(TAG),
                        Ack.FLEET,
                        true,
                        Set.of(),
                        nanos(110),
                        nanos(120)));
        read(1, 1, 130);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET);
    }

    @Test
    void anotherUrlIsNotCovered() {
        history.add(new Change("/other", 2, nanos(100), nanos(101)));
        changed(2, 100);
        history.add(
                new Purge(
                        0,
                        Effect.HARD,
                        List.of("/other"),
                        Ack.FLEET,
                        true,
                        Set.of(),
                        nanos(110),
                        nanos(120)));
        read(1, 1, 130);

        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void theNodeThatWasAskedObeysAtOnceWhateverTheAnswerWaitsFor() {
        for (var ack : List.of(Ack.LOCAL, Ack.LOG)) {
            var own = new History(3, List::of, 0, Set.of());
            own.add(new Change(PAGE, 2, nanos(100), nanos(101)));
            own.add(
                    new Purge(
                            0,
                            Effect.HARD,
                            List.of(PAGE),
                            ack,
                            true,
                            Set.of(),
                            nanos(110),
                            nanos(120)));
            own.add(read(1, 1, OptionalLong.empty(), nanos(130)));
            assertThat(own.verdict().isSound()).isTrue();

            own.add(read(0, 1, OptionalLong.empty(), nanos(130)));
            assertThat(own.verdict().violations()).containsOnlyKeys(Promise.OWN);
        }
    }

    @Test
    void otherNodesObeyAfterFiveSecondsWithoutDisturbance() {
        changed(2, 100);
        purged(0, Ack.LOCAL, 110, 120);
        disturbed(ALL, Kind.OTHER, 50, 9_000);
        read(1, 1, 9_500);
        read(1, 1, 13_900);
        assertThat(verdict().isSound()).isTrue();

        read(1, 1, 14_100);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.HEALED);
    }

    @Test
    void theDisturbanceOfTheNodeThatWasAskedCounts() {
        changed(2, 100);
        disturbed(Set.of(0), Kind.OTHER, 50, 9_000);
        purged(0, Ack.LOCAL, 110, 120);
        read(1, 1, 8_000);

        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void aNodeThatWasKilledStillObeysItsPurges() {
        changed(2, 100);
        purged(1, Ack.LOCAL, 110, 120);
        disturbed(Set.of(1), Kind.KILL, 130, 200);
        read(1, 1, 210);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.OWN, Promise.RESTARTED);
    }

    @Test
    void aNodeThatWasKilledStillObeysWhatItHadAcknowledged() {
        changed(2, 100);
        purged(0, Ack.FLEET, 110, 120);
        disturbed(Set.of(1), Kind.KILL, 130, 200);
        read(1, 1, 210);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET, Promise.RESTARTED);
    }

    @Test
    void aPurgeThatIsNotDurableMayBeLostWithItsNode() {
        changed(2, 100);
        history.add(
                new Purge(
                        1,
                        Effect.HARD,
                        List.of(PAGE),
                        Ack.LOCAL,
                        false,
                        Set.of(),
                        nanos(110),
                        nanos(120)));
        disturbed(Set.of(1), Kind.KILL, 130, 200);
        read(1, 1, 210);

        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void aPurgeThatIsNotDurableIsInTheLogAfterAWhile() {
        changed(2, 100);
        history.add(
                new Purge(
                        1,
                        Effect.HARD,
                        List.of(PAGE),
                        Ack.LOCAL,
                        false,
                        Set.of(),
                        nanos(110),
                        nanos(120)));
        disturbed(Set.of(1), Kind.KILL, 5_200, 6_000);
        read(1, 1, 6_100);

        assertThat(verdict().violations()).containsKey(Promise.RESTARTED);
    }

    /** It has no journal, and the log lacks the purge until another node has found that. */
    @Test
    void aNodeThatStartsAfterALossOfEntriesMayNotKnowThem() {
        changed(2, 10_000);
        purged(1, Ack.FLEET, 10_100, 10_200);
        disturbed(ALL, Kind.LOSS, 11_000, 15_000);
        disturbed(Set.of(1), Kind.KILL, 12_000, 13_000);
        read(1, 1, 14_000);
        read(1, 1, 19_900);
        assertThat(verdict().isSound()).isTrue();

        read(1, 1, 20_100);
        assertThat(verdict().violations())
                .containsOnlyKeys(Promise.FLEET, Promise.OWN, Promise.RESTARTED, Promise.HEALED);
    }

    @Test
    void aNodeThatStartsAfterALossOfEntriesKnowsOlderAndNewerOnes() {
        changed(2, 1_000);
        purged(0, Ack.FLEET, 9_000, 9_900);
        disturbed(ALL, Kind.LOSS, 11_000, 15_000);
        disturbed(Set.of(1), Kind.KILL, 12_000, 13_000);
        read(1, 1, 14_000);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET, Promise.RESTARTED);

        changed(3, 13_100);
        purged(1, Ack.LOCAL, 13_200, 13_300);
        read(1, 2, 14_000);
        assertThat(verdict().violations()).containsKey(Promise.OWN);
    }

    @Test
    void aNodeThatRunsThroughALossOfEntriesKnowsThem() {
        changed(2, 10_000);
        purged(0, Ack.FLEET, 10_100, 10_200);
        disturbed(Set.of(1), Kind.KILL, 5_000, 6_000);
        disturbed(ALL, Kind.LOSS, 11_000, 15_000);
        read(1, 1, 14_000);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET);
    }

    @Test
    void bodiesAreOfTheOrigin() {
        changed(2, 100);
        read(0, Read.WRONG, 50);
        read(0, 2, 90);
        read(0, 3, 200);
        read(0, 0, 200);

        assertThat(verdict().violations(Promise.BODY)).isEqualTo(4);
    }

    @Test
    void aVersionMayBeReadWhileItIsMade() {
        history.add(new Change(PAGE, 2, nanos(100), nanos(200)));
        read(0, 2, 150);
        read(0, 1, 150);

        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void theAgeIsThatOfTheVersion() {
        changed(2, 10_000);
        history.add(read(0, 2, OptionalLong.of(5), nanos(15_000)));
        history.add(read(0, 1, OptionalLong.of(5), nanos(15_000)));
        history.add(read(0, 1, OptionalLong.of(15), nanos(15_000)));
        assertThat(verdict().isSound()).isTrue();

        history.add(read(0, 2, OptionalLong.of(8), nanos(15_000)));
        history.add(read(0, 1, OptionalLong.of(2), nanos(15_000)));
        assertThat(verdict().violations(Promise.AGE)).isEqualTo(2);
    }

    @Test
    void delaysAreThoseOfOtherNodesThatWereNotDisturbed() {
        changed(2, 10_000);
        purged(0, Ack.LOG, 10_010, 10_020);
        read(1, 1, 10_025);
        read(1, 1, 10_027);
        read(1, 2, 10_028);
        read(2, 2, 10_021);

        assertThat(verdict().isSound()).isTrue();
        assertThat(verdict().delays()).containsExactly(0, nanos(7));
        assertThat(verdict().delaysAbove(5)).isEqualTo(1);
        assertThat(verdict().delayMillis(99)).isEqualTo(7);

        disturbed(Set.of(1), Kind.OTHER, 9_000, 9_100);
        assertThat(verdict().delays()).containsExactly(0);
    }

    @Test
    void aNodeThatWasNotReadSoonHasNoDelay() {
        changed(2, 10_000);
        purged(0, Ack.LOG, 10_010, 10_020);
        read(1, 2, 10_100);

        assertThat(verdict().delays()).isEmpty();
    }

    @Test
    void whatASoftPurgeCoversIsServedAsStaleOnly() {
        changed(2, 100);
        soft(0, Ack.LOCAL, 110, 120);
        read(1, 1, 121);
        stale(0, 1, 121);
        assertThat(verdict().isSound()).isTrue();

        read(0, 1, 121);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.SOFT);
    }

    @Test
    void aSoftPurgeHoldsOnAllNodesThatMustObey() {
        changed(2, 100);
        soft(0, Ack.FLEET, 110, 120);
        read(1, 1, 121);
        assertThat(verdict().violations(Promise.SOFT)).isEqualTo(1);

        changed(3, 200);
        soft(0, Ack.LOCAL, 210, 220);
        read(2, 2, 5_200);
        assertThat(verdict().violations(Promise.SOFT)).isEqualTo(1);
        read(2, 2, 5_300);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.SOFT);
        assertThat(verdict().violations(Promise.SOFT)).isEqualTo(2);
    }

    @Test
    void whatASoftPurgeCoversIsNotServedAfterItsGrace() {
        long grace = History.LONGEST_GRACE.toMillis();
        changed(2, 100);
        soft(0, Ack.LOCAL, 110, 120);
        stale(0, 1, 100 + grace);
        assertThat(verdict().isSound()).isTrue();

        stale(0, 1, 130 + grace);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.SOFT);
    }

    @Test
    void anotherSoftPurgeBeginsTheGraceAnew() {
        long grace = History.LONGEST_GRACE.toMillis();
        changed(2, 100);
        soft(0, Ack.LOCAL, 110, 120);
        soft(0, Ack.LOCAL, 2_110, 2_120);
        stale(0, 1, 2_000 + grace);
        assertThat(verdict().isSound()).isTrue();

        stale(0, 1, 2_130 + grace);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.SOFT);
    }

    @Test
    void aBanHoldsUntilItIsLifted() {
        changed(2, 100);
        purged(Effect.UNTIL_LIFTED, 0, Ack.FLEET, 110, 120);
        history.add(new Lift(PAGE, nanos(200), nanos(210)));
        read(0, 1, 200);
        read(0, 1, 300);
        read(1, 1, 9_000);
        assertThat(verdict().isSound()).isTrue();

        read(1, 1, 150);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.FLEET);
    }

    @Test
    void aBanIsNotLiftedWithAnEarlierOneOrAnotherOne() {
        long later = History.LATER.toMillis();
        changed(2, 100);
        history.add(new Lift(PAGE, nanos(200), nanos(210)));
        history.add(new Lift(TAG, nanos(9_000), nanos(9_010)));
        purged(Effect.UNTIL_LIFTED, 0, Ack.LOCAL, 200 + later, 220 + later);
        read(0, 1, 300 + later);
        assertThat(verdict().isSound()).isTrue();

        purged(Effect.UNTIL_LIFTED, 0, Ack.LOCAL, 220 + later, 230 + later);
        read(0, 1, 300 + later);
        assertThat(verdict().violations(Promise.OWN)).isEqualTo(2);
    }

    @Test
    void theEndOfABanEndsNoPurge() {
        changed(2, 100);
        purged(Effect.UNTIL_LIFTED, 0, Ack.LOCAL, 110, 120);
        purged(0, Ack.LOCAL, 110, 120);
        history.add(new Lift(PAGE, nanos(200), nanos(210)));
        read(0, 1, 300);

        assertThat(verdict().violations()).containsOnlyKeys(Promise.OWN);
    }

    @Test
    void nodesThatValidateObeyWithinTheLeaseHoweverTheyAreDisturbed() {
        long lease = History.LEASE.toMillis();
        for (boolean validates : new boolean[] {false, true}) {
            var cut = new History(3, List::of, 0, validates ? LEASE : Set.of());
            cut.add(new Change(PAGE, 2, nanos(100), nanos(101)));
            cut.add(disturbance(Set.of(1), Kind.OTHER, 50, 20_000));
            cut.add(purge(Effect.HARD, 0, Ack.LOG, 110, 120));
            cut.add(read(1, 1, OptionalLong.empty(), nanos(110 + lease)));
            assertThat(cut.verdict().isSound()).isTrue();

            cut.add(read(1, 1, OptionalLong.empty(), nanos(130 + lease)));
            assertThat(cut.verdict().violations(Promise.LEASE)).isEqualTo(validates ? 1 : 0);
            assertThat(cut.verdict().violations()).hasSize(validates ? 1 : 0);
        }
    }

    @Test
    void whatIsNotInTheLogMayNotBeKnownWithinTheLease() {
        long lease = History.LEASE.toMillis();
        var cut = new History(3, List::of, 0, LEASE);
        cut.add(new Change(PAGE, 2, nanos(100), nanos(101)));
        cut.add(disturbance(Set.of(1), Kind.OTHER, 50, 20_000));
        cut.add(purge(Effect.HARD, 0, Ack.LOCAL, 110, 120));
        cut.add(read(1, 1, OptionalLong.empty(), nanos(130 + lease)));
        assertThat(cut.verdict().isSound()).isTrue();

        cut.add(purge(Effect.HARD, 0, Ack.LOG, 110, 120));
        cut.add(disturbance(ALL, Kind.ANEW, 200, 300));
        assertThat(cut.verdict().isSound()).isTrue();

        cut.add(purge(Effect.HARD, 0, Ack.LOG, 310, 320));
        cut.add(read(1, 1, OptionalLong.empty(), nanos(330 + lease)));
        assertThat(cut.verdict().violations()).containsOnlyKeys(Promise.LEASE);
    }

    @Test
    void aProcessServesNoOlderVersionThanBefore() {
        changed(2, 100);
        read(0, 2, 200);
        read(0, 1, 200);
        read(1, 1, 300);
        history.add(read("/other", 0, "", 1, 300));
        history.add(read(PAGE, 0, "b", 1, 300));
        assertThat(verdict().isSound()).isTrue();

        read(0, 1, 300);
        assertThat(verdict().violations()).containsOnlyKeys(Promise.ORDER);
        history.allowOlder(PAGE::equals);
        assertThat(verdict().isSound()).isTrue();
    }

    @Test
    void anOlderVersionMayComeBackAfterAKillOrTheEndOfABan() {
        changed(2, 100);
        read(0, 2, 200);
        disturbed(Set.of(0), Kind.KILL, 210, 290);
        read(0, 1, 300);
        assertThat(verdict().isSound()).isTrue();

        read(1, 2, 200);
        read(1, 1, 300);
        assertThat(verdict().violations(Promise.ORDER)).isEqualTo(1);
        history.add(new Lift(TAG, nanos(240), nanos(250)));
        assertThat(verdict().isSound()).isTrue();
    }

    private Verdict verdict() {
        return history.verdict();
    }

    private void changed(long version, long millis) {
        history.add(new Change(PAGE, version, nanos(millis), nanos(millis) + 1));
    }

    private void purged(int node, Ack ack, long invoked, long answered) {
        purged(Effect.HARD, node, ack, invoked, answered);
    }

    private void soft(int node, Ack ack, long invoked, long answered) {
        purged(Effect.SOFT, node, ack, invoked, answered);
    }

    private void purged(Effect effect, int node, Ack ack, long invoked, long answered) {
        history.add(purge(effect, node, ack, invoked, answered));
    }

    private static Purge purge(Effect effect, int node, Ack ack, long invoked, long answered) {
        return new Purge(
                node, effect, List.of(PAGE), ack, true, Set.of(), nanos(invoked), nanos(answered));
    }

    private void read(int node, long version, long started) {
        history.add(read(node, version, OptionalLong.empty(), nanos(started)));
    }

    private static Read read(int node, long version, OptionalLong age, long started) {
        return read(node, version, age, false, started);
    }

    private void stale(int node, long version, long started) {
        history.add(read(node, version, OptionalLong.empty(), true, nanos(started)));
    }

    private static Read read(
            int node, long version, OptionalLong age, boolean isStale, long started) {
        return new Read(
                node, PAGE, "", version, age, "memory", isStale, started, started + nanos(1));
    }

    private static Read read(String url, int node, String variant, long version, long started) {
        return new Read(
                node,
                url,
                variant,
                version,
                OptionalLong.empty(),
                "memory",
                false,
                nanos(started),
                nanos(started + 1));
    }

    private void disturbed(Set<Integer> nodes, Kind kind, long begun, long ended) {
        history.add(disturbance(nodes, kind, begun, ended));
    }

    private static Disturbance disturbance(Set<Integer> nodes, Kind kind, long begun, long ended) {
        return new Disturbance("test", nodes, kind, nanos(begun), nanos(ended));
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
