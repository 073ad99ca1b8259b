package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.ResponseHead;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
    private static final int MIB = 1024 * 1024;

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final HttpWire client = HttpWire.to(origin.address());

    @AfterEach
    void stop() {
        client.close();
        origin.close();
    }

    @Test
    void whatWasNotScriptedIsNotFound() {
        var response = client.get("/nowhere?a=b");

        assertThat(response.status()).isEqualTo(404);
        assertThat(response.text()).isEqualTo("no answer is scripted for /nowhere?a=b\n");
    }

    @Test
    void answersComeInTurnAndTheLastOneStays() {
        origin.on("/live", Answer.html("1"), Answer.status(503).body("down"), Answer.html("3"));

        assertThat(client.get("/live").text()).isEqualTo("1");
        assertThat(client.get("/live").status()).isEqualTo(503);
        assertThat(client.get("/live").text()).isEqualTo("3");
        assertThat(client.get("/live").text()).isEqualTo("3");
    }

    @Test
    void targetWithItsQueryGoesBeforeThePath() {
        origin.on("/list", Answer.html("any")).on("/list?page=2", Answer.html("second"));

        assertThat(client.get("/list?page=1").text()).isEqualTo("any");
        assertThat(client.get("/list?page=2").text()).isEqualTo("second");
        assertThat(origin.requests("/list")).hasSize(2);
        assertThat(origin.requests("/list?page=2")).hasSize(1);
    }

    @Test
    void functionAnswersTheWholeRequest() {
        origin.on("/echo", request -> Answer.html(request.method() + " " + request.body().text()));

        var response = client.request("POST", "/echo", "ärger".getBytes(UTF_8)).response();

        assertThat(response.text()).isEqualTo("POST ärger");
    }

    @Test
    void requestsAreRememberedInOrderWithTheirConnection() {
        try (var other = HttpWire.to(origin.address())) {
            client.get("/a", "Cookie", "id=1", "X-Two", "first", "X-Two", "second");
            other.get("/b");
            client.get("/a");
        }

        assertThat(origin.paths()).containsExactly("/a", "/b", "/a");
        var first = origin.requests("/a").get(0);
        var second = origin.requests("/a").get(1);
        assertThat(first.field("cookie")).isEqualTo("id=1");
        assertThat(first.fields().all("X-Two")).containsExactly("first", "second");
        assertThat(first.connection()).isEqualTo(second.connection());
        assertThat(origin.requests("/b").getFirst().connection()).isNotEqualTo(first.connection());
        assertThat(second.order()).isEqualTo(3);
    }

    @Test
    void forgottenRequestsAreGone() {
        client.get("/a");

        origin.forget();
        client.get("/b");

        assertThat(origin.paths()).containsExactly("/b");
    }

    @Test
    void dateIsReadFromTheClock() {
        var before = client.get("/").field("Date");

        clock.advance(Duration.ofDays(1));

        assertThat(before).matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} [\\d:]{8} GMT");
        assertThat(client.get("/").field("Date")).isNotEqualTo(before);
        origin.on("/undated", Answer.html("").undated());
        assertThat(client.get("/undated").field("Date")).isNull();
    }

    @Test
    void heldAnswersLeaveOnceReleased() {
        origin.on("/x", Answer.html("held"));
        var held = origin.hold("/x");
        client.request("GET", "/x");
        held.awaitWaiting(1);

        held.release();

        assertThat(client.response().text()).isEqualTo("held");
        assertThat(client.get("/x").text()).isEqualTo("held");
    }

    @Test
    void silentOriginTakesRequestsForAnyPathAndSaysNothing() {
        origin.on("/a", Answer.html("a")).on("/b", Answer.html("b"));
        try (var other = HttpWire.to(origin.address());
                var silence = origin.holdAll()) {
            client.request("GET", "/a");
            other.request("GET", "/b");
            silence.awaitWaiting(2);

            silence.release();

            assertThat(client.response().text()).isEqualTo("a");
            assertThat(other.response().text()).isEqualTo("b");
        }
    }

    @Test
    void answerHeldInsideItsBodyShowsWhatComesBefore() {
        origin.on("/x", Answer.html("front back"));
        var held = origin.holdAfter("/x", 6);
        var arriving = client.request("GET", "/x").begin();

        assertThat(arriving.awaitText("front ")).isEqualTo("front ");
        held.awaitWaiting(1);
        held.release();

        assertThat(arriving.finish().text()).isEqualTo("front back");
    }

    @Test
    void peerThatLeavesAHeldAnswerIsNoticed() {
        try (var held = origin.hold("/x")) {
            client.request("GET", "/x");
            held.awaitWaiting(1);

            client.close();

            origin.awaitRequest("/x").awaitAbandoned();
        }
    }

    @Test
    void bodyCanComeInChunks() {
        origin.on("/x", Answer.html("abcdefg").chunked());

        var response = client.get("/x");

        assertThat(response.field("Transfer-Encoding")).isEqualTo("chunked");
        assertThat(response.field("Content-Length")).isNull();
        assertThat(response.text()).isEqualTo("abcdefg");
    }

    @Test
    void chunksMayHaveASize() throws IOException {
        origin.on("/x", Answer.html("abcdefg").inChunksOf(3));
        try (var socket = new Socket(origin.address().getAddress(), origin.address().getPort())) {
            socket.getOutputStream()
                    .write(
                            "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                    .getBytes(UTF_8));

            var bytes = new String(socket.getInputStream().readAllBytes(), UTF_8);

            assertThat(bytes).endsWith("\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n1\r\ng\r\n0\r\n\r\n");
        }
    }

    @Test
    void longBodyInSmallChunksIsWhole() {
        var text = "0123456789".repeat(20_000);
        origin.on("/x", Answer.html(text).inChunksOf(7));

        assertThat(client.get("/x").text()).isEqualTo(text);
    }

    @Test
    void delayedAnswerLeavesWhenItsTimeHasCome() {
        origin.on("/x", Answer.html("late").delayed(Duration.ofMillis(50)));
        long start = System.nanoTime();

        assertThat(client.get("/x").text()).isEqualTo("late");

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isGreaterThanOrEqualTo(Duration.ofMillis(50));
    }

    @Test
    void settlingHurriesDelayedAnswers() {
        origin.on("/x", Answer.html("late").delayed(Duration.ofHours(1)));
        client.request("GET", "/x");
        origin.awaitRequest("/x");

        origin.settle();

        assertThat(client.response().text()).isEqualTo("late");
    }

    @Test
    void whatWasNotScriptedCanBeAnsweredToo() {
        origin.on("/x", Answer.html("x"))
                .otherwise(request -> Answer.html("any " + request.target()));

        assertThat(client.get("/x").text()).isEqualTo("x");
        assertThat(client.get("/y?a").text()).isEqualTo("any /y?a");
    }

    @Test
    void whatIsWrongIsToldOnce() {
        var other = Origin.start();
        other.otherwise(request -> {
            throw new IllegalStateException("no such article");
        });
        try (var wire = HttpWire.to(other.address())) {
            wire.get("/x");
        }

        assertThatThrownBy(other::verify).hasMessageContaining("no such article");

        other.close();
    }

    @Test
    void answerIsWrittenThroughTheLine() {
        var written = new AtomicInteger();
        origin.on(
                "/x",
                Answer.html("one two three")
                        .through(out ->
                                new FilterOutputStream(out) {
                                    @Override
                                    public void write(int b) throws IOException {
                                        written.incrementAndGet();
                                        super.write(b);
                                    }
                                }));

        assertThat(client.get("/x").text()).isEqualTo("one two three");
        assertThat(written).hasValueGreaterThan("one two three".length());
    }

    @Test
    void closeCanEndTheBody() {
        origin.on("/x", Answer.html("to the end").untilClose());

        var response = client.get("/x");

        assertThat(response.text()).isEqualTo("to the end");
        assertThat(response.keepAlive()).isFalse();
        client.awaitClosed();
    }

    @Test
    void cutAnswerEndsTheConnectionBehindItsBytes() {
        origin.on("/x", Answer.html("0123456789").cutAfter(4));

        var cut = client.request("GET", "/x").begin().awaitCut();

        assertThat(cut.text()).isEqualTo("0123");
    }

    @Test
    void cutChunkedAnswerLacksItsLastChunk() {
        origin.on("/x", Answer.html("0123456789").chunked().cutAfter(10));

        var cut = client.request("GET", "/x").begin().awaitCut();

        assertThat(cut.text()).isEqualTo("0123456789");
    }

    @Test
    void resetAnswerBreaksTheConnection() {
        origin.on("/x", Answer.reset());

        client.request("GET", "/x");

        assertThatThrownBy(client::begin)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("reset");
    }

    @Test
    void rawAnswerIsNotTouched() {
        origin.on(
                "/x",
                Answer.raw("HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\nabEXTRA").closing());

        assertThat(client.get("/x").text()).isEqualTo("ab");
        assertThatThrownBy(client::response).hasMessageContaining("EXTRA");
    }

    @Test
    void rawAnswerCanBeAnyBytes() {
        byte[] head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n".getBytes(ISO_8859_1);
        byte[] bytes = Arrays.copyOf(head, head.length + 3);
        bytes[head.length] = (byte) 0xff;
        origin.on("/x", Answer.raw(bytes));

        assertThat(client.get("/x").body().bytes()).containsExactly(0xff, 0, 0);
    }

    @Test
    void lyingLengthIsTakenAtItsWord() {
        origin.on("/x", Answer.html("abc").field("Content-Length", "9").closing());

        var cut = client.request("GET", "/x").begin().awaitCut();

        assertThat(cut.text()).isEqualTo("abc");
    }

    @Test
    void earlyAnswerDoesNotWaitForTheRequestBody() {
        origin.on("/upload", Answer.status(413).early());
        client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");

        var response = client.response();

        assertThat(response.status()).isEqualTo(413);
        var request = origin.awaitRequest("/upload").awaitBody(5);
        assertThat(request.isWhole()).isFalse();
        client.send("56789");
        assertThat(request.awaitWhole().body().text()).isEqualTo("0123456789");
    }

    @Test
    void uploadThatBreaksOffIsSeenAsBroken() {
        client.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc");
        var request = origin.awaitRequest("/up").awaitBody(3);

        client.close();

        request.awaitBroken().awaitAbandoned();
        assertThat(request.isWhole()).isFalse();
    }

    @Test
    void clientThatAsksMayGoOn() {
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
    void headHasTheLengthButNoBody() {
        origin.on("/x", Answer.html("12345"));

        var head = client.request("HEAD", "/x").response();

        assertThat(head.field("Content-Length")).isEqualTo("5");
        assertThat(head.body().length()).isZero();
        assertThat(client.get("/x").text()).isEqualTo("12345");
    }

    @Test
    void notModifiedAndNoContentAreNotFramed() {
        origin.on("/304", Answer.status(304)).on("/204", Answer.status(204));

        assertThat(client.get("/304").fields().contains("Content-Length")).isFalse();
        assertThat(client.get("/204").fields().contains("Content-Length")).isFalse();
    }

    @Test
    void oldClientsAreAnsweredAndLeft() {
        origin.on("/x", Answer.html("old"));

        client.send("GET /x HTTP/1.0\r\nHost: a\r\n\r\n");

        assertThat(client.response().text()).isEqualTo("old");
        client.awaitClosed();
    }

    @Test
    void hugeBodyIsNeverHeldWhole() {
        origin.on("/big", Answer.status(200).repeating("<esi:", 200L * MIB));
        var arriving = client.request("GET", "/big").begin();

        assertThat(arriving.countToEnd()).isEqualTo(200L * MIB);
    }

    @Test
    void originGoesDownAndComesUpOnTheSamePort() {
        origin.on("/x", Answer.html("still here"));
        client.get("/x");

        origin.goDown();

        client.awaitClosed();
        assertThatThrownBy(() -> HttpWire.to(origin.address()))
                .hasCauseInstanceOf(ConnectException.class);
        origin.comeUp();
        try (var again = HttpWire.to(origin.address())) {
            assertThat(again.get("/x").text()).isEqualTo("still here");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\nHost: a\n\n",
                "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: x\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            })
    void whatIsNoRequestFailsTheTest(String bytes) {
        var other = Origin.start();
        try (var wire = HttpWire.to(other.address())) {
            wire.send(bytes.getBytes(ISO_8859_1));

            wire.awaitClosed();
        }

        assertThatThrownBy(other::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("malformed HTTP request: expected");
    }

    @Test
    void scriptThatFailsFailsTheTest() {
        var other = Origin.start();
        other.on(
                "/x",
                request -> {
                    throw new IllegalStateException("no such article");
                });
        try (var wire = HttpWire.to(other.address())) {
            assertThat(wire.get("/x").status()).isEqualTo(500);
        }

        assertThatThrownBy(other::close)
                .hasMessageContaining("failed script for GET /x")
                .hasMessageContaining("no such article");
    }
}
