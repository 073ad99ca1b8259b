package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several servers for one origin, failing and recovering. */
class OriginsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Origin a = Origin.start();
    private final Origin b = Origin.start();

    @BeforeEach
    void answer() {
        for (var each : List.of(a, b)) {
            each.otherwise(request -> Answer.html("fine").field("Cache-Control", "no-store"));
        }
    }

    @AfterEach
    void stop() {
        a.close();
        b.close();
    }

    private RunningProxy.Setup inFrontOfBoth(String keys) {
        return RunningProxy.inFrontOf(a)
                .with(
                        "origins",
                        "{ tested: { urls: [\"%s\", \"%s\"], %s } }"
                                .formatted(a.url(), b.url(), keys));
    }

    @Test
    void requestsTakeTurnsByWeight() {
        var origins =
                "{ tested: { urls: [{ url: \"%s\", weight: 3 }, \"%s\"], balance: round-robin } }"
                        .formatted(a.url(), b.url());
        try (var proxy = RunningProxy.inFrontOf(a).with("origins", origins).start();
                var client = proxy.connect()) {
            for (int i = 0; i < 40; i++) {
                assertThat(client.get("/" + i).text()).isEqualTo("fine");
            }
        }

        assertThat(a.requests()).hasSize(30);
        assertThat(b.requests()).hasSize(10);
    }

    @Test
    void pageAndFragmentsOfOneClientComeFromOneServer() {
        for (var each : List.of(a, b)) {
            each.on("/page", page("no-store", include("/x") + include("/y")))
                    .on("/x", fragment("no-store", "x"))
                    .on("/y", fragment("no-store", "y"));
        }
        try (var proxy =
                inFrontOfBoth("balance: client").with("trusted", "[127.0.0.0/8]").start()) {
            for (int client = 1; client <= 20; client++) {
                var address = "192.0.2." + client;
                a.forget();
                b.forget();

                for (int i = 0; i < 2; i++) {
                    var response = proxy.get("/page", "X-Forwarded-For", address);
                    assertThat(response.text()).isEqualTo("xy");
                }

                assertThat(List.of(a.requests().size(), b.requests().size()))
                        .containsExactlyInAnyOrder(6, 0);
            }
        }
    }

    @Test
    void clientsAreSharedOutAmongTheServers() {
        try (var proxy =
                inFrontOfBoth("balance: client").with("trusted", "[127.0.0.0/8]").start()) {
            for (int client = 1; client <= 100; client++) {
                proxy.get("/x", "X-Forwarded-For", "192.0.2." + client);
            }
        }

        assertThat(a.requests()).hasSizeBetween(25, 75);
        assertThat(a.requests().size() + b.requests().size()).isEqualTo(100);
    }

    @Test
    void requestsAreCountedByTheServerThatWasAskedLast() {
        try (var proxy = inFrontOfBoth("balance: round-robin").start()) {
            for (int i = 0; i < 10; i++) {
                proxy.get("/" + i);
            }
            assertThat(counted(proxy, a)).isEqualTo(5);
            assertThat(counted(proxy, b)).isEqualTo(5);

            b.goDown();
            for (int i = 10; i < 14; i++) {
                assertThat(proxy.get("/" + i).status()).isEqualTo(200);
            }

            assertThat(counted(proxy, a)).isEqualTo(9);
            assertThat(counted(proxy, b)).isEqualTo(5);
        }
    }

    private static double counted(RunningProxy proxy, Origin server) {
        return proxy.getAdmin("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("quire_origin_request_duration_seconds_count{"))
                .filter(line -> line.contains("server=\"" + server.url().getAuthority() + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void deathOfOneOfTwoServersUnderLoadIsNoClientsError() throws Exception {
        // The request in flight at its failure has not received a single byte.
        var held = b.hold("/x");
        try (var proxy = inFrontOfBoth("balance: round-robin").start();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<List<Integer>>>();
            for (int i = 0; i < 100; i++) {
                assertThat(proxy.get("/before").status()).isEqualTo(200);
            }
            for (int i = 0; i < 8; i++) {
                answers.add(clients.submit(statuses(proxy, 50)));
            }
            held.awaitWaiting(8);

            b.goDown();

            for (var each : answers) {
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasSize(50)
                        .containsOnly(200);
            }
            assertThat(proxy.metric("quire_origin_ejections_total")).isEqualTo(1);
            assertThat(proxy.metric("quire_origin_retries_total")).isGreaterThanOrEqualTo(8);
        }
        assertThat(a.requests("/x")).hasSize(8 * 50);
    }

    private static Callable<List<Integer>> statuses(RunningProxy proxy, int count) {
        return () -> {
            var statuses = new ArrayList<Integer>();
            try (var client = proxy.connect()) {
                for (int i = 0; i < count; i++) {
                    statuses.add(client.get("/x").status());
                }
            }
            return statuses;
        };
    }

    @Test
    void fallbackServesUntilTheOtherIsFoundWellAgain() {
        var origins =
                ("{ tested: { urls: [\"%s\", { url: \"%s\", fallback: true }], health: { path: /up,"
                                + " interval: 1s, timeout: 1s, slow-start: 0s } } }")
                        .formatted(a.url(), b.url());
        try (var proxy = RunningProxy.inFrontOf(a).with("origins", origins).start()) {
            assertThat(proxy.get("/x").status()).isEqualTo(200);
            assertThat(b.requests("/x")).isEmpty();

            a.goDown();
            for (int i = 0; i < 20; i++) {
                assertThat(proxy.get("/x").status()).isEqualTo(200);
            }
            assertThat(b.requests("/x")).hasSize(20);

            a.comeUp();
            a.forget();
            awaitRequest(a, proxy);
            assertThat(a.awaitRequest("/up").field("User-Agent")).isEqualTo("quire-health");
        }
    }

    /** Sends requests, which must all succeed, until {@code server} gets one. */
    private static void awaitRequest(Origin server, RunningProxy proxy) {
        var end = now().plus(PATIENCE);
        while (server.requests("/x").isEmpty()) {
            assertThat(now()).isBefore(end);
            assertThat(proxy.get("/x").status()).isEqualTo(200);
        }
    }

    @Test
    void originThatIsGivenUpIs503AtOnceAndWhatIsStaleStandsIn() {
        var stale = Answer.html("stored").field("Cache-Control", "max-age=0");
        a.on("/stored", stale.field("ETag", "\"1\""));
        try (var proxy = RunningProxy.inFrontOf(a).origin("retries: 0").start();
                var client = proxy.connect()) {
            assertThat(client.get("/stored").text()).isEqualTo("stored");
            a.goDown();
            for (int i = 0; i < 5; i++) {
                assertThat(client.get("/other").status()).isEqualTo(502);
            }

            var refused = new ArrayList<Response>();
            var shortest = Duration.ofDays(1);
            for (int i = 0; i < 10; i++) {
                var start = now();
                refused.add(client.get("/other"));
                var took = Duration.between(start, now());
                shortest = took.compareTo(shortest) < 0 ? took : shortest;
            }

            assertThat(refused)
                    .allSatisfy(response -> {
                        assertThat(response.status()).isEqualTo(503);
                        assertThat(response.field("Retry-After")).matches("[0-9]+");
                    });
            assertThat(shortest).isLessThan(Duration.ofMillis(50));
            assertThat(client.get("/stored").text()).isEqualTo("stored");
            assertThat(proxy.metric("quire_origin_refused_total")).isGreaterThanOrEqualTo(10);
            assertThat(proxy.metric("quire_origin_circuit")).isEqualTo(2);
            assertThat(proxy.getAdmin("/v1/stats").text())
                    .contains("\"url\":\"" + a.url() + "\",\"circuit\":\"open\"");
        }
    }

    @Test
    void serverMayBeNamed() {
        var origins =
                "{ tested: { urls: [\"http://localhost:%d\"] } }".formatted(a.url().getPort());
        try (var proxy = RunningProxy.inFrontOf(a).with("origins", origins).start()) {
            assertThat(proxy.get("/x").text()).isEqualTo("fine");
        }
    }

    private static Instant now() {
        return InstantSource.system().instant();
    }
}
