package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retries and circuit breakers. */
@Tag("measured")
class RetriesIT {
    private static final String EJECTIONS = "quire_origin_ejections_total";
    private static final String RETRIES = "quire_origin_retries_total";

    /** The state of a server with an open circuit; see docs/origins.md. */
    private static final double OPEN = 2;

    private final Origin a = Origin.start();
    private final Origin b = Origin.start();

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    @Test
    void originThatFailsAltogetherGetsAFifthMoreRequestsAtMost() {
        long requests = 400;
        for (var each : List.of(a, b)) {
            each.otherwise(request -> Answer.reset());
        }
        long begin = System.nanoTime();
        long retries;
        try (var proxy = inFrontOfBoth("connect-timeout: 1s").start();
                var client = proxy.connect()) {
            for (long i = 0; i < requests; i++) {
                assertThat(client.get("/" + i).status()).isIn(502, 503);
            }
            retries = (long) proxy.metric(RETRIES);
        }
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;

        long sent = (long) a.requests().size() + b.requests().size();
        long first = sent - retries;
        long always = 3 * seconds + 6;
        Figure.print(
                "R11",
                "origin requests for %d failing client requests".formatted(requests),
                sent,
                "1.2 x %d + 3/s = %d".formatted(requests, requests * 12 / 10 + always));
        Figure.print(
                "R11",
                "retries for %d first attempts".formatted(first),
                retries,
                "20 % + 3/s = " + (first / 5 + always));
        assertThat(retries).isPositive().isLessThanOrEqualTo(first / 5 + always);
        assertThat(sent).isLessThanOrEqualTo(requests * 12 / 10 + always);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH"})
    void requestThatMayNotBeRepeatedIsSentOnce(String method) {
        for (var each : List.of(a, b)) {
            each.otherwise(request -> Answer.reset());
        }
        try (var proxy = inFrontOfBoth("connect-timeout: 1s").start();
                var client = proxy.connect()) {
            byte[] body = "upload".getBytes(StandardCharsets.US_ASCII);

            assertThat(client.request(method, "/x", body).response().status()).isEqualTo(502);
        }

        assertThat(a.requests().size() + b.requests().size()).isEqualTo(1);
    }

    @Test
    void answerThatHasBegunIsNotAskedForOnceMore() {
        for (var each : List.of(a, b)) {
            each.otherwise(request -> Answer.raw("HTTP/1.1 200 OK\r\nX-Half").closing());
        }
        try (var proxy = inFrontOfBoth("connect-timeout: 1s").start()) {
            assertThat(proxy.get("/x").status()).isEqualTo(502);
        }

        assertThat(a.requests().size() + b.requests().size()).isEqualTo(1);
    }

    @Test
    void fiveRefusedConnectionsInARowOpenTheCircuit() {
        a.goDown();
        try (var proxy = inFrontOfOne("retries: 0").start();
                var client = proxy.connect()) {
            for (int i = 0; i < 4; i++) {
                assertThat(client.get("/" + i).status()).isEqualTo(502);
            }
            assertThat(proxy.metric(EJECTIONS)).isZero();
            assertThat(client.get("/4").status()).isEqualTo(502);

            assertThat(proxy.metric(EJECTIONS)).isEqualTo(1);
            assertThat(proxy.metric("quire_origin_circuit")).isEqualTo(OPEN);
            var took = Duration.ZERO;
            for (int i = 0; i < 20; i++) {
                long begin = System.nanoTime();
                var refused = client.get("/refused/" + i);
                var each = Duration.ofNanos(System.nanoTime() - begin);
                took = took.compareTo(each) > 0 ? took : each;
                assertThat(refused.status()).isEqualTo(503);
                assertThat(refused.field("Retry-After")).matches("[0-9]+");
            }
            Figure.print(
                    "R1", "longest wait for a 503 of an open circuit", Figure.ms(took), "50 ms");
            Figure.print("R12", "consecutive connect failures that open a circuit", 5, 5);
            assertThat(took).isLessThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void oneBadUrlDoesNotOpenTheCircuit() {
        a.otherwise(request ->
                switch (request.path()) {
                    case "/status" -> Answer.status(503);
                    case "/broken" -> Answer.reset();
                    default -> Answer.html("").field("Cache-Control", "no-store");
                });
        int answered = 0;
        try (var proxy = inFrontOfOne("retries: 0").start();
                var client = proxy.connect()) {
            for (int i = 0; i < 100; i++) {
                client.get("/status?" + i);
                client.get("/broken?" + i);
                answered += client.get("/good").status() == 200 ? 1 : 0;
            }
        }

        Figure.print("R12", "good requests answered beside 200 bad, of 100", answered, 100);
        assertThat(answered).isEqualTo(100);
    }

    @Test
    void fivePathsThatBreakOpenTheCircuit() {
        a.otherwise(request -> Answer.reset());
        try (var proxy = inFrontOfOne("retries: 0").start();
                var client = proxy.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/" + i).status()).isEqualTo(502);
            }

            assertThat(client.get("/0").status()).isEqualTo(503);
            assertThat(a.requests()).hasSize(5);
        }
    }

    @Test
    void halfOpenCircuitTriesOneRequestAndThenFive() throws Exception {
        a.otherwise(request -> Answer.html("fine").field("Cache-Control", "no-store"));
        try (var proxy =
                inFrontOfOne(
                                "retries: 0, health: { path: /health, interval: 500ms, threshold: 1,"
                                        + " slow-start: 0s }")
                        .start()) {
            a.goDown();
            proxy.awaitMetric("quire_origin_circuit", OPEN);
            a.comeUp();

            // A passed health check ends the time during which one request a second passes.
            proxy.awaitMetric("quire_origin_up", 1);
            int alone;
            int together;
            var trial = a.hold("/x");
            try (var load = refusedAreRight(proxy)) {
                trial.awaitWaiting(1);
                load.runFor(Duration.ofMillis(300));
                alone = a.requests("/x").size();
                // The others reach the next state before the first one is released.
                try (var five = a.hold("/x")) {
                    trial.release();
                    five.awaitWaiting(5);
                    load.runFor(Duration.ofMillis(300));
                    together = a.requests("/x").size() - alone;
                    five.release();
                }
                a.awaitRequests("/x", 10);
                Load.assertRight(load.visits());
            }
            Figure.print("R12", "requests of a half-open circuit at first", alone, 1);
            Figure.print(
                    "R12", "requests of a half-open circuit after the first success", together, 5);
            assertThat(alone).isEqualTo(1);
            assertThat(together).isEqualTo(5);
            assertThat(proxy.metric("quire_origin_circuit")).isZero();
        }
    }

    private static Load refusedAreRight(RunningProxy proxy) {
        return Load.start(
                16,
                Duration.ofMillis(20),
                Load.Asking.of(
                        "/x",
                        proxy,
                        "/x",
                        response -> response.status() == 200 || response.status() == 503));
    }

    private RunningProxy.Setup inFrontOfOne(String keys) {
        return RunningProxy.inFrontOf(a).origin(keys);
    }

    private RunningProxy.Setup inFrontOfBoth(String keys) {
        return RunningProxy.inFrontOf(a)
                .with(
                        "origins",
                        "{ tested: { urls: [\"%s\", \"%s\"], %s } }"
                                .formatted(a.url(), b.url(), keys));
    }
}
