package dev.quire.proxy.listen;

import static dev.quire.proxy.listen.Http2Peer.answer;
import static dev.quire.proxy.listen.Http2Peer.resetCode;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2ResponsesTest {
    private final Http2Peer peer = new Http2Peer();

    @AfterEach
    void closes() {
        peer.close();
    }

    @Test
    void shortResponseIsOneWriteOfTwoFrames() throws Exception {
        peer.frames();
        peer.script = exchange -> answer(exchange, "x".repeat(1024));

        int stream = peer.get("/");
        var frames = peer.frames();

        assertThat(peer.writes).isEqualTo(1);
        assertThat(frames).extracting(Http2Peer.Frame::stream).containsOnly(stream);
        assertThat(peer.lines(frames.get(0)))
                .containsExactly(":status: 200", "content-length: 1024");
        assertThat(frames.get(1).text()).isEqualTo("x".repeat(1024));
        assertThat(frames.get(1).endsStream()).isTrue();
        assertThat(frames).hasSize(2);
        assertThat(peer.finished).hasSize(1);
    }

    @Test
    void endOfAResponseIsNotALeavingClient() {
        var told = new ArrayList<String>();
        peer.get("/");
        peer.request(false, "/unread");
        for (var exchange : peer.begun) {
            exchange.deliverBy(events(told));
            answer(exchange, "done");
        }

        assertThat(told).isEmpty();
        assertThat(peer.finished).isEqualTo(peer.begun);
    }

    @Test
    void headThatHasBegunIsDroppedWithItsStream() {
        peer.get("/");
        peer.begun.getFirst().response().head(200).line("x", "y");
        peer.reset(1);
        peer.frames();
        peer.script = exchange -> answer(exchange, "other");

        peer.get("/other");

        assertThat(peer.frames()).extracting(Http2Peer.Frame::stream).containsOnly(3);
    }

    @Test
    void responsesToRequestsOfOneReadLeaveInOneWrite() {
        peer.frames();
        peer.script = exchange -> answer(exchange, exchange.request().target());
        String[] lines = {
            ":method", "GET", ":scheme", "http", ":authority", "a.example", ":path", "/"
        };

        peer.send(
                Http2Peer.frame(Http2Peer.HEADERS, 5, 1, Http2Peer.block(lines)),
                Http2Peer.frame(Http2Peer.HEADERS, 5, 3, Http2Peer.block(lines)),
                Http2Peer.frame(Http2Peer.HEADERS, 5, 5, Http2Peer.block(lines)));

        assertThat(peer.frames()).hasSize(6);
        assertThat(peer.writes).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void responseWithoutBodyEndsWithItsHead(int status) {
        peer.frames();
        peer.script =
                exchange -> {
                    exchange.response().head(status);
                    exchange.response().endHead(true);
                    exchange.response().end();
                };

        peer.get("/");
        var frames = peer.frames();

        assertThat(frames).hasSize(1);
        assertThat(frames.getFirst().endsStream()).isTrue();
    }

    @Test
    void bodyOfResponseToHeadIsDropped() throws Exception {
        peer.frames();
        peer.script = exchange -> answer(exchange, "body");

        peer.headers(true, ":method", "HEAD", ":scheme", "http", ":authority", "a.b", ":path", "/");
        var frames = peer.frames();

        assertThat(frames).hasSize(1);
        assertThat(peer.lines(frames.getFirst())).contains("content-length: 4");
    }

    @Test
    void linesOfAConnectionAreDropped() throws Exception {
        peer.frames();
        peer.script =
                exchange -> {
                    var head =
                            exchange.response()
                                    .head(new ResponseHead(201, "Created", Fields.EMPTY));
                    head.line("Connection", "close");
                    head.line("Keep-Alive", "timeout=5");
                    head.line("Transfer-Encoding", "chunked");
                    head.line("Upgrade", "h2c");
                    head.line("X-Name", "Value");
                    exchange.response().endHead(false);
                    exchange.response().end();
                };

        peer.get("/");

        assertThat(peer.lines(peer.frames().getFirst()))
                .containsExactly(":status: 201", "x-name: Value");
    }

    @Test
    void longHeadContinuesInFurtherFrames() throws Exception {
        peer.frames();
        peer.script =
                exchange -> {
                    exchange.response().head(200).line("x-long", "v".repeat(40_000));
                    exchange.response().endHead(false);
                    exchange.response().end();
                };

        peer.get("/");
        var frames = peer.frames();

        assertThat(frames.stream().map(Http2Peer.Frame::type).toList()).startsWith(1, 9, 9);
        // The first frame of the head ends the stream (RFC 9113 §6.2).
        assertThat(frames.get(0).endsStream()).isTrue();
        assertThat(frames.get(2).flags()).isEqualTo(Http2Peer.END_HEADERS);
        assertThat(frames).hasSize(3);
        var whole = Unpooled.buffer();
        for (int i = 0; i < 3; i++) {
            whole.writeBytes(frames.get(i).payload());
        }
        assertThat(whole.readableBytes()).isGreaterThan(40_000);
    }

    /** Heads have no window: requests of a client that takes no responses stay unread. */
    @Test
    void nothingIsReadWhileTheClientTakesNothing() {
        var out = peer.channel.unsafe().outboundBuffer();

        out.setUserDefinedWritability(1, false);
        peer.channel.runPendingTasks();
        assertThat(peer.channel.config().isAutoRead()).isFalse();

        out.setUserDefinedWritability(1, true);
        peer.channel.runPendingTasks();
        assertThat(peer.channel.config().isAutoRead()).isTrue();
    }

    @Test
    void interimResponsePrecedesTheFinalOne() throws Exception {
        peer.frames();
        peer.script =
                exchange -> {
                    exchange.response()
                            .interim(
                                    new ResponseHead(
                                            103, "", Fields.of("Link", "</a>; rel=preload")));
                    exchange.response().interim(new ResponseHead(101, "", Fields.EMPTY));
                    answer(exchange, "late");
                };

        peer.get("/");
        var frames = peer.frames();

        assertThat(peer.lines(frames.get(0)))
                .containsExactly(":status: 103", "link: </a>; rel=preload");
        assertThat(frames.get(0).endsStream()).isFalse();
        assertThat(peer.lines(frames.get(1))).contains(":status: 200");
    }

    @Test
    void abortedResponseIsReset() {
        peer.frames();
        peer.script =
                exchange -> {
                    exchange.response().head(200);
                    exchange.response().endHead(false);
                    exchange.breakOff();
                };

        int stream = peer.get("/");

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.INTERNAL_ERROR.code());
        assertThat(peer.finished).hasSize(1);
    }

    @Test
    void bugInOneStreamLeavesTheOthers() {
        peer.script =
                exchange -> {
                    if (exchange.request().target().equals("/bug")) {
                        throw new IllegalStateException("bug");
                    }
                };
        int good = peer.get("/good");
        peer.frames();

        int bad = peer.get("/bug");
        assertThat(resetCode(peer.framesOf(bad))).isEqualTo(Http2Error.INTERNAL_ERROR.code());
        answer(peer.begun.getFirst(), "fine");

        assertThat(peer.framesOf(good)).hasSize(2);
    }

    @Test
    void bodyWaitsForTheWindowOfItsStream() {
        peer.send(Http2Peer.frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 10));
        peer.frames();
        peer.script = exchange -> answer(exchange, "0123456789abcdefghij!");

        int stream = peer.get("/");

        assertThat(peer.framesOf(stream).getLast().text()).isEqualTo("0123456789");
        peer.window(stream, 1);
        assertThat(peer.framesOf(stream).getFirst().text()).isEqualTo("a");
        peer.window(stream, 100);
        var last = peer.framesOf(stream);
        assertThat(last).hasSize(1);
        assertThat(last.getFirst().text()).isEqualTo("bcdefghij!");
        assertThat(last.getFirst().endsStream()).isTrue();
    }

    @Test
    void exchangeIsToldWhenTheClientTakesMore() {
        peer.send(Http2Peer.frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 0));
        peer.get("/");
        var exchange = peer.begun.getFirst();
        var told = new ArrayList<String>();
        exchange.deliverBy(events(told));
        exchange.response().head(200);
        exchange.response().endHead(false);

        exchange.response().body(Unpooled.buffer().writeZero(63 * 1024));
        assertThat(exchange.response().isWritable()).isTrue();
        exchange.response().body(Unpooled.buffer().writeZero(2 * 1024));
        assertThat(exchange.response().isWritable()).isFalse();
        assertThat(told).isEmpty();

        peer.window(1, 10_000);
        assertThat(told).containsExactly("writable");
        assertThat(exchange.response().isWritable()).isTrue();
    }

    @Test
    void oneClientHoldsABoundedAmountOverAllStreams() {
        peer.send(Http2Peer.frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 0));
        long held = 0;
        for (int i = 0; i < 90; i++) {
            peer.get("/" + i);
            var response = peer.begun.getLast().response();
            response.head(200);
            response.endHead(false);
            while (response.isWritable()) {
                response.body(Unpooled.buffer().writeZero(16 * 1024));
                held += 16 * 1024;
            }
        }

        // Of each stream one part may wait in any case.
        assertThat(held).isLessThanOrEqualTo((1 << 20) + 90 * 16 * 1024);
    }

    @Test
    void responseThatIsNotTakenIsCut() {
        peer.send(Http2Peer.frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 0));
        peer.script = exchange -> answer(exchange, "waits");
        int stream = peer.get("/");
        peer.frames();

        for (int i = 0; i < 70; i++) {
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.CANCEL.code());
    }

    @Test
    void bytesThatAreSentOrNotReportThemselvesGone() {
        peer.send(Http2Peer.frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 4));
        var told = new ArrayList<String>();
        peer.script =
                exchange -> {
                    var to = exchange.response();
                    to.head(200);
                    to.endHead(false);
                    to.body(Unpooled.copiedBuffer(new byte[4]), () -> told.add("sent"));
                    to.body(Unpooled.copiedBuffer(new byte[4]), () -> told.add("cancelled"));
                    to.whenGone(() -> told.add("end"));
                };

        int stream = peer.get("/");
        assertThat(told).containsExactly("sent");
        peer.reset(stream);

        assertThat(told).containsExactly("sent", "cancelled", "end");
    }

    static Exchange.Delivery events(List<String> told) {
        return new Exchange.Delivery() {
            @Override
            public void writable() {
                told.add("writable");
            }

            @Override
            public void clientGone() {
                told.add("gone");
            }
        };
    }
}
