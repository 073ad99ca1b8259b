package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings of an operator for a route, as overrides and defaults. */
class OperatorLifetimeTest {
    private static final Settings TTL = lifetime(60);
    private static final Settings DEFAULT_TTL =
            Settings.DEFAULT.with(
                    new OperatorLifetime(none(), none(), none(), Optional.of(seconds(60))));
    private static final Settings WINDOWS =
            Settings.DEFAULT.with(
                    new OperatorLifetime(
                            none(), Optional.of(seconds(7)), Optional.of(seconds(8)), none()));

    @ParameterizedTest
    @ValueSource(strings = {"max-age=5", "max-age=5000", "s-maxage=1", "max-age=0", "public"})
    void lifetimeStandsInPlaceOfTheOrigins(String value) {
        assertThat(Arriving.with("Cache-Control", value).under(TTL).lifetime()).isEqualTo(60);
    }

    @Test
    void lifetimeStandsInPlaceOfAGuessAndOfNothing() {
        assertThat(Arriving.with().under(TTL).lifetime()).isEqualTo(60);
        assertThat(Arriving.with("Last-Modified", noonPlus(-10)).under(TTL).lifetime())
                .isEqualTo(60);
    }

    @Test
    void lifetimeCountsFromTheArrival() {
        var freshness =
                Arriving.with("Cache-Control", "max-age=5", "Age", "100").under(TTL).freshness();

        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(59))).isTrue();
        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(60))).isFalse();
    }

    @Test
    void lifetimeOfZeroIsStaleAtOnce() {
        var answer = Arriving.with("Cache-Control", "max-age=60", "ETag", "\"1\"");

        assertThat(answer.under(lifetime(0)).freshness().isFreshAt(Arriving.NOW)).isFalse();
        assertThat(Arriving.with("Cache-Control", "max-age=60").under(lifetime(0)).refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 302, 307, 403, 500, 503})
    void lifetimeIsForStatusesThatLast(int status) {
        assertThat(Arriving.with("Cache-Control", "max-age=5").status(status).under(TTL).lifetime())
                .isEqualTo(5);
        assertThat(Arriving.with().status(status).under(TTL).refusal())
                .isEqualTo(StorageRefusal.STATUS);
    }

    @Test
    void whatForbidsKeepingStillDoes() {
        assertThat(Arriving.with("Cache-Control", "no-store").under(TTL).refusal())
                .isEqualTo(StorageRefusal.NO_STORE);
        assertThat(Arriving.with("Cache-Control", "private").under(TTL).refusal())
                .isEqualTo(StorageRefusal.PRIVATE);
        assertThat(Arriving.with("Set-Cookie", "a=b").under(TTL).refusal())
                .isEqualTo(StorageRefusal.SET_COOKIE);
        assertThat(Arriving.with("Vary", "*").under(TTL).refusal())
                .isEqualTo(StorageRefusal.VARY_ANY);
        assertThat(Arriving.with().to(request("GET", "Authorization", "x")).under(TTL).refusal())
                .isEqualTo(StorageRefusal.AUTHORIZATION);
    }

    @Test
    void lifetimeOfTheOperatorReplaysNoCookie() {
        var storing =
                new Settings(
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        true,
                        true,
                        "quire",
                        false,
                        TTL.operator());

        assertThat(Arriving.with("Set-Cookie", "a=b").under(storing).refusal())
                .isEqualTo(StorageRefusal.SET_COOKIE);
        assertThat(
                        Arriving.with("Set-Cookie", "a=b", "Cache-Control", "max-age=1")
                                .under(storing)
                                .lifetime())
                .isEqualTo(60);
    }

    @Test
    void noCacheIsStillAskedAboutEveryTime() {
        var freshness =
                Arriving.with("Cache-Control", "no-cache", "ETag", "\"1\"").under(TTL).freshness();

        assertThat(freshness.validateAlways()).isTrue();
    }

    @Test
    void pageThatIncludesItStandsBeforeTheOperator() {
        var answer = Arriving.with("Cache-Control", "max-age=5").under(TTL);
        var author = new AuthorLifetime(Optional.of(seconds(9)), Optional.empty(), true);

        var storing =
                CachePolicy.storing(
                        answer.request(), answer.response(), answer.times(), TTL, author);

        assertThat(storing)
                .isInstanceOfSatisfying(
                        StorageDecision.Keep.class,
                        keep -> assertThat(keep.freshness().lifetime()).hasSeconds(9));
    }

    @Test
    void windowsStandInPlaceOfTheOrigins() {
        var freshness =
                Arriving.with(
                                "Cache-Control",
                                "max-age=60, stale-while-revalidate=1, stale-if-error=2")
                        .under(WINDOWS)
                        .freshness();

        assertThat(freshness.grace()).hasSeconds(7);
        assertThat(freshness.staleIfError()).hasSeconds(8);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"must-revalidate", "proxy-revalidate", "s-maxage=60"})
    void whatForbidsStaleStillDoes(String value) {
        var freshness =
                Arriving.with("Cache-Control", "max-age=60, " + value).under(WINDOWS).freshness();

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
        assertThat(freshness.staleIfUnreachable()).isZero();
    }

    @Test
    void whatArrivesStaleHasTheOperatorsGraceOnlyIfTheOriginSpeaksOfGrace() {
        var silent = Arriving.with("Cache-Control", "max-age=0", "ETag", "\"1\"");
        var speaking =
                Arriving.with("Cache-Control", "max-age=0, stale-while-revalidate=1", "ETag", "1");

        assertThat(silent.under(WINDOWS).freshness().grace()).isZero();
        assertThat(speaking.under(WINDOWS).freshness().grace()).hasSeconds(7);
    }

    @Test
    void unsaidLifetimeIsTheOperatorsInPlaceOfAGuess() {
        assertThat(Arriving.with().under(DEFAULT_TTL).lifetime()).isEqualTo(60);
        assertThat(
                        Arriving.with("Last-Modified", noonPlus(-100_000), "Age", "5")
                                .under(DEFAULT_TTL)
                                .freshness()
                                .remainingAt(Arriving.NOW))
                .hasSeconds(60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-age=5", "s-maxage=5"})
    void whatTheOriginSaysStandsBeforeTheUnsaidLifetime(String value) {
        assertThat(Arriving.with("Cache-Control", value).under(DEFAULT_TTL).lifetime())
                .isEqualTo(5);
    }

    @Test
    void lifetimeThatIsNoNumberIsSaidAllTheSame() {
        assertThat(Arriving.with("Cache-Control", "max-age=x").under(DEFAULT_TTL).refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
        assertThat(Arriving.with("Expires", "0").under(DEFAULT_TTL).refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @Test
    void unsaidLifetimeIsNotForRequestsWithCredentials() {
        var answer = Arriving.with("ETag", "\"1\"").under(DEFAULT_TTL);
        var open = Arriving.with("ETag", "\"1\"", "Cache-Control", "public").under(DEFAULT_TTL);

        assertThat(answer.to(request("GET", "Cookie", "sid=1")).lifetime()).isZero();
        assertThat(open.to(request("GET", "Authorization", "x")).lifetime()).isZero();
        assertThat(open.lifetime()).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 301, 405, 414, 501})
    void lifetimesOfARouteAreNotForStatusesThatFieldsOfARequestCause(int status) {
        assertThat(Arriving.with().status(status).under(TTL).refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
        assertThat(Arriving.with().status(status).under(DEFAULT_TTL).refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
        assertThat(Arriving.with("Cache-Control", "max-age=5").status(status).lifetime())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 431, 500})
    void errorsAfterALongRequestHeadAreNotStored(int status) {
        var answer = Arriving.with("Cache-Control", "max-age=60").status(status);

        assertThat(answer.to(request("GET", "X-Long", "x".repeat(5_000))).refusal())
                .isEqualTo(StorageRefusal.LARGE_REQUEST);
        assertThat(answer.to(request("GET", "X-Long", "x".repeat(3_000))).lifetime()).isEqualTo(60);
        assertThat(
                        Arriving.with("Cache-Control", "max-age=60")
                                .to(request("GET", "X-Long", "x".repeat(5_000)))
                                .lifetime())
                .isEqualTo(60);
    }

    @Test
    void unsaidLifetimeIsForStatusesThatLast() {
        assertThat(Arriving.with().status(302).under(DEFAULT_TTL).refusal())
                .isEqualTo(StorageRefusal.STATUS);
        assertThat(Arriving.with().status(404).under(DEFAULT_TTL).lifetime()).isEqualTo(60);
    }

    @Test
    void operatorMayReadSharedMaxAgeAsALifetimeAlone() {
        var lenient =
                new Settings(
                        seconds(10),
                        seconds(20),
                        seconds(30),
                        seconds(1),
                        true,
                        false,
                        "quire",
                        true,
                        OperatorLifetime.UNSAID);
        var freshness =
                Arriving.with("Cache-Control", "s-maxage=60, stale-while-revalidate=5")
                        .under(lenient)
                        .freshness();

        assertThat(freshness.grace()).hasSeconds(5);
        assertThat(freshness.staleIfError()).hasSeconds(20);
        assertThat(freshness.staleIfUnreachable()).hasSeconds(30);
        assertThat(
                        Arriving.with("Cache-Control", "s-maxage=60, must-revalidate")
                                .under(lenient)
                                .freshness()
                                .staleIfUnreachable())
                .isZero();
    }

    @Test
    void onlyWhatForbidsStaleLeavesNoAnswerWithoutTheOrigin() {
        assertThat(forbidsStale("max-age=60, must-revalidate")).isTrue();
        assertThat(forbidsStale("proxy-revalidate")).isTrue();
        assertThat(forbidsStale("s-maxage=60")).isTrue();
        assertThat(forbidsStale("no-cache")).isTrue();
        assertThat(forbidsStale("max-age=60, no-cache=\"a\"")).isFalse();
        assertThat(forbidsStale("max-age=60")).isFalse();
    }

    @Test
    void negativeTimesAreRefused() {
        assertThatThrownBy(() -> lifetime(-1)).hasMessageContaining("ttl must not be negative");
    }

    private static boolean forbidsStale(String cacheControl) {
        return CachePolicy.forbidsStale(
                Arriving.with("Cache-Control", cacheControl).response().fields(), Settings.DEFAULT);
    }

    private static Settings lifetime(long seconds) {
        return Settings.DEFAULT.with(
                new OperatorLifetime(Optional.of(seconds(seconds)), none(), none(), none()));
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Optional<Duration> none() {
        return Optional.empty();
    }
}
