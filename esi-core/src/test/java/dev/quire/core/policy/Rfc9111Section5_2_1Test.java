package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheDecision.Decline;
import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Miss;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.Pass;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The directives of clients, where they are obeyed. */
class Rfc9111Section5_2_1Test {
    /** Fresh for a minute, then 30 s of grace. */
    private static final Page PAGE = page(false, false);

    private static final Page STRICT = page(false, true);
    private static final Page WITH_ETAG = page(true, false);

    private record Page(Freshness freshness, boolean hasValidator) implements StoredView {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=40             | 40 | true",
                "max-age=40             | 41 | false",
                "max-age=0              | 0  | true",
                "max-age=0              | 1  | false",
                "max-age=soon           | 1  | false",
                "min-fresh=20           | 40 | true",
                "min-fresh=20           | 41 | false",
                "max-stale              | 59 | true",
                "no-cache               | 0  | false",
                "NO-CACHE               | 0  | false",
                "no-store               | 59 | true",
                "only-if-cached         | 59 | true",
                "max-age=40, min-fresh=30 | 30 | true",
                "max-age=40, min-fresh=30 | 31 | false",
                "foobar, max-age =0     | 59 | true",
                "max-age=50, max-age=0  | 50 | true",
            })
    void freshIsServedAsTheClientWantsIt(String directives, int age, boolean isHit) {
        var decision = decide(directives, WITH_ETAG, age);

        assertThat(decision)
                .isEqualTo(
                        isHit
                                ? new Hit<>(WITH_ETAG)
                                : new Revalidate<>(WITH_ETAG, RevalidateReason.REQUEST));
    }

    @Test
    void whatCannotBeValidatedIsFetchedAnew() {
        assertThat(decide("no-cache", PAGE, 10)).isEqualTo(new Miss<>(MissReason.REQUEST, PAGE));
        assertThat(decide("max-age=5", PAGE, 10)).isEqualTo(new Miss<>(MissReason.REQUEST, PAGE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "foobar                 | 89   | true",
                "foobar                 | 90   | false",
                "max-stale              | 9999 | true",
                "max-stale=100          | 159  | true",
                "max-stale=100          | 160  | false",
                "max-stale=10           | 75   | false",
                "max-stale=soon         | 75   | false",
                "max-stale, max-age=70  | 70   | true",
                "max-stale, max-age=70  | 71   | false",
                "max-stale, min-fresh=1 | 70   | false",
                "max-stale, no-cache    | 70   | false",
                "max-age=9999           | 70   | false",
                "min-fresh=0            | 70   | false",
                "no-cache               | 70   | false",
            })
    void staleIsServedAsTheClientAllows(String directives, int age, boolean isServed) {
        var decision = decide(directives, WITH_ETAG, age);

        assertThat(decision)
                .isEqualTo(
                        isServed
                                ? new StaleHit<>(WITH_ETAG)
                                : new Revalidate<>(WITH_ETAG, RevalidateReason.STALE));
    }

    @Test
    void nobodyMayAllowWhatTheOriginForbids() {
        assertThat(decide("max-stale", STRICT, 61)).isEqualTo(new Miss<>(MissReason.STALE, STRICT));
        assertThat(decide("max-stale=100", STRICT, 61))
                .isEqualTo(new Miss<>(MissReason.STALE, STRICT));
        assertThat(mayStandIn("stale-if-error=100", STRICT, 61)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60, must-revalidate                    | true",
                "max-age=60, proxy-revalidate                   | true",
                "s-maxage=60                                    | true",
                "no-cache, max-age=60                           | true",
                "max-age=60                                     | false",
                "max-age=60, stale-while-revalidate=10          | false",
            })
    void originSaysWhetherAnythingMayAllowItToBeStale(String directives, boolean isNeverStale) {
        var freshness = Arriving.with("Cache-Control", directives, "ETag", "\"1\"").freshness();

        assertThat(freshness.isNeverStale()).isEqualTo(isNeverStale);
    }

    @Test
    void whatIsToBeValidatedAlwaysIsNotForTheClientToAllow() {
        var always =
                new Page(
                        new Freshness(
                                NOW,
                                Duration.ZERO,
                                Duration.ofSeconds(60),
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ZERO,
                                true),
                        true);

        assertThat(decide("max-stale", always, 10))
                .isEqualTo(new Revalidate<>(always, RevalidateReason.NO_CACHE));
    }

    @Test
    void answerThatIsNotToBeStoredIsFetchedForThisClientAlone() {
        assertThat(decide("no-store", null, 0)).isEqualTo(new Pass<>(PassReason.NO_STORE));
        assertThat(decide("no-store", WITH_ETAG, 70)).isEqualTo(new Pass<>(PassReason.NO_STORE));
        assertThat(decide("no-store, no-cache", WITH_ETAG, 10))
                .isEqualTo(new Pass<>(PassReason.NO_STORE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void nothingIsFetchedForAClientThatWantsOnlyWhatIsStored(String method) {
        var request = request(method, "Cache-Control", "only-if-cached");

        assertThat(decide(request, null, 0)).isEqualTo(new Decline<>());
        assertThat(decide(request, WITH_ETAG, 90)).isEqualTo(new Decline<>());
        assertThat(decide(request, WITH_ETAG, 89)).isEqualTo(new StaleHit<>(WITH_ETAG));
    }

    @Test
    void onlyIfCachedStopsNoOtherMethod() {
        assertThat(decide(request("POST", "Cache-Control", "only-if-cached"), null, 0))
                .isEqualTo(new Pass<>(PassReason.METHOD));
    }

    @Test
    void onlyIfCachedBesideNoCacheCannotBeSatisfied() {
        assertThat(decide("only-if-cached, no-cache", WITH_ETAG, 10)).isEqualTo(new Decline<>());
    }

    @Test
    void clientMayAllowMoreThanTheOriginWhenThatFails() {
        assertThat(mayStandIn("stale-if-error=100", PAGE, 159)).isTrue();
        assertThat(mayStandIn("stale-if-error=100", PAGE, 160)).isFalse();
        assertThat(mayStandIn("max-age=0", PAGE, 61)).isFalse();
    }

    @Test
    void pragmaMeansNothing() {
        assertThat(decide(request("GET", "Pragma", "no-cache"), PAGE, 10))
                .isEqualTo(new Hit<>(PAGE));
        assertThat(ClientDirectives.of(Fields.of("Pragma", "no-cache")))
                .isEqualTo(ClientDirectives.NONE);
    }

    @Test
    void allLinesAreOneList() {
        var directives =
                ClientDirectives.of(
                        Fields.of(
                                "Cache-Control",
                                "min-fresh=\"7\"",
                                "cache-control",
                                "extension=\"no-cache\", max-age=3"));

        assertThat(directives.noCache()).isFalse();
        assertThat(directives.minFresh()).contains(Duration.ofSeconds(7));
        assertThat(directives.maxAge()).isEqualTo(Optional.of(Duration.ofSeconds(3)));
    }

    private static boolean mayStandIn(String directives, Page page, int age) {
        return CachePolicy.mayStandIn(
                page,
                ClientDirectives.of(Fields.of("Cache-Control", directives)),
                StandInCause.ERROR_STATUS,
                NOW.plusSeconds(age));
    }

    private static CacheDecision<Page> decide(String directives, @Nullable Page stored, int age) {
        return decide(request("GET", "Cache-Control", directives), stored, age);
    }

    private static CacheDecision<Page> decide(RequestHead request, @Nullable Page stored, int age) {
        Instant now = NOW.plusSeconds(age);
        return CachePolicy.decide(
                request, ClientDirectives.of(request.fields()), false, stored, false, false, now);
    }

    private static Page page(boolean hasValidator, boolean isNeverStale) {
        return new Page(
                new Freshness(
                        NOW,
                        Duration.ZERO,
                        new Freshness.Terms(
                                Duration.ofSeconds(60),
                                isNeverStale ? Duration.ZERO : Duration.ofSeconds(30),
                                Duration.ZERO,
                                Duration.ZERO,
                                false,
                                isNeverStale,
                                false)),
                hasValidator);
    }
}
