package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heuristic freshness. */
class Rfc9111Section4_2_2Test {
    private static final Arriving UNCHANGED_FOR_AN_HOUR =
            Arriving.with("Last-Modified", noonPlus(-3600));

    @Should
    @Test
    void lifetimeIsATenthOfTheTimeUnchanged() {
        assertThat(UNCHANGED_FOR_AN_HOUR.lifetime()).isEqualTo(360);
    }

    @May
    @Test
    void timeUnchangedCountsFromDate() {
        assertThat(
                        Arriving.with("Last-Modified", noonPlus(-3600), "Date", noonPlus(-600))
                                .lifetime())
                .isEqualTo(300);
    }

    @May
    @Test
    void guessIsADayAtMost() {
        assertThat(Arriving.with("Last-Modified", "Thu, 01 Jan 1998 00:00:00 GMT").lifetime())
                .isEqualTo(86_400);
    }

    @May
    @ParameterizedTest
    @ValueSource(ints = {200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501})
    void statusesThatLastAreGuessed(int status) {
        assertThat(UNCHANGED_FOR_AN_HOUR.status(status).lifetime()).isEqualTo(360);
    }

    @Must
    @ParameterizedTest
    @ValueSource(ints = {201, 202, 403, 502, 503, 504, 599})
    void otherStatusesAreGuessedOnlyWithPublic(int status) {
        var open = Arriving.with("Last-Modified", noonPlus(-3600), "Cache-Control", "public");

        assertThat(UNCHANGED_FOR_AN_HOUR.status(status).refusal()).isEqualTo(StorageRefusal.STATUS);
        assertThat(open.status(status).lifetime()).isEqualTo(360);
    }

    @Must
    @Test
    void explicitLifetimeIsNeverReplaced() {
        assertThat(
                        Arriving.with(
                                        "Last-Modified",
                                        noonPlus(-3600),
                                        "Cache-Control",
                                        "max-age=0")
                                .lifetime())
                .isZero();
    }

    @Must
    @Test
    void lastModifiedAfterDateGuessesNothing() {
        assertThat(Arriving.with("Last-Modified", noonPlus(60)).lifetime()).isZero();
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"Cookie", "Authorization"})
    void nothingIsGuessedForARequestWithCredentials(String name) {
        var answer = Arriving.with("Last-Modified", noonPlus(-3600), "Cache-Control", "public");

        assertThat(answer.to(request("GET", name, "x")).lifetime()).isZero();
    }

    @May
    @Test
    void settingTurnsItOff() {
        var off = new Settings(Duration.ZERO, Duration.ZERO, Duration.ZERO, false, false, "quire");

        assertThat(UNCHANGED_FOR_AN_HOUR.under(off).lifetime()).isZero();
    }
}
