package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Response rules: which responses are stored, and with which fields. */
class ResponseRulesIT {
    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    private RunningProxy ruled(String rule) {
        return RunningProxy.inFrontOf(origin)
                .with("rules", "{ response: [ %s ] }".formatted(rule))
                .start();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "private              | { set: { Cache-Control: 'public, max-age=60' } }",
                "private, max-age=60  | { unset: Cache-Control, ttl: 60s }",
                "no-store             | { set: { Cache-Control: 'public, max-age=60' } }",
                "no-store             | { unset: Cache-*, ttl: 60s }",
                "no-store             | { set: { CDN-Cache-Control: 'max-age=60' } }",
            })
    void noRuleStoresAResponseForOneClient(String control, String rule) {
        origin.otherwise(request ->
                Answer.html("for " + request.field("X-User")).field("Cache-Control", control));

        try (var proxy = ruled(rule);
                var client = proxy.connect()) {
            assertThat(client.get("/", "X-User", "a").text()).isEqualTo("for a");
            assertThat(client.get("/", "X-User", "b").text()).isEqualTo("for b");
        }
    }

    @Test
    void noRuleSharesTheResponseToCredentials() {
        origin.otherwise(
                request -> Answer.html("for " + request.field("Authorization")).field("A", "b"));

        try (var proxy = ruled("{ set: { Cache-Control: 'public, s-maxage=60' } }");
                var client = proxy.connect()) {
            var first = client.get("/", "Authorization", "Bearer a");
            assertThat(first.text()).isEqualTo("for Bearer a");
            assertThat(first.field("Cache-Control")).contains("public");
            assertThat(client.get("/", "Authorization", "Bearer b").text())
                    .isEqualTo("for Bearer b");
        }
    }

    @Test
    void noRuleStoresAFieldOfOneClient() {
        origin.otherwise(request ->
                Answer.html("for all")
                        .field("Cache-Control", "max-age=60, private=\"X-User\"")
                        .field("X-User", "a"));

        try (var proxy = ruled("{ set: { Cache-Control: 'public, max-age=60' } }");
                var client = proxy.connect()) {
            client.get("/");
            var second = client.get("/");
            assertThat(second.field("Cache-Control")).contains("public");
            assertThat(second.fields().contains("X-User")).isFalse();
            assertThat(origin.requests("/")).hasSize(1);
        }
    }

    @Test
    void noRuleUnitesVariants() {
        origin.otherwise(request ->
                Answer.html("in " + request.field("Accept-Language"))
                        .field("Cache-Control", "max-age=60")
                        .field("Vary", "Accept-Language"));

        try (var proxy = ruled("{ unset: 'V*', add: { Vary: X-Device } }");
                var client = proxy.connect()) {
            assertThat(client.get("/", "Accept-Language", "de").text()).isEqualTo("in de");
            assertThat(client.get("/", "Accept-Language", "en").text()).isEqualTo("in en");
            client.get("/", "Accept-Language", "en", "X-Device", "phone");
            client.get("/", "Accept-Language", "en", "X-Device", "phone");
            assertThat(origin.requests("/")).hasSize(3);
        }
    }

    @Test
    void fieldsForClientsMayDifferFromThoseOfTheOrigin() {
        origin.otherwise(request -> Answer.html("a").field("Cache-Control", "max-age=60"));

        try (var proxy = ruled("{ set: { Cache-Control: 'max-age=5' }, ttl: 60s }");
                var client = proxy.connect()) {
            client.get("/");
            assertThat(client.get("/").field("Cache-Control")).contains("max-age=5");
            assertThat(origin.requests("/")).hasSize(1);
        }
    }

    @Test
    void rulesApplyToTheReceivedFieldsAtEachRevalidation() {
        origin.otherwise(request ->
                Answer.status(request.field("If-None-Match") == null ? 200 : 304)
                        .field("Cache-Control", "no-cache")
                        .field("ETag", "\"a\"")
                        .field("X-Turn", "t" + origin.requests().size()));

        try (var proxy =
                        ruled(
                                """
                                { tags: ticker },
                                { set: { X-Tags: "{response.surrogate-key}", X-Path: "{response.x-path}/a" } },
                                { add: { X-Seen: "{response.x-turn}" } }
                                """);
                var client = proxy.connect()) {
            client.get("/");
            client.get("/");
            var third = client.get("/");

            assertThat(origin.requests("/")).hasSize(3);
            assertThat(origin.requests("/").getLast().field("If-None-Match")).isEqualTo("\"a\"");
            assertThat(third.status()).isEqualTo(200);
            assertThat(third.fields().all("X-Tags")).containsExactly("ticker");
            assertThat(third.fields().all("X-Path")).containsExactly("/a");
            assertThat(third.fields().all("X-Seen")).hasSize(1);
        }
    }
}
