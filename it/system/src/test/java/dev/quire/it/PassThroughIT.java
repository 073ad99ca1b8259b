package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streaming in both directions: in order, never buffered whole. */
class PassThroughIT {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();
    private final HttpWire client = proxy.connect();

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        origin.close();
    }

    private static Answer unstored(String body) {
        return Answer.html(body).field("Cache-Control", "no-store");
    }

    @Test
    void first64KiBArriveWhileTheOriginWithholdsItsLastByte() {
        origin.on("/x", unstored("").repeating("0123456789", MIB));
        var held = origin.holdAfter("/x", MIB - 1);

        var arriving = client.request("GET", "/x").begin();
        arriving.awaitBytes(64 * KIB);
        held.awaitWaiting(1);
        held.release();

        assertThat(arriving.field("Content-Length")).isEqualTo(MIB + "");
        assertThat(arriving.finish().body().length()).isEqualTo(MIB);
    }

    @Test
    void bodyOfUnknownLengthStreamsToo() {
        origin.on("/x", unstored("first second").chunked());
        var held = origin.holdAfter("/x", 6);

        var arriving = client.request("GET", "/x").begin();
        assertThat(arriving.awaitText("first ")).isEqualTo("first ");
        held.release();

        assertThat(arriving.finish().text()).isEqualTo("first second");
    }

    @Test
    void uploadReachesTheOriginWhileItIsStillBeingSent() {
        origin.on("/up", request -> Answer.html(request.bodyBytes() + " bytes"));
        client.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: " + MIB + "\r\n\r\n");
        client.send(filled(64 * KIB));

        var request = origin.awaitRequest("/up").awaitBody(64 * KIB);
        assertThat(request.isWhole()).isFalse();
        client.send(filled(MIB - 64 * KIB));

        assertThat(client.response().text()).isEqualTo(MIB + " bytes");
        assertThat(request.body().bytes()).isEqualTo(filled(MIB));
        assertThat(request.field("Content-Length")).isEqualTo(MIB + "");
    }

    @Test
    void chunkedUploadReachesTheOriginChunkByChunk() {
        origin.on("/up", request -> Answer.html(request.body().text()));
        client.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send("10000\r\n").send(filled(64 * KIB)).send("\r\n5\r\nfirst\r\n");

        origin.awaitRequest("/up").awaitBody(64 * KIB + 5);
        client.send("7\r\n second\r\n0\r\n\r\n");

        assertThat(client.response().text()).endsWith("first second").hasSize(64 * KIB + 12);
    }

    @Test
    void uploadThatBreaksOffBreaksOffAtTheOriginToo() {
        client.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n");
        client.send(filled(64 * KIB)).send("\r\n");
        var request = origin.awaitRequest("/up").awaitBody(64 * KIB);

        client.reset();

        request.awaitBroken();
    }

    @Test
    void answerBeforeTheUploadEndsIsDelivered() {
        origin.on("/up", Answer.status(413).body("too much").early());
        client.send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
        client.send(filled(64 * KIB));

        var response = client.response();

        assertThat(response.status()).isEqualTo(413);
        assertThat(response.text()).isEqualTo("too much");
    }

    @Test
    void clientThatWaitsToGoOnIsToldTo() {
        origin.on("/up", request -> Answer.html(request.body().text()));
        client.send(
                "PUT /up HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        origin.awaitRequest("/up");
        client.send("ok");

        var response = client.response();

        assertThat(response.interims()).extracting(ResponseHead::status).containsExactly(100);
        assertThat(response.text()).isEqualTo("ok");
    }

    @Test
    void slowReaderHoldsTheOriginBack() {
        origin.on("/x", unstored("").repeating("x", 192L * MIB));
        try (var slow = SlowLine.narrowTo(proxy.http(), 64 * KIB)) {
            var arriving = slow.request("GET", "/x").begin();

            long taken = SlowLine.awaitStalled(origin.awaitRequest("/x"), Duration.ofMillis(500));

            assertThat(taken).isLessThan(64L * MIB);
            assertThat(arriving.countToEnd()).isEqualTo(192L * MIB);
        }
    }

    @Test
    void fetchForAClientThatHasGoneIsCancelled() {
        origin.on("/x", unstored("").repeating("x", 192L * MIB));
        var arriving = client.request("GET", "/x").begin();
        arriving.awaitBytes(1);

        client.reset();

        origin.awaitRequest("/x").awaitAbandoned();
    }

    @Test
    void headHasTheFieldsOfAGetButNoBody() {
        origin.on("/x", unstored("12345"));

        var head = client.request("HEAD", "/x").response();

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.field("Content-Length")).isEqualTo("5");
        assertThat(client.get("/x").text()).isEqualTo("12345");
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrder() {
        origin.on("/slow", unstored("slow")).on("/fast", fragment("fast"));
        proxy.get("/fast");
        var held = origin.hold("/slow");

        client.request("GET", "/slow").request("GET", "/fast").request("HEAD", "/fast");
        client.request("GET", "/slow");
        held.awaitWaiting(1);
        held.release();

        assertThat(client.response().text()).isEqualTo("slow");
        assertThat(client.response().text()).isEqualTo("fast");
        assertThat(client.response().body().length()).isZero();
        assertThat(client.response().text()).isEqualTo("slow");
    }

    @Test
    void bodyOfARequestThatWaitsBehindOthersArrivesWhole() {
        origin.on("/echo", request -> unstored(request.body().text()));
        origin.on("/slow", unstored("slow")).on("/fast", fragment("fast"));
        proxy.get("/fast");
        var held = origin.hold("/slow");

        client.send(
                """
                GET /slow HTTP/1.1\r
                Host: a\r
                \r
                GET /fast HTTP/1.1\r
                Host: a\r
                \r
                POST /echo HTTP/1.1\r
                Host: a\r
                Content-Length: 4\r
                \r
                bodyGET /slow HTTP/1.1\r
                Host: a\r
                \r
                """);
        held.awaitWaiting(1);
        held.release();

        assertThat(client.response().text()).isEqualTo("slow");
        assertThat(client.response().text()).isEqualTo("fast");
        assertThat(client.response().text()).isEqualTo("body");
        assertThat(client.response().text()).isEqualTo("slow");
    }

    @Test
    void hundredPipelinedRequestsAreAllAnswered() {
        origin.on("/x", request -> unstored(request.target()));
        for (int i = 0; i < 100; i++) {
            client.request("GET", "/x?" + i);
        }

        for (int i = 0; i < 100; i++) {
            assertThat(client.response().text()).isEqualTo("/x?" + i);
        }
    }

    @Test
    void connectionStaysOpenUnlessTheClientSaysOtherwise() {
        origin.on("/x", unstored("x"));

        assertThat(client.get("/x").keepAlive()).isTrue();
        var last = client.get("/x", "Connection", "close");

        assertThat(last.field("Connection")).isEqualToIgnoringCase("close");
        client.awaitClosed();
    }

    @Test
    void requestsBehindAConnectionCloseAreNotServed() {
        origin.on("/x", unstored("x"));

        client.request("GET", "/x", "Connection", "close").request("GET", "/never");

        assertThat(client.response().text()).isEqualTo("x");
        client.awaitClosed();
        assertThat(origin.requests("/never")).isEmpty();
    }

    @Test
    void oldClientsAreAnsweredInTheirOwnWay() {
        origin.on(
                "/x",
                unstored("some text")
                        .chunked()
                        .through(SlowLine.afterInterim("103 \r\nLink: </a.css>")));

        client.send("GET /x HTTP/1.0\r\nHost: a\r\n\r\n");
        var response = client.response();

        assertThat(response.text()).isEqualTo("some text");
        assertThat(response.field("Transfer-Encoding")).isNull();
        assertThat(response.interims()).isEmpty();
        client.awaitClosed();
    }

    @Test
    void oldClientsMayKeepTheConnection() {
        origin.on("/x", unstored("x"));
        var request = "GET /x HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n";

        var response = client.send(request).response();

        assertThat(response.field("Connection")).isEqualToIgnoringCase("keep-alive");
        assertThat(client.send(request).response().text()).isEqualTo("x");
    }

    @Test
    void interimResponsesGoOnAtOnce() {
        origin.on(
                "/x",
                unstored("final")
                        .through(SlowLine.afterInterim("102 \r\nX-Part: 1\r\nConnection: close")));
        var held = origin.hold("/x");

        client.request("GET", "/x");
        held.awaitWaiting(1);
        held.release();
        var response = client.response();

        assertThat(response.interims()).hasSize(1);
        assertThat(response.interims().getFirst().status()).isEqualTo(102);
        assertThat(response.interims().getFirst().fields()).isEqualTo(Fields.of("X-Part", "1"));
        assertThat(response.text()).isEqualTo("final");
    }

    /** Clients of HTTP/1.1 may take a 103 for the final response. */
    @Test
    void earlyHintsAreNotForHttp11() {
        origin.on(
                "/x",
                unstored("final")
                        .through(SlowLine.afterInterim("103 \r\nLink: </a.css>; rel=preload")));

        client.request("GET", "/x", "Sec-Fetch-Mode", "navigate");
        var response = client.response();

        assertThat(response.interims()).isEmpty();
        assertThat(response.text()).isEqualTo("final");
    }

    @Test
    void methodsWeDoNotKnowGoToTheOrigin() {
        origin.on("/x", request -> unstored(request.method()));

        assertThat(client.request("REPORT", "/x").response().text()).isEqualTo("REPORT");
    }

    @Test
    void originConnectionIsUsedAgain() {
        origin.on("/x", unstored("x"));

        client.get("/x");
        client.get("/x");

        assertThat(origin.requests("/x").getLast().connection())
                .isEqualTo(origin.requests("/x").getFirst().connection());
    }

    @Test
    void requestGoesUpWithTheClientsHostAndOurOwnFields() {
        client.get(
                "/x?a=%20b",
                "Host",
                "www.example.com",
                "Connection",
                "X-Hop",
                "X-Hop",
                "mine",
                "TE",
                "gzip",
                "Proxy-Authorization",
                "secret",
                "X-Kept",
                "kept");

        var request = origin.awaitRequest("/x");

        assertThat(request.target()).isEqualTo("/x?a=%20b");
        assertThat(request.fields().all("Host")).containsExactly("www.example.com");
        assertThat(request.field("X-Kept")).isEqualTo("kept");
        assertThat(request.field("X-Hop")).isNull();
        assertThat(request.field("TE")).isNull();
        assertThat(request.field("Proxy-Authorization")).isNull();
        assertThat(request.field("Via")).isEqualTo("1.1 quire");
        assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(request.field("X-Forwarded-Proto")).isEqualTo("http");
        assertThat(request.field("X-Forwarded-Host")).isEqualTo("www.example.com");
    }

    @Test
    void responseComesDownWithoutTheOriginsConnectionFields() {
        origin.on(
                "/x",
                unstored("x")
                        .reason("Fine")
                        .field("Connection", "X-Hop")
                        .field("X-Hop", "mine")
                        .field("Keep-Alive", "timeout=5")
                        .field("X-Kept", "kept"));

        var response = client.get("/x");

        assertThat(response.field("X-Hop")).isNull();
        assertThat(response.field("Keep-Alive")).isNull();
        assertThat(response.field("X-Kept")).isEqualTo("kept");
        assertThat(response.field("Via")).isEqualTo("1.1 quire");
    }

    @Test
    void statusesWithoutABodyPass() {
        origin.on("/204", Answer.status(204)).on("/304", Answer.status(304).field("ETag", "\"1\""));

        assertThat(client.get("/204").status()).isEqualTo(204);
        assertThat(client.get("/304", "If-None-Match", "\"1\"").status()).isEqualTo(304);
        assertThat(client.get("/204").status()).isEqualTo(204);
    }

    private static byte[] filled(int bytes) {
        var body = new byte[bytes];
        Arrays.fill(body, (byte) 'u');
        return body;
    }
}
