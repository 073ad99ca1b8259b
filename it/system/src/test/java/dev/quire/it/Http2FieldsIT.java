package dev.quire.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.Http2Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of HTTP/2 that an origin of HTTP/1.1 could read as others (RFC 9113 §8, §10.3): each is
 * refused for its stream only, and the origin sees nothing of it.
 */
class Http2FieldsIT {
    private static final String MALFORMED = "PROTOCOL_ERROR";

    private static Http2Edge edge;

    @BeforeAll
    static void start() {
        edge = new Http2Edge();
        edge.origin().otherwise(request -> Answer.html("seen").field("Cache-Control", "no-store"));
    }

    @AfterAll
    static void stop() {
        edge.close();
    }

    /**
     * A request.
     *
     * @param expected the codes of the reset or the statuses that are allowed
     * @param lines names and values, also of pseudo-fields
     * @param body its DATA frames; empty if the block of fields ends the stream
     * @param trailers empty for none
     */
    record Hostile(
            String name,
            List<String> expected,
            List<String> lines,
            List<String> body,
            List<String> trailers) {

        Hostile {
            expected = List.copyOf(expected);
            lines = List.copyOf(lines);
            body = List.copyOf(body);
            trailers = List.copyOf(trailers);
        }

        private static List<String> complete() {
            return new ArrayList<>(
                    List.of(
                            ":method",
                            "GET",
                            ":scheme",
                            "SCHEME",
                            ":authority",
                            "site.example",
                            ":path",
                            "/"));
        }

        /** A valid request with one more field. */
        static Hostile with(String name, String field, String value) {
            var lines = complete();
            lines.addAll(List.of(field, value));
            return new Hostile(name, List.of(MALFORMED), lines, List.of(), List.of());
        }

        /** A valid request with another value of a pseudo-field; without it if null. */
        static Hostile pseudo(String name, String field, String... value) {
            var lines = complete();
            int at = lines.indexOf(field);
            lines.remove(at + 1);
            lines.remove(at);
            if (value.length > 0) {
                lines.addAll(at, List.of(field, value[0]));
            }
            return new Hostile(name, List.of(MALFORMED), lines, List.of(), List.of());
        }

        Hostile and(String... more) {
            var all = new ArrayList<>(lines);
            all.addAll(List.of(more));
            return new Hostile(name, expected, all, body, trailers);
        }

        Hostile first(String... more) {
            var all = new ArrayList<>(List.of(more));
            all.addAll(lines);
            return new Hostile(name, expected, all, body, trailers);
        }

        Hostile body(String... pieces) {
            var posted = new ArrayList<>(lines);
            posted.set(1, "POST");
            return new Hostile(name, expected, posted, List.of(pieces), trailers);
        }

        Hostile trailers(String... more) {
            return new Hostile(name, expected, lines, body, List.of(more));
        }

        Hostile expecting(String... outcomes) {
            return new Hostile(name, List.of(outcomes), lines, body, trailers);
        }

        Http2Stream send(Http2Wire wire) throws IOException {
            var block = new FieldBlock();
            for (int i = 0; i < lines.size(); i += 2) {
                var value = lines.get(i + 1).replace("OTHER", other(wire));
                block.literal(lines.get(i), value.replace("SCHEME", wire.scheme()));
            }
            boolean isComplete = body.isEmpty() && trailers.isEmpty();
            var stream = wire.open(block.bytes(), isComplete);
            try {
                for (int i = 0; i < body.size(); i++) {
                    // The server has acted on all before.
                    wire.ping();
                    boolean isLast = i == body.size() - 1 && trailers.isEmpty();
                    stream.send(body.get(i).getBytes(US_ASCII), isLast);
                }
                if (!trailers.isEmpty()) {
                    stream.trailers(trailers.toArray(String[]::new));
                }
            } catch (IOException refused) {
                // The server may refuse it before its end.
            }
            return stream;
        }

        private static String other(Http2Wire wire) {
            return wire.scheme().equals("http") ? "https" : "http";
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Hostile> names() {
        return List.of(
                Hostile.with("upper case", "X-Upper", "1"),
                Hostile.with("blank in a name", "x a", "1"),
                Hostile.with("colon in a name", "x:a", "1"),
                Hostile.with("colon at the end of a name", "x:", "1"),
                Hostile.with("CR in a name", "x\ra", "1"),
                Hostile.with("LF in a name", "x\na", "1"),
                Hostile.with("a line in a name", "x: 1\r\nhost: evil.example\r\ny", "1"),
                Hostile.with("NUL in a name", "x\0a", "1"),
                Hostile.with("empty name", "", "1"),
                Hostile.with("DEL in a name", "x\u007f", "1"),
                Hostile.with("high byte in a name", "x\u00ff", "1"),
                Hostile.with("parenthesis in a name", "x(a)", "1"));
    }

    private static List<Hostile> values() {
        return List.of(
                Hostile.with("CR in a value", "x-a", "1\r2"),
                Hostile.with("LF in a value", "x-a", "1\n2"),
                Hostile.with("a line in a value", "x-a", "1\r\nx-b: 2"),
                Hostile.with("a request in a value", "x-a", "1\r\n\r\nGET /smuggled HTTP/1.1\r\n"),
                Hostile.with("NUL in a value", "x-a", "1\0002"),
                Hostile.with("leading blank", "x-a", " 1"),
                Hostile.with("trailing blank", "x-a", "1 "),
                Hostile.with("leading tab", "x-a", "\t1"),
                Hostile.with("trailing tab", "x-a", "1\t"));
    }

    private static List<Hostile> ofConnection() {
        return List.of(
                Hostile.with("chunked", "transfer-encoding", "chunked"),
                Hostile.with("chunked body", "transfer-encoding", "chunked")
                        .body("0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"),
                Hostile.with("connection", "connection", "close"),
                Hostile.with("connection names a field", "connection", "x-a").and("x-a", "1"),
                Hostile.with("keep-alive", "keep-alive", "timeout=5"),
                Hostile.with("proxy-connection", "proxy-connection", "close"),
                Hostile.with("upgrade", "upgrade", "websocket"),
                Hostile.with("te gzip", "te", "gzip"),
                Hostile.with("te trailers and gzip", "te", "trailers, gzip"));
    }

    private static List<Hostile> lengths() {
        return List.of(
                Hostile.with("length without a body", "content-length", "5"),
                Hostile.with("length too large", "content-length", "5").body("abc"),
                Hostile.with("length too small", "content-length", "5").body("abc", "defg"),
                Hostile.with("length 0 with a body", "content-length", "0")
                        .body("GET /smuggled HTTP/1.1\r\n\r\n"),
                Hostile.with("length reached before the end", "content-length", "3")
                        .body("abc", "GET /smuggled HTTP/1.1\r\n\r\n"),
                Hostile.with("two lengths", "content-length", "3")
                        .and("content-length", "5")
                        .body("abc"),
                Hostile.with("the same length twice", "content-length", "3")
                        .and("content-length", "3")
                        .body("abc")
                        .expecting(MALFORMED, "400"),
                Hostile.with("list of lengths", "content-length", "3, 3")
                        .body("abc")
                        .expecting(MALFORMED, "400"),
                Hostile.with("sign in a length", "content-length", "+3").body("abc"),
                Hostile.with("length in hex", "content-length", "0x3").body("abc"),
                Hostile.with("length over 64 bits", "content-length", "18446744073709551619")
                        .body("abc"),
                Hostile.with("length too large before trailers", "content-length", "5")
                        .body("abc")
                        .trailers("x-a", "1"));
    }

    private static List<Hostile> pseudoFields() {
        return List.of(
                Hostile.pseudo("blank in the path", ":path", "/a b"),
                Hostile.pseudo("a request in the path", ":path", "/a HTTP/1.1\r\nhost: evil\r\n"),
                Hostile.pseudo("path without a slash", ":path", "a"),
                Hostile.pseudo("empty path", ":path", ""),
                Hostile.pseudo("absolute path", ":path", "http://evil.example/"),
                Hostile.pseudo("fragment in the path", ":path", "/a#b"),
                Hostile.pseudo("NUL in the path", ":path", "/\0"),
                Hostile.pseudo("asterisk without OPTIONS", ":path", "*")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("no path", ":path"),
                Hostile.with("two paths", ":path", "/b").expecting(MALFORMED),
                Hostile.pseudo("no method", ":method"),
                Hostile.pseudo("blank in the method", ":method", "GET /x HTTP/1.1\r\nx:"),
                Hostile.pseudo("empty method", ":method", ""),
                Hostile.pseudo("two methods", ":method", "GET").first(":method", "POST"),
                Hostile.pseudo("no scheme", ":scheme"),
                Hostile.pseudo("scheme of the other transport", ":scheme", "OTHER")
                        .expecting(MALFORMED, "400", "421"),
                Hostile.pseudo("a URL as the scheme", ":scheme", "http://evil.example/?")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("two schemes", ":scheme", "SCHEME").first(":scheme", "SCHEME"),
                Hostile.with("unknown pseudo-field", ":x", "1"),
                Hostile.with("status of a response", ":status", "200"),
                Hostile.pseudo("pseudo-field after a field", ":path").and("x-a", "1", ":path", "/"),
                Hostile.pseudo("protocol without CONNECT", ":method", "GET")
                        .and(":protocol", "websocket"),
                Hostile.pseudo("CONNECT with a path", ":method", "CONNECT")
                        .expecting(MALFORMED, "405"));
    }

    private static List<Hostile> hosts() {
        return List.of(
                Hostile.with("host of another site", "host", "evil.example")
                        .expecting(MALFORMED, "400"),
                Hostile.with("two hosts", "host", "site.example")
                        .and("host", "evil.example")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("userinfo", ":authority", "evil@site.example")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("a line in the authority", ":authority", "site.example\r\nx: 1")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("path in the authority", ":authority", "site.example/evil")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("no authority and no host", ":authority")
                        .expecting(MALFORMED, "400"),
                Hostile.pseudo("two authorities", ":authority", "site.example")
                        .first(":authority", "evil.example"));
    }

    private static List<Hostile> trailers() {
        return List.of(
                Hostile.with("pseudo-field in trailers", "x-a", "1")
                        .body("abc")
                        .trailers(":path", "/evil"),
                Hostile.with("upper case in trailers", "x-a", "1")
                        .body("abc")
                        .trailers("X-Upper", "1"),
                Hostile.with("a line in trailers", "x-a", "1")
                        .body("abc")
                        .trailers("x-b", "1\r\nhost: evil.example"),
                Hostile.with("transfer-encoding in trailers", "x-a", "1")
                        .body("abc")
                        .trailers("transfer-encoding", "chunked"));
    }

    static Stream<Arguments> requests() {
        return Stream.of(
                        names(),
                        values(),
                        ofConnection(),
                        lengths(),
                        pseudoFields(),
                        hosts(),
                        trailers())
                .flatMap(List::stream)
                .flatMap(one ->
                        Arrays.stream(Transport.values()).map(way -> Arguments.of(one, way)));
    }

    @ParameterizedTest(name = "{0} over {1}")
    @MethodSource("requests")
    void originSeesNothing(Hostile hostile, Transport way) throws Exception {
        edge.origin().forget();
        try (var wire = edge.connect(way)) {
            var outcome = hostile.send(wire).outcome();
            var after = wire.get("/after").outcome();
            edge.proxy().awaitNoFetch();

            assertThat(outcome).isIn(hostile.expected());
            assertThat(after).as("the next request").isEqualTo("200");
            assertThat(edge.origin().requests())
                    .filteredOn(ReceivedRequest::isWhole)
                    .extracting(ReceivedRequest::target)
                    .containsExactly("/after");
        }
    }

    @ParameterizedTest
    @EnumSource
    void emptyBodyMayEndLater(Transport way) throws Exception {
        edge.origin().forget();
        try (var wire = edge.connect(way)) {
            var stream = wire.begin("POST", "/empty", "content-length", "0");
            wire.ping();
            stream.send(new byte[0], true);

            assertThat(stream.text()).isEqualTo("seen");
        }
        assertThat(edge.origin().awaitRequest("/empty").awaitWhole().body().length()).isZero();
    }
}
