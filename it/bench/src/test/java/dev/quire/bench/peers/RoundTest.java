package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class RoundTest {
    private static final int CONNECTIONS = 64;

    @Test
    void answersOfTheRightSizeWithoutErrorsAreValid() {
        assertThat(fault(outcome(10_000, 26_900, 0), 0, 0)).isEmpty();
    }

    @Test
    void answersThatMissAFragmentAreNot() {
        assertThat(fault(outcome(10_000, 25_600, 0), 0, 0))
                .hasValue("25,600 bytes per response, expected 26,624 and a head");
    }

    @Test
    void answersThatAreTooLongAreNot() {
        assertThat(fault(outcome(10_000, 30_000, 0), 0, 0))
                .hasValue("30,000 bytes per response, expected 26,624 and a head");
    }

    @Test
    void oneErrorIsOneTooMany() {
        assertThat(fault(outcome(10_000, 26_900, 1), 0, 0)).hasValue("1 errors in 10,000 requests");
    }

    @Test
    void anOriginThatIsAskedForWhatShouldBeCachedIsAFault() {
        assertThat(fault(outcome(10_000, 26_900, 0), 0, 10_000))
                .hasValue("10,000 requests at the origin, expected 0");
    }

    @Test
    void anOriginThatIsNotAskedForWhatIsPrivateIsAFault() {
        assertThat(fault(outcome(10_000, 26_900, 0), 1, 10_000 + CONNECTIONS)).isEmpty();
        assertThat(fault(outcome(10_000, 26_900, 0), 1, 200))
                .hasValue("200 requests at the origin, expected 10,000");
    }

    @Test
    void nothingIsConcludedFromNothing() {
        assertThat(fault(Outcome.NONE, 0, 0)).hasValue("no request was answered");
    }

    private static Outcome outcome(long requests, long bytesEach, long errors) {
        return new Outcome(requests, 1, requests * bytesEach, errors, 1, 2);
    }

    private static Optional<String> fault(Outcome outcome, int each, long originRequests) {
        return Round.fault(outcome, 26_624, each, originRequests, CONNECTIONS);
    }
}
