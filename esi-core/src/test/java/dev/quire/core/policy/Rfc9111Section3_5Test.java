package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Storing the response to a request with Authorization. */
class Rfc9111Section3_5Test {

    @Must
    @Test
    void maxAgeIsNotEnough() {
        assertThat(authorized("Cache-Control", "max-age=60").refusal())
                .isEqualTo(StorageRefusal.AUTHORIZATION);
        assertThat(authorized("Cache-Control", "max-age=60, proxy-revalidate").refusal())
                .isEqualTo(StorageRefusal.AUTHORIZATION);
    }

    @May
    @ParameterizedTest
    @ValueSource(strings = {"public, max-age=60", "must-revalidate, max-age=60", "s-maxage=60"})
    void originThatOpensItToOthersIsObeyed(String value) {
        assertThat(authorized("Cache-Control", value).lifetime()).isEqualTo(60);
    }

    @Must
    @Test
    void permissionMustStandInTheFieldThatDecides() {
        assertThat(
                        authorized(
                                        "Surrogate-Control", "max-age=60",
                                        "Cache-Control", "public")
                                .refusal())
                .isEqualTo(StorageRefusal.AUTHORIZATION);
        assertThat(authorized("Surrogate-Control", "public, max-age=60").lifetime()).isEqualTo(60);
    }

    private static Arriving authorized(String... namesAndValues) {
        return Arriving.with(namesAndValues).to(request("GET", "Authorization", "Basic eDp5"));
    }
}
