package dev.quire.proxy.listen;

import static dev.quire.proxy.listen.Http2Peer.answer;
import static dev.quire.proxy.listen.Http2Peer.resetCode;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.Http2Config;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestBody;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class Http2RequestsTest {
    private static final String[] GOOD = {
        ":method", "GET", ":scheme", "http", ":authority", "news.example", ":path", "/"
    };

    private final Http2Peer peer = new Http2Peer();

    @AfterEach
    void closes() {
        peer.close();
    }

    private static String[] good(String... more) {
        return Stream.concat(Stream.of(GOOD), Stream.of(more)).toArray(String[]::new);
    }

    private static Arguments of(String... lines) {
        return Arguments.of((Object) lines);
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                of(good("X-Upper", "a")),
                of(good("", "a")),
                of(good("a b", "a")),
                of(good("a:b", "a")),
                of(good("a\0", "a")),
                of(good("x", "a\r\nb: c")),
                of(good("x", "a\nb")),
                of(good("x", "a\0b")),
                of(good("x", " a")),
                of(good("x", "a\t")),
                of(good("connection", "close")),
                of(good("keep-alive", "timeout=5")),
                of(good("proxy-connection", "close")),
                of(good("upgrade", "websocket")),
                of(good("transfer-encoding", "chunked")),
                of(good("te", "gzip")),
                of(good("te", "trailers, deflate")),
                of(good(":path", "/twice")),
                of(good(":method", "GET")),
                of(good(":authority", "a.example")),
                of(good(":unknown", "a")),
                of(good(":status", "200")),
                of(good("x", "a", ":late", "b")),
                of(good("content-length", "1")),
                of(good("content-length", "a")),
                of(good("content-length", "-1")),
                of(good("content-length", "0", "content-length", "0")),
                of(good("content-length", "0, 0")),
                of(":scheme", "http", ":authority", "a.b", ":path", "/"),
                of(":method", "GET", ":authority", "a.b", ":path", "/"),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b"),
                of(":method", "G ET", ":scheme", "http", ":authority", "a.b", ":path", "/"),
                of(":method", "", ":scheme", "http", ":authority", "a.b", ":path", "/"),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b", ":path", ""),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b", ":path", "a"),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b", ":path", "/a b"),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b", ":path", "/a#b"),
                of(":method", "GET", ":scheme", "http", ":authority", "a.b", ":path", "/\r\n"),
                of(
                        ":method",
                        "GET",
                        ":scheme",
                        "http",
                        ":authority",
                        "a.b",
                        ":path",
                        "http://c.d/"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedRequestIsResetAndReachesNoExchange(String... lines) {
        int stream = peer.headers(true, lines);

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        assertThat(peer.begun).isEmpty();
        assertThat(peer.refusals).hasSize(1);
        assertGoesOn();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(400, RefusalReason.DOT_SEGMENT, path("/a/../b")),
                Arguments.of(400, RefusalReason.DOT_SEGMENT, path("/%2e%2e/b")),
                Arguments.of(400, RefusalReason.BAD_TARGET, path("/%00")),
                Arguments.of(400, RefusalReason.BAD_TARGET, path("/a\\b")),
                Arguments.of(400, RefusalReason.BAD_TARGET, path("*")),
                Arguments.of(
                        414, RefusalReason.REQUEST_LINE_TOO_LONG, path("/" + "a".repeat(9000))),
                Arguments.of(405, RefusalReason.METHOD_NOT_ALLOWED, method("TRACE")),
                Arguments.of(405, RefusalReason.METHOD_NOT_ALLOWED, method("PURGE")),
                Arguments.of(
                        405,
                        RefusalReason.METHOD_NOT_ALLOWED,
                        new String[] {":method", "CONNECT", ":authority", "a.b:443"}),
                Arguments.of(
                        501,
                        RefusalReason.UNKNOWN_PROTOCOL,
                        new String[] {
                            ":method",
                            "CONNECT",
                            ":protocol",
                            "connect-udp",
                            ":scheme",
                            "http",
                            ":authority",
                            "news.example",
                            ":path",
                            "/"
                        }),
                Arguments.of(501, RefusalReason.METHOD_TOO_LONG, method("M".repeat(33))),
                Arguments.of(400, RefusalReason.BAD_HOST, authority("user@a.b")),
                Arguments.of(400, RefusalReason.BAD_HOST, authority("a.b:0")),
                Arguments.of(400, RefusalReason.BAD_HOST, authority("")),
                Arguments.of(
                        400,
                        RefusalReason.NOT_ONE_HOST,
                        new String[] {":method", "GET", ":scheme", "http", ":path", "/"}),
                Arguments.of(400, RefusalReason.AUTHORITY_MISMATCH, good("host", "other.example")),
                Arguments.of(
                        400,
                        RefusalReason.NOT_ONE_HOST,
                        good("host", "news.example", "host", "news.example")),
                Arguments.of(400, RefusalReason.BAD_SCHEME, scheme("https")),
                Arguments.of(400, RefusalReason.BAD_SCHEME, scheme("ftp")),
                Arguments.of(417, RefusalReason.UNKNOWN_EXPECTATION, good("expect", "more")),
                Arguments.of(508, RefusalReason.LOOP, good("via", "1.1 quire", "via", "1.1 quire")),
                Arguments.of(431, RefusalReason.FIELD_NAME_TOO_LONG, good("n".repeat(1025), "v")),
                Arguments.of(431, RefusalReason.TOO_MANY_FIELDS, good(many())));
    }

    private static String[] many() {
        var lines = new String[400];
        for (int i = 0; i < lines.length; i += 2) {
            lines[i] = "x-" + i;
            lines[i + 1] = "v";
        }
        return lines;
    }

    private static String[] path(String path) {
        return new String[] {
            ":method", "GET", ":scheme", "http", ":authority", "news.example", ":path", path
        };
    }

    private static String[] method(String method) {
        return new String[] {
            ":method", method, ":scheme", "http", ":authority", "news.example", ":path", "/"
        };
    }

    private static String[] authority(String authority) {
        return new String[] {
            ":method", "GET", ":scheme", "http", ":authority", authority, ":path", "/"
        };
    }

    private static String[] scheme(String scheme) {
        return new String[] {
            ":method", "GET", ":scheme", scheme, ":authority", "news.example", ":path", "/"
        };
    }

    @ParameterizedTest
    @MethodSource
    void refused(int status, RefusalReason reason, String... lines) throws Exception {
        int stream = peer.headers(true, lines);
        var frames = peer.framesOf(stream);

        assertThat(peer.lines(frames.getFirst())).contains(":status: " + status);
        assertThat(frames.getLast().endsStream()).isTrue();
        assertThat(peer.begun).isEmpty();
        assertThat(peer.refusals).hasToString("[" + reason + "]");
        assertGoesOn();
    }

    private void assertGoesOn() {
        peer.script = exchange -> answer(exchange, "fine");
        int stream = peer.get("/next");
        assertThat(peer.framesOf(stream).getLast().text()).isEqualTo("fine");
    }

    @Test
    void headIsThatOfHttp1() {
        peer.headers(
                true,
                good(
                        "cookie",
                        "a=1",
                        "accept",
                        "text/html",
                        "cookie",
                        "b=2",
                        "accept",
                        "*/*",
                        "http2-settings",
                        "AAMAAABkAAQCAAAAAAIAAAAA",
                        "x_forwarded_for",
                        "1.2.3.4",
                        "te",
                        "trailers"));

        var fields = peer.begun.getFirst().receivedFields();
        assertThat(fields.first("Host")).isEqualTo("news.example");
        assertThat(fields.all("Cookie")).containsExactly("a=1; b=2");
        assertThat(fields.all("Accept")).containsExactly("text/html", "*/*");
        assertThat(fields.contains("http2-settings")).isFalse();
        assertThat(fields.contains("x_forwarded_for")).isFalse();
        var names = new ArrayList<String>();
        fields.forEach((name, value) -> names.add(name));
        assertThat(names).containsExactly("Host", "accept", "accept", "te", "cookie");
        assertThat(peer.begun.getFirst().response().protocol()).isEqualTo("HTTP/2");
    }

    @Test
    void hostStandsInForAnAbsentAuthority() {
        peer.headers(true, ":method", "GET", ":scheme", "http", ":path", "/", "host", "a.example");

        assertThat(peer.begun.getFirst().request().authority()).isEqualTo("a.example");
    }

    @Test
    void trustedPeerSaysWhichSchemeTheClientUsed() {
        try (var behind = new Http2Peer(Http2Config.DEFAULTS, Duration.ofSeconds(5), "127.0.0.1")) {
            behind.headers(true, scheme("https"));

            assertThat(behind.begun.getFirst().request().scheme()).isEqualTo(Scheme.HTTPS);
        }
    }

    @Test
    void bodyFlowsToTheSink() {
        var sink = new Taken();
        peer.script = exchange -> body(exchange).flowTo(sink);

        int stream = peer.request(false, "/", "content-length", "5");
        peer.data(stream, 3, false);
        peer.data(stream, 2, true);

        assertThat(sink.told).containsExactly("3", "2", "end");
        assertThat(body(peer.begun.getFirst()).length()).isEqualTo(5);
    }

    @Test
    void bodyShorterThanAnnouncedIsBrokenOff() {
        var sink = new Taken();
        peer.script = exchange -> body(exchange).flowTo(sink);

        int stream = peer.request(false, "/", "content-length", "5");
        peer.data(stream, 3, true);

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        assertThat(sink.told).containsExactly("3", "broken");
        assertThat(peer.finished).hasSize(1);
    }

    @Test
    void bodyLongerThanAnnouncedIsBrokenOff() {
        var sink = new Taken();
        peer.script = exchange -> body(exchange).flowTo(sink);

        int stream = peer.request(false, "/", "content-length", "5");
        peer.data(stream, 6, false);

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        assertThat(sink.told).containsExactly("broken");
    }

    @Test
    void emptyBodyThatIsAnnouncedSoMayNotHaveBytes() {
        int stream = peer.request(false, "/", "content-length", "0");
        peer.data(stream, 1, true);

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
    }

    @Test
    void trailersEndTheBodyAndPseudoFieldsInThemAreMalformed() {
        var sink = new Taken();
        peer.script = exchange -> body(exchange).flowTo(sink);

        int good = peer.request(false, "/");
        peer.send(Http2Peer.frame(1, 5, good, Http2Peer.block("grpc-status", "0")));
        assertThat(sink.told).containsExactly("end");
        int bad = peer.request(false, "/");
        peer.send(Http2Peer.frame(1, 5, bad, Http2Peer.block(":path", "/")));

        assertThat(resetCode(peer.framesOf(bad))).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
        assertThat(sink.told).containsExactly("end", "broken");
    }

    @Test
    void clientSendsMoreOnlyAsTheSinkTakesIt() {
        var sink = new Taken();
        peer.script =
                exchange -> {
                    body(exchange).flowTo(sink);
                    body(exchange).pause();
                };
        int stream = peer.request(false, "/");
        peer.frames();

        for (int i = 0; i < 4; i++) {
            peer.data(stream, 16 * 1024, false);
        }
        assertThat(sink.told).isEmpty();
        assertThat(peer.frames()).isEmpty();
        body(peer.begun.getFirst()).resume();

        assertThat(sink.told).containsExactly("65536");
        assertThat(peer.framesOf(stream))
                .singleElement()
                .satisfies(frame -> assertThat(frame.type()).isEqualTo(Http2Peer.WINDOW_UPDATE));
    }

    @Test
    void bytesBeyondTheWindowAreAnError() {
        peer.script = exchange -> body(exchange).pause();
        int stream = peer.request(false, "/");

        for (int i = 0; i < 5; i++) {
            peer.data(stream, 16 * 1024, false);
        }

        assertThat(resetCode(peer.framesOf(stream)))
                .isEqualTo(Http2Error.FLOW_CONTROL_ERROR.code());
        assertThat(peer.finished).hasSize(1);
    }

    @Test
    void bodyOverItsLimitIsBrokenOffForItsExchange() {
        var sink = new Taken();
        peer.script =
                exchange -> {
                    assertThat(body(exchange).limit(10)).isTrue();
                    body(exchange).flowTo(sink);
                };
        int stream = peer.request(false, "/");

        peer.data(stream, 11, false);
        assertThat(sink.told).containsExactly("broken");
        answer(peer.begun.getFirst(), "too large");

        var frames = peer.framesOf(stream);
        assertThat(frames).anyMatch(frame -> frame.text().equals("too large"));
        assertThat(resetCode(frames)).isEqualTo(Http2Error.NO_ERROR.code());
    }

    @Test
    void slowBodyIsBrokenOff() {
        var sink = new Taken();
        peer.script = exchange -> body(exchange).flowTo(sink);
        peer.request(false, "/");

        for (int i = 0; i < 22; i++) {
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(sink.told).containsExactly("broken");
    }

    @Test
    void clientThatExpectsContinueGetsIt() throws Exception {
        peer.script = exchange -> body(exchange).flowTo(new Taken());
        int stream = peer.request(false, "/", "expect", "100-continue");

        assertThat(peer.lines(peer.framesOf(stream).getFirst())).containsExactly(":status: 100");
    }

    @Test
    void resetCancelsTheExchangeAndNoOther() {
        var told = new ArrayList<String>();
        peer.script = exchange -> exchange.deliverBy(Http2ResponsesTest.events(told));
        int left = peer.get("/left");
        peer.get("/stays");

        peer.reset(left);

        assertThat(told).containsExactly("gone");
        assertThat(peer.finished).containsExactly(peer.begun.getFirst());
    }

    @Test
    void endOfTheConnectionCancelsAll() {
        var told = new ArrayList<String>();
        var sink = new Taken();
        peer.script =
                exchange -> {
                    exchange.deliverBy(Http2ResponsesTest.events(told));
                    if (exchange.body() != null) {
                        exchange.body().flowTo(sink);
                    }
                };
        peer.get("/1");
        peer.request(false, "/2");

        peer.channel.close();

        assertThat(told).containsExactly("gone", "gone");
        assertThat(sink.told).containsExactly("broken");
        assertThat(peer.finished).hasSize(2);
    }

    private static RequestBody body(Exchange exchange) {
        var body = exchange.body();
        if (body == null) {
            throw new AssertionError("no body");
        }
        return body;
    }

    private static final class Taken implements RequestBody.Sink {
        final List<String> told = new ArrayList<>();

        @Override
        public void data(ByteBuf data) {
            told.add(Integer.toString(data.readableBytes()));
            data.release();
        }

        @Override
        public void end() {
            told.add("end");
        }

        @Override
        public void broken(Failure failure) {
            told.add("broken");
        }
    }
}
