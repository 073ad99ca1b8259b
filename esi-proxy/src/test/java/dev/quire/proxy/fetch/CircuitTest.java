package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The circuit breaker of a server. */
class CircuitTest {
    private static final int REFUSED = Circuit.REFUSED;
    private static final Duration SLOW_START = Duration.ofSeconds(10);

    private final List<String> said = new ArrayList<>();
    private final Circuit circuit =
            new Circuit(
                    SLOW_START,
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

    private boolean succeeds() {
        int ticket = circuit.enter(now);
        if (ticket != REFUSED) {
            circuit.answered(ticket, now);
        }
        return ticket != REFUSED;
    }

    private boolean fails(boolean isConnect) {
        int ticket = circuit.enter(now);
        if (ticket != REFUSED) {
            circuit.failed(ticket, isConnect, "no luck", now);
        }
        return ticket != REFUSED;
    }

    private void open() {
        for (int i = 0; i < 5; i++) {
            assertThat(fails(true)).isTrue();
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
            fails(true);
        }
        succeeds();
        for (int i = 0; i < 4; i++) {
            fails(true);
        }
        var before = circuit.state();

        fails(true);

        assertThat(before).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(said).containsExactly("opened: 5 consecutive connections failed, last: no luck");
        assertThat(circuit.enter(now)).isEqualTo(REFUSED);
    }

    @Test
    void halfOfTwentyRequestsInTenSecondsOpenIt() {
        for (int i = 0; i < 10; i++) {
            succeeds();
        }
        for (int i = 0; i < 9; i++) {
            fails(false);
        }
        var before = circuit.state();

        fails(false);

        assertThat(before).isEqualTo(ServerState.Circuit.CLOSED);
        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.OPEN);
        assertThat(said).containsExactly("opened: 10 of 20 requests failed, last: no luck");
    }

    @Test
    void lessThanHalfDoNotOpenIt() {
        for (int i = 0; i < 100; i++) {
            fails(false);
            succeeds();
            succeeds();
        }

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void failuresOfLongerAgoAreForgotten() {
        for (int i = 0; i < 19; i++) {
            fails(false);
        }

        pass(Duration.ofSeconds(10));
        fails(false);

        assertThat(circuit.state()).isEqualTo(ServerState.Circuit.CLOSED);
    }

    @Test
    void anOpenOneLetsOnePassAfterFiveSecondsThenFiveMoreThenAll() {
        open();

        pass(Circuit.OPEN.minusNanos(1));
        int early = circuit.enter(now);
        pass(Duration.ofNanos(1));
        int trial = circuit.enter(now);
        int second = circuit.enter(now);
        circuit.answered(trial, now);
        var five = new ArrayList<Integer>();
        for (int i = 0; i < 5; i++) {
            five.add(circuit.enter(now));
        }
        int sixth = circuit.enter(now);
        five.forEach(ticket -> circuit.answered(ticket, now));

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

        fails(false);
        int at = circuit.enter(now);
        pass(Circuit.OPEN);
        int later = circuit.enter(now);

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

        circuit.failed(early, false, "late", now);
        circuit.answered(early, now);
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
        int afterFive = circuit.enter(now);
        pass(Circuit.OPEN);
        int afterTen = circuit.enter(now);

        assertThat(afterFive).isEqualTo(REFUSED);
        assertThat(afterTen).isNotEqualTo(REFUSED);
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
                fails(true);
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
