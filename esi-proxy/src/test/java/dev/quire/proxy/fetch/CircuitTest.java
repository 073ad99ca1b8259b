package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.ClientNetwork;
import dev.quire.proxy.fetch.PathOutcomes.Outcome;
import dev.quire.proxy.fetch.PathOutcomes.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The circuit breaker of a server. */
class CircuitTest {
    private static final int GOOD = -1;
    private static final int BAD = 0;
    private static final int REFUSED = Circuit.REFUSED;
    private static final Duration SLOW_START = Duration.ofSeconds(10);

    private final List<String> said = new ArrayList<>();
    private final ClosedCircuits ofTwoServers = new ClosedCircuits(2);
    private final Circuit circuit =
            new Circuit(
                    SLOW_START,
                    ofTwoServers,
                    new Circuit.Listener() {
                        @Override
                        public void opened(String why) {
                            said.add("opened: " + why);
                        }

                        @Override
                        public void closed() {
                            said.add("closed");
                        }
                    });

    private long now;

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static Request of(int path) {
        return of(path, 0);
    }

    private static Request of(int path, int client) {
        return new Request(path, new ClientNetwork(false, client));
    }

    private boolean succeeds() {
        int ticket = circuit.enter(now);
        if (ticket != REFUSED) {
            circuit.answered(ticket, of(GOOD), now);
        }
        return ticket != REFUSED;
    }

    private boolean fails(Outcome outcome, int path) {
        int ticket = circuit.enter(now);
        if (ticket != REFUSED && !circuit.failed(ticket, outcome, of(path), "no luck", now)) {
            circuit.left(ticket);
        }
        return ticket != REFUSED;
    }

    private boolean isUnreachable() {
        return fails(Outcome.UNREACHABLE, BAD);
    }

    private void succeedsOn(int path) {
        circuit.answered(circuit.enter(now), of(path), now);
    }

    private void open() {
        for (int i = 0; i < 5; i++) {
            assertThat(isUnreachable()).isTrue();
        }
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
    }

