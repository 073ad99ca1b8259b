package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which responses may be stored. */
class Rfc9111Section3Test {
    private static final Settings STORING_COOKIES =
            new Settings(Duration.ZERO, Duration.ZERO, Duration.ZERO, true, true, "quire");

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "POST", "PUT", "OPTIONS", "get", "QUERY"})
    void onlyTheAnswerToGetIsKept(String method) {
        var answer = Arriving.with("Cache-Control", "max-age=60").to(request(method));

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.METHOD);
    }

    @May
    @ParameterizedTest
    @ValueSource(
            ints = {200, 201, 202, 203, 204, 299, 302, 303, 307, 400, 403, 404, 499, 500, 503, 599})
    void anyStatusWithALifetimeIsKept(int status) {
        assertThat(Arriving.with("Cache-Control", "max-age=60").status(status).lifetime())
                .isEqualTo(60);
    }

    @May
    @ParameterizedTest
    @ValueSource(ints = {206, 304})
    void partsAndAnswersToConditionsAreNotKept(int status) {
        assertThat(
                        Arriving.with("Cache-Control", "max-age=60", "ETag", "\"1\"")
                                .status(status)
                                .refusal())
                .isEqualTo(StorageRefusal.STATUS);
    }

    @Must
    @ParameterizedTest
    @ValueSource(ints = {201, 202, 302, 303, 307, 403, 500, 502, 503, 504, 599})
    void otherStatusesAreKeptOnlyWhenTheOriginSaysSo(int status) {
        assertThat(Arriving.with("ETag", "\"1\"").status(status).refusal())
                .isEqualTo(StorageRefusal.STATUS);
        assertThat(Arriving.with("ETag", "\"1\"", "Cache-Control", "public").status(status))
                .extracting(Arriving::storing)
                .isInstanceOf(StorageDecision.Keep.class);
    }

    @Must
    @Test
    void noStoreIsNotKept() {
        assertThat(Arriving.with("Cache-Control", "max-age=60, no-store").refusal())
                .isEqualTo(StorageRefusal.NO_STORE);
    }

    @Must
    @Test
    void privateIsNotKept() {
        assertThat(Arriving.with("Cache-Control", "private, max-age=60").refusal())
                .isEqualTo(StorageRefusal.PRIVATE);
    }

    @Must
    @Test
    void privateThatNamesFieldsIsKept() {
        assertThat(Arriving.with("Cache-Control", "private=\"X-User\", max-age=60").lifetime())
                .isEqualTo(60);
    }

    @May
    @Test
    void understoodStatusIsKeptThoughNoStoreStandsBesideMustUnderstand() {
        var answer = Arriving.with("Cache-Control", "max-age=60, no-store, must-understand");

        assertThat(answer.lifetime()).isEqualTo(60);
        assertThat(answer.status(404).lifetime()).isEqualTo(60);
    }

    @Should
    @ParameterizedTest
    @ValueSource(ints = {299, 306, 499, 599})
    void statusNotUnderstoodIsNotKeptUnderMustUnderstand(int status) {
        var answer = Arriving.with("Cache-Control", "max-age=60, must-understand");

        assertThat(answer.status(status).refusal()).isEqualTo(StorageRefusal.STATUS);
    }

    @May
    @Test
    void staleOnArrivalIsKeptOnlyWithAValidator() {
        assertThat(Arriving.with("Cache-Control", "max-age=0").refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
        assertThat(Arriving.with("Cache-Control", "max-age=60", "Age", "60").refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
        assertThat(Arriving.with("Cache-Control", "max-age=0", "ETag", "\"1\"").lifetime())
                .isZero();
        assertThat(
                        Arriving.with("Cache-Control", "max-age=0", "Last-Modified", noonPlus(-60))
                                .lifetime())
                .isZero();
    }

    @May
    @Test
    void lastModifiedThatIsNoDateIsNoValidator() {
        assertThat(Arriving.with("Cache-Control", "max-age=0", "Last-Modified", "now").refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @May
    @Test
    void noCacheIsKeptWithAValidatorToAskBy() {
        var freshness =
                Arriving.with("Cache-Control", "no-cache, max-age=60", "ETag", "\"1\"").freshness();

        assertThat(freshness.validateAlways()).isTrue();
        assertThat(Arriving.with("Cache-Control", "no-cache, max-age=60").refusal())
                .isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @Must
    @Test
    void noCacheThatNamesFieldsNeedsNoValidation() {
        var freshness =
                Arriving.with("Cache-Control", "no-cache=\"X-User\", max-age=60").freshness();

        assertThat(freshness.validateAlways()).isFalse();
    }

    @May
    @Test
    void nothingSaidAndNothingToAskByIsNotKept() {
        assertThat(Arriving.with().refusal()).isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"Set-Cookie", "set-cookie", "Set-Cookie2"})
    void responseThatSetsACookieIsNotKept(String name) {
        assertThat(Arriving.with("Cache-Control", "public, max-age=60", name, "a=b").refusal())
                .isEqualTo(StorageRefusal.SET_COOKIE);
    }

    @May
    @Test
    void settingKeepsAResponseThatSetsACookieIfItsLifetimeIsExplicit() {
        var lasting = Arriving.with("Cache-Control", "max-age=60", "Set-Cookie", "a=b");
        var guessed = Arriving.with("Last-Modified", noonPlus(-600), "Set-Cookie", "a=b");
        var stale = Arriving.with("Cache-Control", "max-age=0", "ETag", "1", "Set-Cookie", "a=b");

        assertThat(lasting.under(STORING_COOKIES).lifetime()).isEqualTo(60);
        assertThat(guessed.under(STORING_COOKIES).refusal()).isEqualTo(StorageRefusal.SET_COOKIE);
        assertThat(stale.under(STORING_COOKIES).refusal()).isEqualTo(StorageRefusal.SET_COOKIE);
    }

    @May
    @Test
    void pragmaAndContentDispositionAreNoObstacle() {
        var answer =
                Arriving.with(
                        "Cache-Control", "max-age=60",
                        "Pragma", "no-cache",
                        "Content-Disposition", "attachment");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"*", "*, *", ", *", "Foo, *", "Cookie,*"})
    void responseThatVariesOnAnythingIsNotKept(String vary) {
        assertThat(Arriving.with("Cache-Control", "max-age=60", "Vary", vary).refusal())
                .isEqualTo(StorageRefusal.VARY_ANY);
    }

    @May
    @Test
    void starOnASecondLineIsFound() {
        var answer = Arriving.with("Cache-Control", "max-age=60", "Vary", "a", "Vary", "*");

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.VARY_ANY);
    }

    @May
    @Test
    void responseThatVariesOnMoreThanEightFieldsIsNotKept() {
        var eight = Arriving.with("Cache-Control", "max-age=60", "Vary", "a,b,c,d,e,f,g,h,A");
        var nine = Arriving.with("Cache-Control", "max-age=60", "Vary", "a,b,c,d,e,f,g,h,i");

        assertThat(eight.lifetime()).isEqualTo(60);
        assertThat(nine.refusal()).isEqualTo(StorageRefusal.VARY_TOO_MANY);
    }

    @May
    @Test
    void responseThatVariesOnCookieIsKeptOnlyForThoseWithoutOne() {
        var answer = Arriving.with("Cache-Control", "max-age=60", "Vary", "Accept, cookie");

        assertThat(answer.lifetime()).isEqualTo(60);
        assertThat(answer.to(request("GET", "Cookie", "sid=1")).refusal())
                .isEqualTo(StorageRefusal.VARY_COOKIE);
    }

    @May
    @Test
    void cookieOfTheRequestAloneIsNoObstacle() {
        var answer = Arriving.with("Cache-Control", "max-age=60");

        assertThat(answer.to(request("GET", "Cookie", "sid=1")).lifetime()).isEqualTo(60);
    }

    @May
    @ParameterizedTest
    @EnumSource(StorageRefusal.class)
    void labelsAreTheNamesInKebabCase(StorageRefusal reason) {
        assertThat(reason.label().replace('-', '_')).isEqualToIgnoringCase(reason.name());
    }
}
