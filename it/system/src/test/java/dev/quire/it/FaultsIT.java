package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failing origins and misbehaving clients. */
class FaultsIT {
    private static final int MIB = 1024 * 1024;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .origin("first-byte-timeout: 1s, between-bytes-timeout: 1s, retries: 0")
                    .with("esi", "{ include-timeout: 500ms }")
                    .start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void originThatIsDownIs502WithinTheConnectTimeout() {
        origin.goDown();
        var start = now();

        var response = proxy.get("/x");

        assertIsOurs(response, 502);
        assertThat(Duration.between(start, now())).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void fragmentOfAnOriginThatIsDownIsOmitted() {
        origin.on("/page", page("<" + include("/part") + ">"));
        origin.on("/part", Answer.html("part").field("Cache-Control", "no-store"));
        assertThat(proxy.get("/page").text()).isEqualTo("<part>");

        origin.goDown();
        var response = proxy.get("/page");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("<>");
    }

    @Test
    void originThatSaysNothingIs504() {
        try (var held = origin.hold("/x")) {
            assertIsOurs(proxy.get("/x"), 504);
            origin.awaitRequest("/x").awaitAbandoned();
            held.release();
        }
    }

    @Test
    void originThatStopsInsideABodyCutsTheClientOff() {
        origin.on("/x", Answer.html("0123456789").field("Cache-Control", "no-store"));
        try (var held = origin.holdAfter("/x", 4);
                var client = proxy.connect()) {
            var arriving = client.request("GET", "/x").begin();

            assertThat(arriving.awaitCut().text()).isEqualTo("0123");
            held.release();
        }
    }

    @Test
    void fragmentThatTakesTooLongIsOmitted() {
        origin.on("/page", page("<" + include("/part") + ">")).on("/part", fragment("part"));

        try (var held = origin.hold("/part")) {
            assertThat(proxy.get("/page").text()).isEqualTo("<>");
            held.release();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\r\n\r\n",
                "nonsense\r\n\r\n",
                "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nNo colon\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: a\u0000b\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            })
    void malformedAnswerIs502AndItsConnectionIsNotUsedAgain(String bytes) {
        origin.on("/x", Answer.raw(bytes).closing());
        origin.on("/y", fragment("fine"));

        try (var client = proxy.connect()) {
            assertIsOurs(client.get("/x"), 502);
            assertThat(client.get("/y").text()).isEqualTo("fine");
        }
        assertThat(origin.awaitRequest("/y").connection())
                .isNotEqualTo(origin.awaitRequest("/x").connection());
    }

    @Test
    void bytesBehindAResponseAreNobodysResponse() {
        origin.on(
                "/x",
                Answer.raw(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\nab"
                                + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"));
        origin.on("/y", fragment("fine"));

        try (var client = proxy.connect()) {
            assertThat(client.get("/x").text()).isEqualTo("ab");
            assertThat(client.get("/y").text()).isEqualTo("fine");
        }
    }

    @Test
    void truncatedPageIs502AndNotStored() {
        origin.on("/page", page("<h1>half a page</h1>").cutAfter(8), page("whole"));

        assertIsOurs(proxy.get("/page"), 502);
        assertThat(proxy.get("/page").text()).isEqualTo("whole");
    }

    @Test
    void truncatedBodyThatPassesIsCutForTheClientTooAndNotStored() {
        origin.on("/x", fragment("0123456789").cutAfter(4), fragment("whole"));

        try (var client = proxy.connect()) {
            var arriving = client.request("GET", "/x").begin();

            assertThat(arriving.awaitCut().text()).isEqualTo("0123");
        }
        assertThat(proxy.get("/x").text()).isEqualTo("whole");
    }

    @Test
    void sevenMebibytesOfTagBeginningsAreAnswered() {
        origin.on("/page", page("").repeating("<esi:", 7L * MIB));
        var start = now();

        var response = proxy.get("/page");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).doesNotContain("<esi:");
        assertThat(Duration.between(start, now())).isLessThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void documentOverItsLimitIs502(boolean chunked) {
        var huge = page("").repeating("<p>text</p>", 10_000_000);
        origin.on("/page", chunked ? huge.chunked() : huge);

        assertIsOurs(proxy.get("/page"), 502);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                "nonsense\r\n\r\n",
                "GET /\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\nHost: a\n\n",
                "GET /a/../../b HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /#fragment HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Host\r\n\r\n",
            })
    void garbageIs400AndAClose(String bytes) {
        try (var client = proxy.connect()) {
            client.send(bytes);

            assertIsOurs(client.response(), 400);
            client.awaitClosed();
        }
        assertThat(origin.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "TRACE, /, HTTP/1.1, 405",
        "CONNECT, a:443, HTTP/1.1, 405",
        "GET, /, HTTP/2.0, 505",
        "GET, /, HTTP/9.9, 505"
    })
    void whatWeDoNotServeHasItsOwnStatus(String method, String target, String version, int status) {
        try (var client = proxy.connect()) {
            client.send(method + " " + target + " " + version + "\r\nHost: a\r\n\r\n");

            assertThat(client.response().status()).isEqualTo(status);
        }
        assertThat(origin.requests()).isEmpty();
    }

    @Test
    void requestLineAndFieldsHaveLimits() {
        try (var client = proxy.connect()) {
            assertThat(client.get("/" + "a".repeat(9000)).status()).isEqualTo(414);
            client.awaitClosed();
        }
        try (var client = proxy.connect()) {
            assertThat(client.get("/", "X-Long", "a".repeat(17_000)).status()).isEqualTo(431);
            client.awaitClosed();
        }
        assertThat(origin.requests()).isEmpty();
    }

    @Test
    void malformedUploadIsNeverWholeAtTheOrigin() {
        try (var client = proxy.connect()) {
            client.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            // As much as is worth a connection to the origin.
            client.send("10000\r\n" + "-".repeat(64 * 1024) + "\r\n");
            var request = origin.awaitRequest("/up").awaitBody(64 * 1024);

            client.send("zz\r\n");

            request.awaitBroken();
        }
    }

    @Test
    void whatNoRouteLeadsToIsRefused() {
        try (var narrow =
                        RunningProxy.inFrontOf(origin)
                                .with(
                                        "routes",
                                        "[ { host: news.example, path: \"/news/**\", origin: tested"
                                                + " } ]")
                                .start();
                var client = HttpWire.to(narrow.http())) {
            origin.on("/news/1", fragment("news"));

            assertThat(client.get("/news/1", "Host", "news.example").text()).isEqualTo("news");
            assertThat(client.get("/news/1", "Host", "other.example").status()).isEqualTo(421);
            assertThat(client.get("/else", "Host", "news.example").status()).isEqualTo(404);
            assertThat(origin.paths()).containsExactly("/news/1");
        }
    }

    @Test
    void fullQueueIs503() {
        try (var busy =
                        RunningProxy.inFrontOf(origin)
                                .origin("max-connections: 1, max-queue: 0")
                                .start();
                var client = busy.connect()) {
            origin.on("/held", fragment("held"));
            var held = origin.hold("/held");
            client.request("GET", "/held");
            held.awaitWaiting(1);

            var refused = busy.get("/other");

            assertIsOurs(refused, 503);
            assertThat(refused.field("Retry-After")).matches("[0-9]+");
            held.release();
            assertThat(client.response().text()).isEqualTo("held");
        }
    }

    /** Asserts an error page of the proxy: static uncacheable text that contains no input. */
    private static void assertIsOurs(Response response, int status) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.field("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(response.field("Cache-Control")).isEqualTo("no-store");
        assertThat(response.field("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    private static Instant now() {
        return InstantSource.system().instant();
    }
}
