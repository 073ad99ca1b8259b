package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bans hide responses stored before them; inline documents are no stored responses. */
class BansIT {
    private static final String STANDING = "quire_bans";

    private final Origin origin = Origin.start();

    /** A held response keeps bans standing; it must not end first. */
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .with("routes", "[ { origin: tested, first-byte-timeout: 5m } ]")
                    .start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void banIsSeenByTheVeryNextRequest() {
        origin.on("/a", request -> fragment("seen " + origin.requests("/a").size()));
        for (int round = 1; round <= 20; round++) {
            assertThat(proxy.get("/a").text()).isEqualTo("seen " + round);
            assertThat(proxy.get("/a").text()).isEqualTo("seen " + round);

            assertThat(Operator.postBan(proxy, "{\"path\":\"^/a$\"}")).matches(Operator::isMade);
        }

        assertThat(proxy.get("/a").text()).isEqualTo("seen 21");
    }

    @Test
    void banHidesAFragmentInItsPageAndLeavesTheOthers() {
        origin.on("/page", page(include("/a") + include("/b")));
        origin.on(
                "/a",
                request -> fragment("a" + origin.requests("/a").size()).field("xkey", "poll"));
        origin.on("/b", request -> fragment("b" + origin.requests("/b").size()));
        assertThat(proxy.get("/page").text()).isEqualTo("a1b1");

        Operator.postBan(proxy, "{\"tag\":\"poll\",\"status\":200}");

        assertThat(proxy.get("/page").text()).isEqualTo("a2b1");
        assertThat(origin.requests("/page")).hasSize(1);
    }

    @Test
    void fetchThatBeganBeforeABanBringsNothingBack() throws Exception {
        origin.on("/x", request -> fragment("x" + origin.requests("/x").size()));
        var held = origin.hold("/x");
        try (var client = proxy.connect().request("GET", "/x")) {
            held.awaitWaiting(1);

            Operator.postBan(proxy, "{\"host\":\"*\"}");
            held.release();

            assertThat(client.response().text()).isEqualTo("x1");
        }
        assertThat(proxy.get("/x").text()).isEqualTo("x2");
    }

    @Test
    void banIsCompletedOnceNothingIsLeftForIt() {
        origin.on(
                "/a",
                Answer.status(200)
                        .field("Content-Type", "image/png")
                        .field("Surrogate-Control", "max-age=60")
                        .body("a"));
        origin.on("/b", fragment("b"));
        proxy.get("/a");
        proxy.get("/b");

        Operator.postBan(proxy, "{\"contentType\":\"image/*\"}");
        proxy.awaitMetric("quire_bans_hidden_total", 1);
        Operator.awaitMetricAtMost(proxy, STANDING, 0);

        assertThat(proxy.getAdmin("/v1/bans").text())
                .contains("\"condition\":{\"contentType\":\"image/*\"}")
                .contains("\"hidden\":1,\"completed\":true");
        proxy.get("/b");
        assertThat(origin.requests("/b")).hasSize(1);
    }

    @Test
    void banCanBeCountedFirstAndLifted() {
        origin.on("/x", Answer.nothing());
        origin.on("/a", fragment("a"));
        proxy.get("/a");
        // No ban can complete while this fetch is in flight.
        var held = origin.hold("/x");
        try (var client = proxy.connect().request("GET", "/x")) {
            held.awaitWaiting(1);

            var counted = Operator.postBan(proxy, "{\"path\":\"^/[a-c]$\",\"dryRun\":true}");
            var made = Operator.postBan(proxy, "{\"path\":\"^/nothing$\"}");
            var lifted = lift(1);

            assertThat(counted.text()).isEqualTo("{\"objects\":1,\"dryRun\":true}");
            assertThat(made.text()).isEqualTo("{\"id\":1}");
            assertThat(lifted.text()).isEqualTo("{\"id\":1,\"lifted\":true}");
            assertThat(lift(1).status()).isEqualTo(404);
            held.release();
            client.response();
        }
        proxy.get("/a");
        assertThat(origin.requests("/a")).hasSize(1);
    }

    @Test
    void tenThousandBansStandAndOneMoreIsRefused() {
        origin.on("/x", Answer.nothing());
        origin.on("/a", fragment("a"));
        proxy.get("/a");
        var held = origin.hold("/x");
        try (var client = proxy.connect().request("GET", "/x");
                var operator = HttpWire.to(proxy.admin())) {
            held.awaitWaiting(1);
            IntStream.range(0, 10_000).forEach(i -> ban(operator, i));

            assertThat(ban(operator, 10_000)).isEqualTo(429);
            assertThat(ban(operator, 77)).isEqualTo(200);
            assertThat(proxy.metric(STANDING)).isEqualTo(10_000);
            assertThat(proxy.get("/a").text()).isEqualTo("a");

            held.release();
            client.response();
        }
        Operator.awaitMetricAtMost(proxy, STANDING, 0);
        assertThat(Operator.postBan(proxy, tag(10_000))).matches(Operator::isMade);
        assertThat(origin.requests("/a")).hasSize(1);
    }

    @Test
    void inlineDocumentsNeverAnswerClients() {
        var inline = "<esi:inline name=\"/menu\" fetchable=\"yes\">menu</esi:inline>";
        origin.on("/page", page(inline + include("/menu")));
        origin.on("/menu", fragment("menu of its own"));
        proxy.get("/page");
        assertThat(proxy.get("/menu").text()).isEqualTo("menu of its own");

        var purged = Operator.postPurge(proxy, "{\"urls\":[\"%s\"]}".formatted(proxy.url("/page")));

        assertThat(purged.text()).contains("\"urls\":1,");
        assertThat(proxy.get("/menu").text()).isEqualTo("menu of its own");
    }

    private Response lift(long id) {
        try (var operator = HttpWire.to(proxy.admin())) {
            return operator.request("DELETE", "/v1/bans/" + id).response();
        }
    }

    private static int ban(HttpWire operator, int number) {
        return operator.request(
                        "POST",
                        "/v1/bans",
                        tag(number).getBytes(UTF_8),
                        "Content-Type",
                        "application/json")
                .response()
                .status();
    }

    private static String tag(int number) {
        return "{\"tag\":\"tag%s\"}".formatted(number);
    }
}
