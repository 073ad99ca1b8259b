package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HeldAnswers;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that close their sending side (FIN), and clients that reset (RST). */
class HalfCloseIT {
    private static final String GET = "GET %s HTTP/1.1\r\nHost: site.example\r\n\r\n";
    private static final int MIB = 1 << 20;

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    private RunningProxy proxy(String mode) {
        return RunningProxy.inFrontOf(origin)
                .with("listen", "{ http: \"127.0.0.1:0\", half-close: " + mode + " }")
                .start();
    }

    /** A response of {@code bytes} that is not stored. */
    private void serve(long bytes) {
        origin.on(
                "/a",
                Answer.html("").repeating("0123456789", bytes).field("Cache-Control", "no-store"));
    }

    /** Requests {@code /a}, and closes the sending side before the origin answers. */
    private static void askAndHalfClose(RunningProxy proxy, HttpWire client, HeldAnswers held) {
        client.send(GET.formatted("/a"));
        held.awaitWaiting(1);
        client.halfClose();
        // The end has arrived before the answer: another connection was served meanwhile.
        assertThat(proxy.get("/nothing").status()).isEqualTo(404);
        held.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-store", "max-age=60"})
    void missAndPassAreAnsweredAndTheConnectionCloses(String cacheControl) {
        origin.on("/a", Answer.html("answer").field("Cache-Control", cacheControl));
        var held = origin.hold("/a");

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            askAndHalfClose(proxy, client, held);

            var response = client.response();
            assertThat(response.text()).isEqualTo("answer");
            assertThat(response.field("Connection")).isEqualTo("close");
            client.awaitClosed();
            assertThat(origin.requests("/a")).hasSize(1).noneMatch(r -> r.isAbandoned());
        }
    }

    @Test
    void hitIsAnsweredAndTheConnectionCloses() {
        origin.on("/a", Answer.html("answer").field("Cache-Control", "max-age=60"));

        try (var proxy = proxy("answer")) {
            for (int i = 0; i < 20; i++) {
                try (var client = proxy.connect()) {
                    client.send(GET.formatted("/a")).halfClose();

                    assertThat(client.response().text()).isEqualTo("answer");
                    client.awaitClosed();
                }
            }
        }
    }

