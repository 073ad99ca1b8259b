package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Canaries, CORS, normalised hosts and security fields by rules. */
class RuledSiteIT {
    private static final String SHARE = "match: { share: { of: cookie id, percent: 20 } }";

    private final Origin origin = origin("stable");
    private final Origin canary = origin("canary");

    private static Origin origin(String text) {
        return Origin.start()
                .otherwise(request -> Answer.html(text).field("Cache-Control", "max-age=60"));
    }

    @AfterEach
    void stop() {
        origin.close();
        canary.close();
    }

    private RunningProxy ruled(String rules) {
        return RunningProxy.inFrontOf(origin)
                .with(
                        "origins",
                        "{ tested: { urls: [\"%s\"] }, canary: { urls: [\"%s\"] } }"
                                .formatted(origin.url(), canary.url()))
                .with("rules", rules)
                .start();
    }

    private static String[] texts(RunningProxy proxy) {
        try (var client = proxy.connect()) {
            return IntStream.range(0, 30)
                    .mapToObj(i -> client.get("/", "Cookie", "id=id-" + i).text())
                    .toArray(String[]::new);
        }
    }

    @Test
    void canaryWithAKeyHasACacheOfItsOwn() {
        try (var proxy =
                ruled(
                        "{ request: [ { name: canary, %s, origin: canary, key: canary } ] }"
                                .formatted(SHARE))) {
            var first = texts(proxy);

            assertThat(first).contains("stable", "canary").isEqualTo(texts(proxy));
            assertThat(first[0]).isEqualTo("stable");
            assertThat(first[1]).isEqualTo("canary");
            assertThat(origin.requests("/")).hasSize(1);
            assertThat(canary.requests("/")).hasSize(1);
        }
    }

    @Test
    void canaryThatIsUnkeyedSharesTheCache() {
        try (var proxy =
                ruled(
                        "{ request: [ { name: canary, %s, origin: canary, unkeyed: true } ] }"
                                .formatted(SHARE))) {
            assertThat(texts(proxy)).containsOnly("stable");
            assertThat(canary.requests("/")).isEmpty();
        }
    }

    @Test
    void crossOriginRequestsAreAllowedByRules() {
        try (var proxy =
                        ruled(
                                """
                                { request: [
                                    { name: preflight, match: { method: OPTIONS,
                                        header: { Origin: "https://*.example", Access-Control-Request-Method: "*" } },
                                      respond: { status: 204, fields: { Access-Control-Allow-Methods: "GET, PUT" } } } ],
                                  deliver: [
                                    { add: { Vary: Origin } },
                                    { match: { header: { Origin: "https://*.example" } },
                                      set: { Access-Control-Allow-Origin: "{header.origin}" } } ] }
                                """);
                var client = proxy.connect()) {
            var preflight =
                    client.request(
                                    "OPTIONS",
                                    "/",
                                    "Origin",
                                    "https://app.example",
                                    "Access-Control-Request-Method",
                                    "PUT")
                            .response();
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(preflight.field("Access-Control-Allow-Methods")).isEqualTo("GET, PUT");
            assertThat(preflight.field("Access-Control-Allow-Origin"))
                    .isEqualTo("https://app.example");
            assertThat(origin.requests()).isEmpty();

            for (var asking : new String[] {"https://a.example", "https://b.example"}) {
                var response = client.get("/", "Origin", asking);
                assertThat(response.field("Access-Control-Allow-Origin")).isEqualTo(asking);
                assertThat(response.fields().all("Vary")).contains("Origin");
            }
            var other = client.get("/", "Origin", "https://other.test");
            assertThat(other.fields().contains("Access-Control-Allow-Origin")).isFalse();
            assertThat(other.fields().all("Vary")).contains("Origin");
            assertThat(origin.requests("/")).hasSize(1);
        }
    }

    @Test
    void hostsAreNormalisedAndFieldsAdded() {
        try (var proxy =
                        ruled(
                                """
                                { request: [
                                    { name: www, match: { host: "www.news.example" },
                                      redirect: { to: "http://news.example{target}", status: 301 } },
                                    { name: port, match: { host: "news.example" }, host: news.example } ],
                                  deliver: [
                                    { match: { type: text/html }, unset: Server,
                                      set: { Strict-Transport-Security: max-age=31536000, X-Frame-Options: DENY } } ] }
                                """);
                var client = proxy.connect()) {
            var moved = client.get("/a?b=1", "Host", "www.news.example:8443");
            assertThat(moved.status()).isEqualTo(301);
            assertThat(moved.field("Location")).isEqualTo("http://news.example/a?b=1");

            assertThat(client.get("/", "Host", "news.example:8443").field("X-Frame-Options"))
                    .isEqualTo("DENY");
            client.get("/", "Host", "news.example");
            assertThat(origin.requests("/"))
                    .singleElement()
                    .satisfies(sent -> assertThat(sent.field("Host")).isEqualTo("news.example"));
        }
    }
}
