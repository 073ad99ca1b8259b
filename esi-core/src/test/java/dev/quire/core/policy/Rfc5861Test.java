package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static dev.quire.core.policy.Arriving.request;
import static dev.quire.core.policy.StandInCause.ERROR_STATUS;
import static dev.quire.core.policy.StandInCause.NO_ANSWER;
import static dev.quire.core.policy.StandInCause.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long past its lifetime a response may be served. */
class Rfc5861Test {
    private static final Settings SETTINGS =
            new Settings(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(60),
                    true,
                    false,
                    "quire");

    private record Page(Freshness freshness, boolean hasValidator) implements StoredView {}

    @May
    @Test
    void operatorsWindowsHoldWhereTheOriginSaysNothing() {
        var freshness = arriving("Cache-Control", "max-age=60");

        assertThat(freshness.grace()).hasSeconds(10);
        assertThat(freshness.staleIfError()).hasSeconds(20);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(60);
    }

    @May
    @Test
    void defaultsAreTenSecondsOfGraceAndAMinuteOfOutage() {
        var freshness = Arriving.with("Cache-Control", "max-age=60").freshness();

        assertThat(freshness.grace()).hasSeconds(10);
        assertThat(freshness.staleIfError()).isZero();
        assertThat(freshness.staleIfUnreachable()).hasSeconds(60);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"0", "3", "300"})
    void graceOfTheOriginReplacesTheOperators(long seconds) {
        var freshness = arriving("Cache-Control", "max-age=60, stale-while-revalidate=" + seconds);

        assertThat(freshness.grace()).hasSeconds(seconds);
        assertThat(freshness.staleIfError()).hasSeconds(20);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"0", "3", "300"})
    void staleIfErrorOfTheOriginReplacesBothOfTheOperators(long seconds) {
        var freshness = arriving("Cache-Control", "max-age=60, stale-if-error=" + seconds);

        assertThat(freshness.staleIfError()).hasSeconds(seconds);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(seconds);
        assertThat(freshness.grace()).hasSeconds(10);
    }

    @May
    @Test
    void stalePartOfSurrogateControlIsBothWindows() {
        var freshness = arriving("Surrogate-Control", "max-age=60+7");

        assertThat(freshness.grace()).hasSeconds(7);
        assertThat(freshness.staleIfError()).hasSeconds(7);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(7);
    }

    @Must
    @Test
    void stalePartOfZeroForbidsStale() {
        var freshness = arriving("Surrogate-Control", "max-age=60+0");

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
        assertThat(freshness.staleIfUnreachable()).isZero();
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-age=60, must-revalidate",
                "max-age=60, proxy-revalidate",
                "s-maxage=60",
                "max-age=60, no-cache"
            })
    void prohibitionStandsAgainstAnyPermission(String value) {
        var freshness =
                arriving(
                        "Cache-Control",
                        value + ", stale-while-revalidate=30, stale-if-error=30",
                        "ETag",
                        "\"1\"");

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
        assertThat(freshness.staleIfUnreachable()).isZero();
    }

    @May
    @Test
    void whatArrivesStaleHasNoGraceUnlessTheOriginSaysSo() {
        var silent = arriving("Cache-Control", "max-age=60", "Age", "60", "ETag", "\"1\"");
        var named =
                arriving("Cache-Control", "max-age=0, stale-while-revalidate=5", "ETag", "\"1\"");

        assertThat(silent.grace()).isZero();
        assertThat(silent.staleIfUnreachable()).hasSeconds(60);
        assertThat(named.grace()).hasSeconds(5);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"Cookie", "Authorization"})
    void answerToOneReaderThatArrivesStaleNeverStandsInForAnothers(String name) {
        var answer =
                Arriving.with("ETag", "\"1\"", "Cache-Control", "public")
                        .to(request("GET", name, "x"))
                        .under(SETTINGS)
                        .freshness();

        assertThat(answer.staleIfError()).isZero();
        assertThat(answer.staleIfUnreachable()).isZero();
    }

    @May
    @Test
    void staleStandsInForAnErrorWithinItsWindow() {
        var page = page(arriving("Cache-Control", "max-age=60, stale-if-error=30"));

        assertThat(CachePolicy.mayStandIn(page, ERROR_STATUS, at(89))).isTrue();
        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, at(89))).isTrue();
        assertThat(CachePolicy.mayStandIn(page, ERROR_STATUS, at(90))).isFalse();
        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, at(90))).isFalse();
    }

    @May
    @Test
    void outageWindowIsNoneForAnErrorStatus() {
        var page = page(Arriving.with("Cache-Control", "max-age=60").freshness());

        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, at(119))).isTrue();
        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, at(120))).isFalse();
        assertThat(CachePolicy.mayStandIn(page, ERROR_STATUS, at(60))).isFalse();
    }

    @May
    @Test
    void errorWindowAlsoHoldsWhenNoAnswerCame() {
        var longForErrors =
                new Settings(
                        Duration.ZERO, Duration.ofHours(1), Duration.ZERO, true, false, "quire");
        var page =
                page(Arriving.with("Cache-Control", "max-age=60").under(longForErrors).freshness());

        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, at(600))).isTrue();
    }

    @May
    @Test
    void windowsForASlowOriginAreThoseForNoAnswer() {
        var byOrigin = page(arriving("Cache-Control", "max-age=60, stale-if-error=30"));
        var byOperator = page(Arriving.with("Cache-Control", "max-age=60").freshness());

        assertThat(CachePolicy.mayStandIn(byOrigin, SLOW, at(89))).isTrue();
        assertThat(CachePolicy.mayStandIn(byOrigin, SLOW, at(90))).isFalse();
        assertThat(CachePolicy.mayStandIn(byOperator, SLOW, at(119))).isTrue();
        assertThat(CachePolicy.mayStandIn(byOperator, SLOW, at(120))).isFalse();
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-age=60, must-revalidate",
                "max-age=60, proxy-revalidate",
                "s-maxage=60",
                "max-age=60, no-cache"
            })
    void slowOriginLiftsNoProhibition(String value) {
        var page =
                page(
                        arriving(
                                "Cache-Control",
                                value + ", stale-while-revalidate=30, stale-if-error=30",
                                "ETag",
                                "\"1\""));

        assertThat(CachePolicy.mayStandIn(page, SLOW, at(61))).isFalse();
    }

    @Must
    @Test
    void whatMustBeAskedAboutNeverStandsInThoughFresh() {
        var page = page(arriving("Cache-Control", "max-age=60, no-cache", "ETag", "\"1\""));

        assertThat(CachePolicy.mayStandIn(page, NO_ANSWER, NOW)).isFalse();
        assertThat(CachePolicy.mayStandIn(page, ERROR_STATUS, NOW)).isFalse();
        assertThat(CachePolicy.mayStandIn(page, SLOW, NOW)).isFalse();
    }

    @Must
    @Test
    void onlyFourStatusesAreErrorsToStandInFor() {
        for (int status = 100; status < 1000; status++) {
            assertThat(StandInCause.isErrorStatus(status))
                    .as("%d", status)
                    .isEqualTo(status == 500 || status == 502 || status == 503 || status == 504);
        }
    }

    private static Freshness arriving(String... namesAndValues) {
        return Arriving.with(namesAndValues).under(SETTINGS).freshness();
    }

    private static Page page(Freshness freshness) {
        return new Page(freshness, false);
    }

    private static Instant at(long seconds) {
        return NOW.plusSeconds(seconds);
    }
}
