package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogServer.Extent;
import dev.quire.proxy.fleet.LogServer.Member;
import dev.quire.proxy.fleet.LogServer.Members;
import dev.quire.proxy.fleet.LogServer.Overview;
import dev.quire.proxy.fleet.LogServer.State;
import dev.quire.proxy.fleet.LogServer.Table;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AckWaitsTest {
    private static final long EPOCH = 7;
    private static final long NOW = 100_000;

    private final AckWaits waits = new AckWaits("one#1", Duration.ofSeconds(4));
    private final AckWaits.Wait wait = new AckWaits.Wait(1, true);

    private static Member member(long applied) {
        return member(applied, NOW);
    }

    private static Member member(long applied, long millis) {
        return Member.of(EPOCH, applied, millis, "");
    }

    private static Overview overview(long last, Map<String, Member> members) {
        return new Overview(new Extent(1, last, 1, 1), members(NOW, members), Optional.empty());
    }

    private static Members members(long millis, Map<String, Member> members) {
        return new Members(millis, new Table(1, 2, members.size(), "two#2"), members);
    }

    /** The store names this node alone. */
    private static Overview ofOneNode(long millis) {
        return new Overview(
                new Extent(1, 20, 1, 1),
                members(millis, Map.of("one#1", member(20, millis))),
                Optional.empty());
    }

    private void append(long id) {
        waits.add(wait);
        waits.logged(1, new RecordPosition(EPOCH, id));
        waits.told("one#1", new RecordPosition(EPOCH, id));
    }

    /**
     * The entry 20 may have the place of one that the log has lost, and the other node has read.
     */
    @ParameterizedTest
    @CsvSource({"20, 20, true", "19, 20, false", "25, 20, false", "25, 25, true"})
    void nodeThatHasReadMoreThanTheLogHasDoesNotCount(long applied, long last, boolean counts) {
        append(20);

        waits.known(wait, overview(last, Map.of("one#1", member(20), "two#2", member(applied))));

        assertThat(wait.done.isDone()).isEqualTo(counts);
    }

    private static State state(long epoch, Map<String, Member> members) {
        return state(epoch, NOW, Optional.of(members(NOW, members)));
    }

    /**
     * @param members empty if the nodes are as before
     */
    private static State state(long epoch, long millis, Optional<Members> members) {
        return new State(
                epoch, LogId.ofMillis(NOW), millis, new Extent(1, 1, 1, 1), 0, List.of(), members);
    }

    @Test
    void nextEpochLearnsTheNodesThatItHasForgotten() {
        waits.registered(state(EPOCH, Map.of("one#1", member(1), "two#2", member(1))), true);
        assertThat(waits.registration(EPOCH, 1).table()).isEqualTo(new Table(1, 2, 2, "two#2"));
        assertThat(waits.registration(EPOCH, 1).former()).isEmpty();

        waits.registered(state(EPOCH + 1, Map.of("one#1", member(1))), true);
        assertThat(waits.registration(EPOCH + 1, 1).former()).isEqualTo(Map.of("two", NOW));

        waits.registered(state(EPOCH + 1, Map.of("one#1", member(1), "two", member(0))), false);
        assertThat(waits.registration(EPOCH + 1, 1).former()).isEmpty();
    }

    /** The answer to the tick that has registered this node again may be lost. */
    @ParameterizedTest
    @CsvSource({
        "1, 2, two#2, false",
        "1, 3, three#3, false",
        "1, 1, one#1, true",
        "1, 2, three#3, true",
        "9, 2, two#2, true",
        "9, 3, one#1, true"
    })
    void storeLearnsTheNodesThatItsTableHasLost(
            long since, long entered, String newest, boolean isLost) {
        waits.registered(state(EPOCH, Map.of("one#1", member(1), "two#2", member(1))), true);

        var table = new Table(since, entered, 1, newest);
        var now = new Members(NOW, table, Map.of("one#1", member(1)));
        waits.registered(state(EPOCH, NOW, Optional.of(now)), false);

        assertThat(waits.registration(EPOCH, 1).former())
                .isEqualTo(isLost ? Map.of("two", NOW) : Map.of());
    }

    /** The table of 1,000 nodes is long. */
    @Test
    void nodesOfALargeFleetAreAskedForLessOften() {
        var table = new Table(1, 2, 1_000, "two#2");
        var members = new Members(NOW, table, Map.of("one#1", member(1)));
        waits.registered(state(EPOCH, NOW, Optional.of(members)), true);

        long asked =
                IntStream.range(0, 110)
                        .filter(i -> waits.registration(EPOCH, 1).table() != null)
                        .count();

        assertThat(asked).isEqualTo(10);
    }

    /** Other nodes may not have had the time to register. */
    @ParameterizedTest
    @CsvSource({"1000, true", "5000, false"})
    void timeWithoutAnAnswerOfTheStoreDoesNotCount(long between, boolean counts) {
        long end = NOW + 5_000;
        waits.registered(state(EPOCH, Map.of("one#1", member(1))), true);
        for (long millis = NOW + between; millis <= end; millis += between) {
            waits.registered(state(EPOCH, millis, Optional.empty()), false);
        }
        append(20);

        waits.known(wait, ofOneNode(end));

        assertThat(wait.done.isDone()).isEqualTo(counts);
    }

    /** Other nodes that are alive may have been silent as long as the store was away. */
    @ParameterizedTest
    @CsvSource({"10000, true", "3600000, false"})
    void allNodesAreSilentAfterALongPauseOfTheStore(long pause, boolean counts) {
        long end = NOW + 5_000 + pause;
        waits.registered(state(EPOCH, NOW, Optional.empty()), true);
        for (long millis = NOW + 1_000; millis <= NOW + 5_000; millis += 1_000) {
            waits.registered(state(EPOCH, millis, Optional.empty()), false);
        }
        waits.registered(state(EPOCH, end, Optional.empty()), false);
        append(20);

        waits.known(wait, ofOneNode(end));

        assertThat(wait.done.isDone()).isEqualTo(counts);
    }

    @Test
    void clockOfTheStoreThatWasSetBackIsNotAwaited() {
        long end = NOW - 50_000;
        for (long millis = end - 10_000; millis <= end; millis += 1_000) {
            waits.registered(state(EPOCH, millis, Optional.empty()), millis < end - 9_000);
        }
        append(20);

        waits.known(wait, ofOneNode(end));

        assertThat(wait.done.isDone()).isTrue();
    }

    @Test
    void answersOfAnotherEpochDoNotCount() {
        append(20);
        waits.known(wait, overview(20, Map.of("one#1", member(20), "two#2", member(10))));

        waits.told("two#2", new RecordPosition(EPOCH + 1, 30));
        assertThat(wait.done.isDone()).isFalse();

        waits.told("two#2", new RecordPosition(EPOCH, 20));
        assertThat(wait.done.isDone()).isTrue();
    }
}
