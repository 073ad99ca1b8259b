package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Targeted cache control: CDN-Cache-Control among the fields that may govern. */
class Rfc9213Test {

    @Must
    @Test
    void lifetimeInItDecidesAloneAgainstCacheControlAndExpires() {
        var answer =
                Arriving.with(
                        "CDN-Cache-Control", "max-age=60",
                        "Cache-Control", "no-store, private, max-age=1",
                        "Expires", noonPlus(-60));

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"no-store", "no-store=?1", "no-store;a=b", "max-age=60, no-store"})
    void noStoreInItDecidesAloneAgainstCacheControl(String value) {
        var answer = Arriving.with("CDN-Cache-Control", value, "Cache-Control", "max-age=60");

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.NO_STORE);
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-age=10000, &&&&&",
                "MaX-aGe=10000",
                "max-age =10000",
                "max-age= 10000",
                "max-age=10000,",
                "max-age=10000 no-store",
                "max-age=10000, private=\"",
                "max-age=1000000000000000",
                "max-age=10000, x=é"
            })
    void faultOfSyntaxDropsTheWholeField(String value) {
        var answer = Arriving.with("CDN-Cache-Control", value, "Cache-Control", "max-age=60");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void emptyFieldDecidesNothing(String value) {
        var answer = Arriving.with("CDN-Cache-Control", value, "Cache-Control", "max-age=60");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-age=\"10000\"",
                "max-age=10000.0",
                "max-age=-1",
                "max-age",
                "max-age=a",
                "max-age=(1)"
            })
    void lifetimeOfAWrongTypeIsNoneAndTheFieldStillDecides(String value) {
        var answer =
                Arriving.with(
                        "CDN-Cache-Control", value,
                        "Cache-Control", "max-age=60",
                        "ETag", "\"1\"");

        assertThat(answer.lifetime()).isZero();
    }

    @Must
    @Test
    void unknownMembersAndParametersAreIgnored() {
        var answer = Arriving.with("CDN-Cache-Control", "x, foo=(a b), max-age=60;a=1;b, y=2");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @Must
    @Test
    void onlyUnknownMembersStillDecideAlone() {
        var answer = Arriving.with("CDN-Cache-Control", "foo", "Cache-Control", "max-age=60");

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    @Must
    @Test
    void lastOfTwoEqualKeysCounts() {
        assertThat(Arriving.with("CDN-Cache-Control", "max-age=1, max-age=60").lifetime())
                .isEqualTo(60);
        assertThat(
                        Arriving.with(
                                        "CDN-Cache-Control", "max-age=60",
                                        "CDN-Cache-Control", "max-age=1")
                                .lifetime())
                .isEqualTo(1);
    }

    @Must
    @Test
    void directivesMeanWhatTheyMeanInCacheControl() {
        var validated =
                Arriving.with("CDN-Cache-Control", "max-age=60, no-cache", "ETag", "\"1\"")
                        .freshness();
        var unused = Arriving.with("CDN-Cache-Control", "max-age=60, private=?0, no-store=?0");
        var shared = Arriving.with("CDN-Cache-Control", "s-maxage=9, max-age=60").freshness();

        assertThat(validated.validateAlways()).isTrue();
        assertThat(unused.lifetime()).isEqualTo(60);
        assertThat(shared.lifetime()).hasSeconds(9);
        assertThat(shared.grace()).isZero();
        assertThat(Arriving.with("CDN-Cache-Control", "max-age=60, private").refusal())
                .isEqualTo(StorageRefusal.PRIVATE);
    }

    @Must
    @Test
    void windowsForStaleAreReadInIt() {
        var freshness =
                Arriving.with(
                                "CDN-Cache-Control",
                                "max-age=60, stale-while-revalidate=7, stale-if-error=8",
                                "Cache-Control",
                                "must-revalidate, stale-if-error=99")
                        .freshness();

        assertThat(freshness.grace()).hasSeconds(7);
        assertThat(freshness.staleIfError()).hasSeconds(8);
    }

    @Must
    @Test
    void mustRevalidateInItForbidsStale() {
        var freshness =
                Arriving.with(
                                "CDN-Cache-Control", "max-age=60, must-revalidate",
                                "Cache-Control", "stale-if-error=99")
                        .freshness();

        assertThat(freshness.grace()).isZero();
        assertThat(freshness.staleIfError()).isZero();
        assertThat(freshness.staleIfUnreachable()).isZero();
    }

    @Must
    @Test
    void ageCountsAgainstItsLifetime() {
        var freshness = Arriving.with("CDN-Cache-Control", "max-age=60", "Age", "50").freshness();

        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(9))).isTrue();
        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(10))).isFalse();
    }

    @Must
    @Test
    void permissionForAuthorizedRequestsStandsInTheFieldThatDecides() {
        var permitted =
                Arriving.with("CDN-Cache-Control", "max-age=60, public")
                        .to(request("GET", "Authorization", "x"));
        var elsewhere =
                Arriving.with("CDN-Cache-Control", "max-age=60", "Cache-Control", "public")
                        .to(request("GET", "Authorization", "x"));
        var wrongType =
                Arriving.with("CDN-Cache-Control", "max-age=60, public=1")
                        .to(request("GET", "Authorization", "x"));

        assertThat(permitted.lifetime()).isEqualTo(60);
        assertThat(elsewhere.refusal()).isEqualTo(StorageRefusal.AUTHORIZATION);
        assertThat(wrongType.refusal()).isEqualTo(StorageRefusal.AUTHORIZATION);
    }

    @Must
    @ParameterizedTest
    @ValueSource(strings = {"private=\"X-User\"", "private=x-user", "no-cache=\"X-Other, x-USER\""})
    void fieldsItNamesAreNotStored(String value) {
        var answer = Arriving.with("CDN-Cache-Control", "max-age=60, " + value, "X-User", "1");

        assertThat(answer.lifetime()).isEqualTo(60);
        assertThat(ForwardedFields.storable(answer.response().fields()).contains("X-User"))
                .isFalse();
    }

    @Must
    @Test
    void itIsForwardedUnchanged() {
        var fields = Arriving.with("CDN-Cache-Control", "max-age=60, x").response().fields();

        assertThat(ForwardedFields.forwardable(fields)).isEqualTo(fields);
        assertThat(ForwardedFields.storable(fields)).isEqualTo(fields);
    }

    @Must
    @Test
    void surrogateControlIsLookedAtFirst() {
        var answer =
                Arriving.with(
                        "CDN-Cache-Control", "no-store",
                        "Surrogate-Control", "max-age=60");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @May
    @Test
    void surrogateControlThatOnlyNamesContentLeavesItToTheNextField() {
        var answer =
                Arriving.with(
                        "Surrogate-Control", "content=\"ESI/1.0\"",
                        "CDN-Cache-Control", "max-age=60",
                        "Cache-Control", "no-store");

        assertThat(answer.lifetime()).isEqualTo(60);
    }

    @May
    @Test
    void noLifetimeIsGuessedUnderIt() {
        var answer =
                Arriving.with("CDN-Cache-Control", "public", "Last-Modified", noonPlus(-100_000));

        assertThat(answer.lifetime()).isZero();
    }

    @Must
    @Test
    void targetedFieldsForOthersSayNothing() {
        var answer =
                Arriving.with(
                        "Other-Cache-Control", "no-store, max-age=1",
                        "Cache-Control", "max-age=60");

        assertThat(answer.lifetime()).isEqualTo(60);
    }
}
