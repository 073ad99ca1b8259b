package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorGuardTest {
    private static final ErrorGuard ONE_PERCENT = new ErrorGuard(0.01);

    @ParameterizedTest
    @CsvSource({"errors<1%, 0.01", "errors < 0.5 %, 0.005", "errors<0%, 0", "errors<100%, 1"})
    void limitIsAPercentage(String text, double limit) {
        assertThat(ErrorGuard.parse(text)).contains(new ErrorGuard(limit));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1%",
                "errors<1",
                "errors>1%",
                "errors<101%",
                "errors<-1%",
                "errors<1%%"
            })
    void anythingElseIsInvalid(String text) {
        assertThat(ErrorGuard.parse(text)).isEmpty();
    }

    @Test
    void fewerThanTwentyResponsesAreNotJudged() {
        assertThat(ONE_PERCENT.trips(19, 19, 0)).isFalse();
        assertThat(ONE_PERCENT.trips(20, 20, 0)).isTrue();
    }

    @Test
    void shareMustExceedTheLimit() {
        assertThat(ONE_PERCENT.trips(100, 1, 0)).isFalse();
        assertThat(ONE_PERCENT.trips(100, 2, 0)).isTrue();
    }

    @Test
    void shareMustExceedTwiceThatOfTheTimeBefore() {
        assertThat(ONE_PERCENT.trips(100, 20, 0.10)).isFalse();
        assertThat(ONE_PERCENT.trips(100, 21, 0.10)).isTrue();
    }
}