    private void close() {
        pass(Circuit.LONGEST_OPEN);
        for (int i = 0; i < 6; i++) {
            assertThat(succeeds()).isTrue();
        }
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    /** The number of requests admitted in the next second, out of a hundred. */
    private int passedInASecond() {
        int passed = 0;
        for (int i = 0; i < 100; i++) {
            passed += succeeds() ? 1 : 0;
            pass(Duration.ofMillis(10));
        }
        return passed;
    }

    @Test
    void fiveFailedConnectionsInARowOpenIt() {
        for (int i = 0; i < 4; i++) {
            isUnreachable();
        }
        succeeds();
        for (int i = 0; i < 4; i++) {
            isUnreachable();
        }
        var before = circuit.state();

        isUnreachable();

        assertThat(before).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(said).containsExactly("opened: 5 consecutive connections failed, last: no luck");
        assertThat(circuit.enter(now)).isEqualTo(REFUSED);
    }

    @ParameterizedTest
    @EnumSource(names = {"STATUS", "BROKEN"})
    void fivePathsThatAreHalfOfThePathsAskedOpenIt(Outcome outcome) {
        for (int path = 10; path < 15; path++) {
            succeedsOn(path);
        }
        for (int path = 0; path < 4; path++) {
            fails(outcome, path);
        }
        var before = circuit.state();

        fails(outcome, 4);

        assertThat(before).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(said).containsExactly("opened: 5 of 10 paths failed, last: no luck");
        assertThat(ofTwoServers.openUnlessLast()).isFalse();
    }

    @Test
    void fivePathsThatAreLessThanHalfDoNotOpenIt() {
        for (int path = 10; path < 16; path++) {
            succeedsOn(path);
        }
        for (int path = 0; path < 5; path++) {
            fails(Outcome.BROKEN, path);
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void pathsOfOneClientDoNotOpenItWhileOthersAreAnswered() {
        circuit.answered(circuit.enter(now), of(GOOD, 1), now);
        for (int path = 0; path < 100; path++) {
            fails(Outcome.BROKEN, path);
        }
        var whileAnswered = circuit.state();

        circuit.failed(circuit.enter(now), Outcome.BROKEN, of(GOOD, 1), "no luck", now);

        assertThat(whileAnswered).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
    }

    @Test
    void pathsOfOneClientOpenItOnceTheOthersAreForgotten() {
        circuit.answered(circuit.enter(now), of(GOOD, 1), now);
        pass(PathOutcomes.WINDOW);

        for (int path = 0; path < 5; path++) {
            fails(Outcome.BROKEN, path);
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
    }

    @ParameterizedTest
    @EnumSource(names = {"STATUS", "BROKEN"})
    void aPathCountsOnceHoweverOftenItFails(Outcome outcome) {
        for (int i = 0; i < 1000; i++) {
            fails(outcome, i % 4);
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void aPathThatIsAnsweredAgainHasNotFailed() {
        for (int path = 0; path < 100; path++) {
            fails(Outcome.BROKEN, path % 10);
            succeedsOn(path % 10);
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void failedPathsOfLongerAgoAreForgotten() {
        for (int path = 0; path < 4; path++) {
            fails(Outcome.BROKEN, path);
        }

        pass(PathOutcomes.WINDOW);
        fails(Outcome.BROKEN, 4);

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void statusesDoNotOpenTheLastClosedOne() {
        ofTwoServers.opened();
        for (int path = 0; path < 100; path++) {
            fails(Outcome.STATUS, path);
        }
        var statuses = circuit.state();
        pass(PathOutcomes.WINDOW);
        for (int path = 0; path < 5; path++) {
            fails(Outcome.BROKEN, path);
        }

        assertThat(statuses).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
    }

    @Test
    void statusesOfTrialsCloseTheOnlyOne() {
        ofTwoServers.opened();
        open();
        pass(Circuit.OPEN);

        for (int i = 0; i < 6; i++) {
            fails(Outcome.STATUS, BAD);
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(said).last().isEqualTo("closed");
    }

    @Test
    void manyPathsPushOutTheLeastRecent() {
        var outcomes = new PathOutcomes();
        for (int path = 0; path < PathOutcomes.MOST; path++) {
            outcomes.put(of(path), Outcome.BROKEN, path);
        }
        outcomes.put(of(0), Outcome.BROKEN, PathOutcomes.MOST);
        outcomes.put(of(-1), Outcome.ANSWERED, PathOutcomes.MOST);

        assertThat(outcomes.asked(PathOutcomes.MOST)).isEqualTo(PathOutcomes.MOST);
        assertThat(outcomes.failed(true, PathOutcomes.MOST)).isEqualTo(PathOutcomes.MOST - 1);
        assertThat(outcomes.hasFailed(0, PathOutcomes.MOST)).isTrue();
        assertThat(outcomes.hasFailed(1, PathOutcomes.MOST)).isFalse();
    }

    @Test
    void oneRequestASecondPassesAnOpenOne() {
        open();

        var passed = new ArrayList<Integer>();
        for (int second = 0; second < 4; second++) {
            passed.add(passedInASecond());
        }

        assertThat(passed).containsExactly(0, 1, 1, 1);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
    }

    @Test
    void aTrialThatIsNeverAnsweredDoesNotKeepOthersFromPassing() {
        open();
        pass(Circuit.OPEN);
        circuit.enter(now);
        pass(Duration.ofSeconds(1));

        assertThat(circuit.enter(now)).isNotEqualTo(REFUSED);
    }

    @Test
    void aBadPathFailsOneTrialInTenSeconds() {
        open();
        pass(Circuit.OPEN);
        fails(Outcome.BROKEN, 7);
        var first = circuit.state();
        pass(Circuit.OPEN);
        for (int i = 0; i < 100; i++) {
            fails(Outcome.BROKEN, 7);
        }
        var again = circuit.state();
        for (int i = 0; i < 6; i++) {
            succeeds();
        }

        assertThat(first).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(again).isEqualTo(ServerState.Circuit.HALF_OPEN);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void anOpenOneLetsOnePassAfterFiveSecondsThenFiveMoreThenAll() {
        open();

        pass(Circuit.OPEN.minusNanos(1));
        int trickled = circuit.enter(now);
        int early = circuit.enter(now);
        pass(Duration.ofNanos(1));
        circuit.answered(trickled, of(GOOD), now);
        int trial = circuit.enter(now);
        int second = circuit.enter(now);
        circuit.answered(trial, of(GOOD), now);
        var five = new ArrayList<Integer>();
        for (int i = 0; i < 5; i++) {
            five.add(circuit.enter(now));
        }
        int sixth = circuit.enter(now);
        five.forEach(ticket -> circuit.answered(ticket, of(GOOD), now));

        assertThat(early).isEqualTo(REFUSED);
        assertThat(trial).isNotEqualTo(REFUSED);
        assertThat(second).isEqualTo(REFUSED);
        assertThat(five).doesNotContain(REFUSED);
        assertThat(sixth).isEqualTo(REFUSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(said).hasSize(2).last().isEqualTo("closed");
    }

    @Test
    void aFailedTrialOpensItAgainWithoutAWord() {
        open();
        pass(Circuit.OPEN);

        fails(Outcome.BROKEN, 7);
        int at = circuit.enter(now);
        var state = circuit.state();
        pass(Circuit.OPEN);
        int later = circuit.enter(now);

        assertThat(state).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(at).isEqualTo(REFUSED);
        assertThat(later).isNotEqualTo(REFUSED);
        assertThat(said).hasSize(1);
    }

    @Test
    void aTrialThatShowsNothingLeavesItsPlaceToAnother() {
        open();
        pass(Circuit.OPEN);

        int trial = circuit.enter(now);
        circuit.left(trial);

        assertThat(succeeds()).isTrue();
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.HALF_OPEN);
    }

    @Test
    void whatWasSentBeforeItOpenedSaysNothingAfterwards() {
        int early = circuit.enter(now);
        open();
        pass(Circuit.OPEN);
        circuit.enter(now);

        circuit.failed(early, Outcome.BROKEN, of(BAD), "late", now);
        circuit.answered(early, of(GOOD), now);
        circuit.left(early);

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.HALF_OPEN);
        assertThat(circuit.enter(now)).isEqualTo(REFUSED);
    }

    @Test
    void afterRecoveryAtMostTwiceAsManyPassAsBefore() {
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 20; i++) {
                succeeds();
                pass(Duration.ofMillis(50));
            }
        }
        open();
        close();

        var passed = new ArrayList<Integer>();
        for (int second = 0; second < 10; second++) {
            passed.add(passedInASecond());
        }
        int afterwards = passedInASecond();

        // 20 per second before, plus the five that opened it.
        assertThat(passed).allMatch(count -> count >= 20 && count <= 42).isSorted();
        assertThat(passed.getLast()).isGreaterThan(35);
        assertThat(afterwards).isEqualTo(100);
    }

    @Test
    void aServerThatComesAndGoesIsLeftAloneForLongerAndLonger() {
        open();
        close();
        pass(SLOW_START);
        open();
        pass(Circuit.OPEN);
        circuit.enter(now);
        var afterFive = circuit.state();
        pass(Circuit.OPEN);
        circuit.enter(now);
        var afterTen = circuit.state();

        assertThat(afterFive).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(afterTen).isEqualTo(ServerState.Circuit.HALF_OPEN);
    }

    @Test
    void fiveSecondsUpAndFiveDownChangeItLessThanOnceInTwoPeriods() {
        int changes = 0;
        for (int period = 0; period < 30; period++) {
            for (int i = 0; i < 100; i++) {
                succeeds();
                pass(Duration.ofMillis(50));
            }
            for (int i = 0; i < 100; i++) {
                isUnreachable();
                pass(Duration.ofMillis(50));
            }
            changes = said.size();
        }

        assertThat(changes).isPositive().isLessThanOrEqualTo(30);
    }

    @Test
    void aSickServerIsNotAskedUntilItIsFoundWell() {
        circuit.unhealthy("checks", now);
        pass(Duration.ofHours(1));
        int unhealthy = circuit.enter(now);

        circuit.healthy(now);
        int trial = circuit.enter(now);

        assertThat(unhealthy).isEqualTo(REFUSED);
        assertThat(trial).isNotEqualTo(REFUSED);
        assertThat(said).containsExactly("opened: checks");
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.HALF_OPEN);
    }

    @Test
    void aServerThatHasRecoveredHasATenthOfItsShareAtFirst() {
        var before = circuit.warmth(now);
        open();
        close();
        var atFirst = circuit.warmth(now);
        pass(Duration.ofSeconds(5));
        var halfWay = circuit.warmth(now);
        pass(Duration.ofSeconds(5));

        assertThat(before).isEqualTo(1);
        assertThat(atFirst).isEqualTo(0.1);
        assertThat(halfWay).isEqualTo(0.5);
        assertThat(circuit.warmth(now)).isEqualTo(1);
    }
}
