package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin port, and stopping the proxy. */
class AdminIT {
    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void runningProxyIsHealthyAndReady() {
        assertThat(proxy.getAdmin("/healthz").status()).isEqualTo(200);
        assertThat(proxy.getAdmin("/readyz").status()).isEqualTo(200);
    }

    @Test
    void requestsAreCounted() {
        origin.on("/x", fragment("x"));
        double before = proxy.metric("quire_requests_total");

        proxy.get("/x");
        proxy.get("/x");

        proxy.awaitMetric("quire_requests_total", before + 2);
        assertThat(proxy.getAdmin("/metrics").field("Content-Type")).startsWith("text/plain");
    }

    @Test
    void whatIsCountedCanBeRead() {
        try (var client = proxy.connect()) {
            client.send("GET / HTTP/1.1\r\n\r\n").response();
        }

        assertThat(proxy.getAdmin("/metrics").text())
                .contains(
                        "quire_accesslog_dropped_total",
                        "quire_cache_bytes",
                        "quire_cache_evictions_total",
                        "quire_exchanges_waiting",
                        "quire_origin_connections",
                        "quire_rejects_total");
    }

    @Test
    void purgeSaysHowManyItMet() {
        origin.on("/x", fragment("x").field("Surrogate-Key", "a"));
        proxy.get("/x");

        var dry = Operator.postPurge(proxy, "{\"tags\":[\"a\"],\"dryRun\":true}");
        proxy.get("/x");
        var purge = Operator.postPurge(proxy, "{\"tags\":[\"a\"]}");
        proxy.get("/x");

        assertThat(dry.status()).isEqualTo(200);
        assertThat(dry.text()).contains("1");
        assertThat(purge.status()).isEqualTo(200);
        assertThat(origin.requests("/x")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{}",
                "{\"tag\":[\"a\"]}",
                "{\"tags\":\"a\"}",
                "{\"tags\":[\"a b\"]}",
                "{\"urls\":[\"no url\"]}",
            })
    void purgeThatMakesNoSenseIs400(String json) {
        var response = Operator.postPurge(proxy, json);

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).isNotEmpty();
    }

    @Test
    void whatAdminDoesNotKnowIsSaid() {
        assertThat(proxy.getAdmin("/nothing").status()).isEqualTo(404);
        var wrongMethod = proxy.getAdmin("/v1/purge");
        assertThat(wrongMethod.status()).isEqualTo(405);
        assertThat(wrongMethod.field("Allow")).contains("POST");
    }

    @Test
    void foreignHostIsRefused() {
        assertThat(proxy.getAdmin("/healthz", "Host", "evil.example").status()).isEqualTo(403);
    }

    @Test
    void storedResponseCanBeLookedAt() {
        origin.on("/x", fragment("x").field("Surrogate-Key", "election"));
        proxy.get("/x");

        var found = proxy.getAdmin("/v1/cache?url=" + proxy.url("/x"));

        assertThat(found.status()).isEqualTo(200);
        assertThat(found.text()).contains("election");
        assertThat(proxy.getAdmin("/v1/cache?url=" + proxy.url("/y")).status()).isEqualTo(404);
        assertThat(proxy.getAdmin("/v1/stats").status()).isEqualTo(200);
    }

    @Test
    void noEndpointTellsWhatClientsKeepToThemselves() {
        var secret = "s3cr3t-canary";
        origin.on("/x", fragment(secret).field("Surrogate-Key", "a").field("Vary", "X-Ed"));
        proxy.get("/x", "Cookie", "sid=" + secret, "X-Ed", secret);
        proxy.get("/x", "Authorization", "Bearer " + secret, "X-Ed", "b");

        var answers =
                List.of(
                        proxy.getAdmin("/metrics"),
                        proxy.getAdmin("/v1/stats"),
                        proxy.getAdmin("/v1/bans"),
                        proxy.getAdmin("/v1/cache?url=" + proxy.url("/x")),
                        proxy.getAdmin("/nothing", "Cookie", secret),
                        proxy.getAdmin("/v1/purge", "Authorization", "Bearer " + secret));

        assertThat(answers).allSatisfy(each -> assertThat(each.text()).doesNotContain(secret));
    }

    @Test
    void whatSeveralConditionsMeetIsCountedOnce() {
        origin.on("/x", fragment("x").field("Surrogate-Key", "a"));
        origin.on("/y", fragment("y"));
        proxy.get("/x");
        proxy.get("/y");

        var counted =
                Operator.postPurge(proxy, "{\"tags\":[\"a\"],\"paths\":[\"/**\"],\"dryRun\":true}");
        var purged =
                Operator.postPurge(proxy, "{\"tags\":[\"a\"],\"paths\":[\"/**\"],\"soft\":true}");

        assertThat(counted.text()).startsWith("{\"urls\":0,\"tags\":1,\"hosts\":0,\"paths\":1,");
        assertThat(purged.text()).startsWith("{\"urls\":0,\"tags\":1,\"hosts\":0,\"paths\":1,");
    }

    @Test
    void clientHasNoMoreConnectionsThanItsShare() {
        var limited = "{ http: \"127.0.0.1:0\", max-connections-per-client: 2 }";
        origin.on("/x", fragment("x"));
        try (var fair = RunningProxy.inFrontOf(origin).with("listen", limited).start();
                var first = fair.connect();
                var second = fair.connect()) {
            first.get("/x");
            second.get("/x");

            try (var third = fair.connect()) {
                third.awaitClosed();
            }

            assertThat(fair.metric("quire_rejects_total")).isEqualTo(1);
            assertThat(first.get("/x").text()).isEqualTo("x");
            assertThat(fair.getAdmin("/healthz").status()).isEqualTo(200);
        }
    }

    @Test
    void trafficPortAnswersNothingAdministrative() {
        for (var path : new String[] {"/healthz", "/readyz", "/metrics", "/v1/stats"}) {
            proxy.get(path);
        }

        assertThat(origin.paths()).containsExactly("/healthz", "/readyz", "/metrics", "/v1/stats");
    }

    @Test
    void stoppingProxyFinishesWhatIsUnderWay() throws InterruptedException {
        origin.on("/x", Answer.html("to the end").field("Cache-Control", "no-store"));
        var held = origin.holdAfter("/x", 3);
        // An idle connection would stay open longer than the test: the drain must close it.
        var patient = "{ http: \"127.0.0.1:0\", keep-alive: 10m }";
        try (var stopped = RunningProxy.inFrontOf(origin).with("listen", patient).start();
                var client = stopped.connect()) {
            var arriving = client.request("GET", "/x").begin();
            arriving.awaitText("to ");

            var stopping = Thread.ofVirtual().start(stopped::drain);
            Operator.awaitDraining(stopped);
            held.release();

            assertThat(arriving.finish().text()).isEqualTo("to the end");
            client.awaitClosed();
            assertThat(stopping.join(Duration.ofSeconds(30))).isTrue();
            assertThatThrownBy(() -> HttpWire.to(stopped.http()))
                    .hasCauseInstanceOf(ConnectException.class);
            assertThatThrownBy(() -> HttpWire.to(stopped.admin()))
                    .hasCauseInstanceOf(ConnectException.class);
        }
    }
}