    @Test
    void bodyLongerThanTheSocketsBuffersArrivesWhole() {
        serve(8 * MIB);

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            var arriving = client.send(GET.formatted("/a")).halfClose().begin();

            assertThat(arriving.countToEnd()).isEqualTo(8 * MIB);
            client.awaitClosed();
        }
    }

    @Test
    void clientThatReadsSlowlyGetsTheWholeBody() throws Exception {
        serve(8 * MIB);
        var held = origin.hold("/a");

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            askAndHalfClose(proxy, client, held);
            var arriving = client.begin();
            for (int i = 1; i <= 4; i++) {
                // The sockets' buffers are full: the proxy must wait for the client.
                TimeUnit.MILLISECONDS.sleep(50);
                arriving.awaitBytes(2L * MIB * i);
            }

            assertThat(arriving.countToEnd()).isEqualTo(8 * MIB);
            client.awaitClosed();
        }
    }

    @Test
    void allPipelinedRequestsAreAnswered() {
        origin.on("/a", Answer.html("A").field("Cache-Control", "no-store"));
        origin.on("/b", Answer.html("B").field("Cache-Control", "no-store"));
        var held = origin.hold("/a");

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            client.send(GET.formatted("/a") + GET.formatted("/b").repeat(40)).halfClose();
            held.awaitWaiting(1);
            held.release();

            assertThat(client.response().text()).isEqualTo("A");
            for (int i = 0; i < 40; i++) {
                var response = client.response();
                assertThat(response.text()).isEqualTo("B");
                assertThat(response.field("Connection")).isEqualTo(i < 39 ? null : "close");
            }
            client.awaitClosed();
        }
    }

    /** Hits are answered while the next requests are decoded. */
    @Test
    void allPipelinedHitsBehindAMissAreAnswered() {
        origin.on("/a", Answer.html("A").field("Cache-Control", "no-store"));
        origin.on("/b", Answer.html("B").field("Cache-Control", "max-age=60"));

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            assertThat(proxy.get("/b", "Host", "site.example").text()).isEqualTo("B");
            var held = origin.hold("/a");
            client.send(GET.formatted("/a") + GET.formatted("/b").repeat(40)).halfClose();
            held.awaitWaiting(1);
            assertThat(proxy.get("/nothing").status()).isEqualTo(404);
            held.release();

            assertThat(client.response().text()).isEqualTo("A");
            for (int i = 0; i < 40; i++) {
                assertThat(client.response().text()).isEqualTo("B");
            }
            client.awaitClosed();
        }
    }

    @Test
    void uploadThatIsCompleteIsAnswered() {
        origin.on("/a", request -> Answer.html(request.bodyBytes() + " bytes"));
        var body = "x".repeat(4 * MIB);

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            client.send(
                            "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(body.length(), body))
                    .halfClose();

            assertThat(client.response().text()).isEqualTo(4 * MIB + " bytes");
            client.awaitClosed();
        }
    }

    @Test
    void uploadThatIsCutIsNeverComplete() {
        origin.on("/a", Answer.html("never"));

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n");
            client.send("x".repeat(100_000));
            var request = origin.awaitRequest("/a");
            client.halfClose();

            request.awaitBroken();
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /a HTTP/1.1\r\nHost"})
    void connectionWithoutACompleteRequestCloses(String begun) {
        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            assertThat(client.get("/nothing").status()).isEqualTo(404);
            client.send(begun).halfClose();

            client.awaitClosed();
        }
    }

    @Test
    void lastResponseBeforeTheEndClosesInTheUsualWay() {
        origin.on("/a", Answer.html("A"));

        try (var proxy = proxy("answer");
                var client = proxy.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
            assertThat(client.response().text()).isEqualTo("A");

            client.halfClose();
            client.awaitClosed();
        }
    }

    @Test
    void refusalBeforeAnUploadIsCompleteArrives() {
        try (var proxy = RunningProxy.inFrontOf(origin).with("limits", "{ body: 1KiB }").start();
                var client = proxy.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\nxyz");
            client.halfClose();

            assertThat(client.response().status()).isEqualTo(413);
            client.awaitClosed();
        }
    }

    @Test
    void goneCancelsTheRequestAtTheOrigin() {
        serve(64 * MIB);
        var held = origin.hold("/a");

        try (var proxy = proxy("gone");
                var client = proxy.connect()) {
            client.send(GET.formatted("/a"));
            held.awaitWaiting(1);
            client.halfClose();

            client.awaitClosed();
            held.release();
            origin.awaitRequest("/a").awaitAbandoned();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"answer", "gone"})
    void resetCancelsTheRequestAtTheOrigin(String mode) {
        serve(64 * MIB);
        var held = origin.hold("/a");

        try (var proxy = proxy(mode)) {
            var client = proxy.connect();
            client.send(GET.formatted("/a"));
            held.awaitWaiting(1);
            client.reset();
            proxy.awaitMetric("quire_requests_total", 1);
            held.release();

            origin.awaitRequest("/a").awaitAbandoned();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failedWriteCancelsTheResponseOfTheOrigin(boolean isHalfClosedFirst) {
        serve(512L * MIB);

        try (var proxy = proxy("answer")) {
            var client = proxy.connect();
            client.send(GET.formatted("/a"));
            if (isHalfClosedFirst) {
                client.halfClose();
            }
            client.begin().awaitBytes(1000);
            // Unread data makes this a reset.
            client.close();

            origin.awaitRequest("/a").awaitAbandoned();
            proxy.awaitNoFetch();
        }
    }
}
