package dev.quire.it;

import static dev.quire.it.Answers.privately;
import static dev.quire.proxy.listen.RefusalReason.AMBIGUOUS_LENGTH;
import static dev.quire.proxy.listen.RefusalReason.AUTHORITY_MISMATCH;
import static dev.quire.proxy.listen.RefusalReason.BAD_CHUNK;
import static dev.quire.proxy.listen.RefusalReason.BAD_CONNECTION;
import static dev.quire.proxy.listen.RefusalReason.BAD_CONTENT_LENGTH;
import static dev.quire.proxy.listen.RefusalReason.BAD_FIELD_NAME;
import static dev.quire.proxy.listen.RefusalReason.BAD_FIELD_VALUE;
import static dev.quire.proxy.listen.RefusalReason.BAD_HOST;
import static dev.quire.proxy.listen.RefusalReason.BAD_METHOD;
import static dev.quire.proxy.listen.RefusalReason.BAD_PSEUDO_FIELD;
import static dev.quire.proxy.listen.RefusalReason.BAD_REQUEST_LINE;
import static dev.quire.proxy.listen.RefusalReason.BAD_SCHEME;
import static dev.quire.proxy.listen.RefusalReason.BAD_START;
import static dev.quire.proxy.listen.RefusalReason.BAD_TARGET;
import static dev.quire.proxy.listen.RefusalReason.BAD_TRAILERS;
import static dev.quire.proxy.listen.RefusalReason.BAD_TRANSFER_ENCODING;
import static dev.quire.proxy.listen.RefusalReason.BAD_VERSION;
import static dev.quire.proxy.listen.RefusalReason.BAD_WEBSOCKET;
import static dev.quire.proxy.listen.RefusalReason.BARE_CR;
import static dev.quire.proxy.listen.RefusalReason.BARE_LF;
import static dev.quire.proxy.listen.RefusalReason.BODY_CUT;
import static dev.quire.proxy.listen.RefusalReason.CONNECTION_FIELD;
import static dev.quire.proxy.listen.RefusalReason.DOT_SEGMENT;
import static dev.quire.proxy.listen.RefusalReason.EARLY_TUNNEL_BYTES;
import static dev.quire.proxy.listen.RefusalReason.FIELD_NAME_TOO_LONG;
import static dev.quire.proxy.listen.RefusalReason.FIELD_TOO_LONG;
import static dev.quire.proxy.listen.RefusalReason.HEAD_TIMEOUT;
import static dev.quire.proxy.listen.RefusalReason.HEAD_TOO_LONG;
import static dev.quire.proxy.listen.RefusalReason.LENGTH_AND_CODING;
import static dev.quire.proxy.listen.RefusalReason.LOOP;
import static dev.quire.proxy.listen.RefusalReason.METHOD_NOT_ALLOWED;
import static dev.quire.proxy.listen.RefusalReason.METHOD_TOO_LONG;
import static dev.quire.proxy.listen.RefusalReason.NOT_COVERED;
import static dev.quire.proxy.listen.RefusalReason.NOT_ONE_HOST;
import static dev.quire.proxy.listen.RefusalReason.NO_DEFAULT_HOST;
import static dev.quire.proxy.listen.RefusalReason.OBS_FOLD;
import static dev.quire.proxy.listen.RefusalReason.REQUEST_LINE_TOO_LONG;
import static dev.quire.proxy.listen.RefusalReason.TOO_MANY_FIELDS;
import static dev.quire.proxy.listen.RefusalReason.UNKNOWN_EXPECTATION;
import static dev.quire.proxy.listen.RefusalReason.UNKNOWN_PROTOCOL;
import static dev.quire.proxy.listen.RefusalReason.UNKNOWN_TRANSFER_CODING;
import static dev.quire.proxy.listen.RefusalReason.UNREADABLE_HEAD;
import static dev.quire.proxy.listen.RefusalReason.UNSUPPORTED_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.listen.RefusalReason;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The responses to requests that are refused before they are routed. */
class RefusalsIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The place of the line with Accept in a request. */
    private static final String ACCEPT = "{accept}";

    private static final String MARKUP = "<script>alert(1)</script>";

    @TempDir static Path directory;

    private static final Origin ORIGIN = Origin.start();
    private static RunningProxy proxy;

    /** A form of the response. */
    enum Form {
        HTML(
                "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n",
                "text/html; charset=utf-8",
                "default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='",
                "(?s)<!doctype html>\n.*<code>([0-9A-Z]{26})</code>.*</html>\n"),
        PROBLEM(
                "Accept: application/json\r\n",
                "application/problem+json",
                "default-src 'none'",
                "\\{\"title\":\"[^\"]+\",\"status\":[0-9]{3},\"detail\":\"[^\"]+\","
                        + "\"requestId\":\"([0-9A-Z]{26})\"}\n"),
        TEXT(
                "",
                "text/plain; charset=utf-8",
                "default-src 'none'",
                "[^\n]+\nRequest id: ([0-9A-Z]{26})\n");

        private final String accept;
        private final String type;
        private final String policy;
        private final Pattern body;

        Form(String accept, String type, String policy, String body) {
            this.accept = accept;
            this.type = type;
            this.policy = policy;
            this.body = Pattern.compile(body);
        }

        /** Checks a response in this form and returns the id in it. */
        String idIn(Response response) {
            assertThat(response.field("Content-Type")).isEqualTo(type);
            assertThat(response.field("Content-Security-Policy")).matches(policy);
            assertThat(response.field("Cache-Control")).isEqualTo("no-store");
            assertThat(response.field("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(response.field("Date")).isNotNull();
            assertThat(response.text()).matches(body);
            var found = body.matcher(response.text());
            assertThat(found.find()).isTrue();
            return found.group(1);
        }
    }

    /** A request that is refused. */
    record Refused(RefusalReason reason, int status, boolean closes, String bytes) {
        @Override
        public String toString() {
            return status + " " + reason;
        }
    }

    @BeforeAll
    static void start() {
        ORIGIN.on("/a", privately("a"));
        proxy =
                RunningProxy.inFrontOf(ORIGIN)
                        .with("log", "{ access: \"%s\" }".formatted(log()))
                        .with("trusted", "[127.0.0.2/32]")
                        .with(
                                "limits",
                                "{ request-line: 1KiB, field: 2KiB, head: 4KiB, fields: 16 }")
                        .start();
    }

    @AfterAll
    static void stop() {
        proxy.close();
        ORIGIN.close();
    }

    static Stream<Refused> refused() {
        var rest = ACCEPT + "Host: h\r\n\r\n";
        var get = "GET /a HTTP/1.1\r\n" + ACCEPT;
        var post = "POST /a HTTP/1.1\r\n" + ACCEPT + "Host: h\r\n";
        var whole = get + "Host: h\r\n";
        return Stream.of(
                row(
                        REQUEST_LINE_TOO_LONG,
                        414,
                        "GET /" + "a".repeat(1100) + " HTTP/1.1\r\n" + rest),
                row(FIELD_TOO_LONG, 431, whole + "X: " + "a".repeat(2100)),
                row(FIELD_NAME_TOO_LONG, 431, whole + "X".repeat(1100) + ": x\r\n\r\n"),
                row(HEAD_TOO_LONG, 431, whole + ("X: " + "a".repeat(1900) + "\r\n").repeat(3)),
                row(TOO_MANY_FIELDS, 431, whole + "X: x\r\n".repeat(16) + "\r\n"),
                row(BARE_LF, 400, "GET /a HTTP/1.1\n" + rest),
                row(BARE_CR, 400, whole + "X: y\rZ: z\r\n\r\n"),
                row(BAD_START, 400, " " + whole + "\r\n"),
                row(BAD_REQUEST_LINE, 400, "GET  /a HTTP/1.1\r\n" + rest),
                row(BAD_REQUEST_LINE, 400, "G\u00ffT /a HTTP/1.1\r\n" + rest),
                row(BAD_VERSION, 400, "GET /a HTTQ/1.1\r\n" + rest),
                row(UNSUPPORTED_VERSION, 505, "GET /a HTTP/3.0\r\n" + rest),
                row(OBS_FOLD, 400, whole + "X: y\r\n z\r\n\r\n"),
                row(BAD_FIELD_NAME, 400, whole + "X : y\r\n\r\n"),
                row(BAD_FIELD_NAME, 400, whole + ": y\r\n\r\n"),
                row(BAD_FIELD_VALUE, 400, whole + "X: \u0000\r\n\r\n"),
                row(METHOD_TOO_LONG, 501, "A".repeat(33) + " /a HTTP/1.1\r\n" + rest),
                row(
                        METHOD_NOT_ALLOWED,
                        405,
                        "CONNECT h:443 HTTP/1.1\r\n" + ACCEPT + "Host: h:443\r\n\r\n"),
                kept(METHOD_NOT_ALLOWED, 405, "TRACE /a HTTP/1.1\r\n" + rest),
                kept(METHOD_NOT_ALLOWED, 405, "PURGE /a HTTP/1.1\r\n" + rest),
                row(
                        LENGTH_AND_CODING,
                        400,
                        post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
                row(
                        BAD_CONTENT_LENGTH,
                        400,
                        post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na"),
                row(BAD_CONTENT_LENGTH, 400, post + "Content-Length: +1\r\n\r\n"),
                row(
                        BAD_TRANSFER_ENCODING,
                        400,
                        post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
                row(UNKNOWN_TRANSFER_CODING, 501, post + "Transfer-Encoding: gzip\r\n\r\n"),
                row(
                        AMBIGUOUS_LENGTH,
                        400,
                        whole
                                + "Connection: Upgrade\r\nUpgrade: WebSocket\r\n"
                                + "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n12345678"),
                row(NO_DEFAULT_HOST, 400, "GET /a HTTP/1.0\r\n" + ACCEPT + "\r\n"),
                row(NOT_ONE_HOST, 400, get + "\r\n"),
                row(NOT_ONE_HOST, 400, whole + "Host: h\r\n\r\n"),
                row(BAD_HOST, 400, get + "Host: u@h\r\n\r\n"),
                row(BAD_HOST, 400, get + "Host: <h>\r\n\r\n"),
                row(BAD_TARGET, 400, "GET /a\\b HTTP/1.1\r\n" + rest),
                row(DOT_SEGMENT, 400, "GET /a/%2e%2e HTTP/1.1\r\n" + rest),
                row(BAD_CONNECTION, 400, whole + "Connection: Host\r\n\r\n"),
                kept(UNKNOWN_EXPECTATION, 417, whole + "Expect: 200-ok\r\n\r\n"),
                row(UNKNOWN_EXPECTATION, 417, post + "Expect: 200-ok\r\nContent-Length: 5\r\n\r\n"),
                kept(LOOP, 508, whole + "CDN-Loop: quire\r\n\r\n"),
                row(
                        EARLY_TUNNEL_BYTES,
                        400,
                        whole
                                + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                + "Sec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nx"));
    }

    private static Refused row(RefusalReason reason, int status, String bytes) {
        return new Refused(reason, status, true, bytes);
    }

    /** A request after which the connection stays open. */
    private static Refused kept(RefusalReason reason, int status, String bytes) {
        return new Refused(reason, status, false, bytes);
    }

    @Test
    void everyReasonWithAResponseIsListed() {
        assertThat(refused().map(Refused::reason).collect(Collectors.toSet()))
                .isEqualTo(
                        EnumSet.complementOf(
                                EnumSet.of(
                                        // Found before by HeadScanner.
                                        BAD_METHOD,
                                        UNREADABLE_HEAD,
                                        // Below, with a time limit or by the exchange.
                                        HEAD_TIMEOUT,
                                        BAD_CHUNK,
                                        // The client has left.
                                        BODY_CUT,
                                        // Over TLS alone, by TlsIT.
                                        NOT_COVERED,
                                        // Of HTTP/2 alone.
                                        BAD_PSEUDO_FIELD,
                                        CONNECTION_FIELD,
                                        AUTHORITY_MISMATCH,
                                        BAD_SCHEME,
                                        BAD_TRAILERS,
                                        BAD_WEBSOCKET,
                                        UNKNOWN_PROTOCOL)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void responseHasTheFormThatIsAskedForAndTheIdOfItsLine(Refused refused) {
        for (var form : Form.values()) {
            try (var client = proxy.connect()) {
                client.send(refused.bytes().replace(ACCEPT, form.accept));
                var response = client.response();

                assertThat(response.status()).isEqualTo(refused.status());
                assertThat(response.field("Connection"))
                        .isEqualTo(refused.closes() ? "close" : null);
                assertThat(response.field("Allow"))
                        .isEqualTo(
                                refused.status() == 405
                                        ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
                                        : null);
                var line = lineOf(form.idIn(response));
                assertThat(line.get("status").intValue()).isEqualTo(refused.status());
                assertThat(line.get("bytes").intValue()).isEqualTo(response.text().length());
                assertThat(line.get("outcome").stringValue()).isEqualTo("refused");
                assertThat(line.get("reason").stringValue())
                        .isEqualTo(
                                refused.reason().name().toLowerCase(Locale.ROOT).replace('_', '-'));
                if (refused.closes()) {
                    client.awaitClosed();
                } else {
                    assertThat(client.get("/a").text()).isEqualTo("a");
                }
            }
        }
    }

    @Test
    void lateHeadIs408InTheFormThatItAskedForSoFar() {
        var begun = "GET /late HTTP/1.1\r\nHost: h\r\n";
        var clients = new ArrayList<HttpWire>();
        try {
            for (var form : Form.values()) {
                clients.add(proxy.connect().send(begun + form.accept));
            }
            clients.add(proxy.connect().send(begun + "Accept: text/html"));
            clients.add(proxy.connect().send("GET /la"));
            for (int i = 0; i < clients.size(); i++) {
                var response = clients.get(i).response();

                assertThat(response.status()).isEqualTo(408);
                assertThat(response.field("Connection")).isEqualTo("close");
                var line = lineOf(Form.values()[Math.min(i, 2)].idIn(response));
                assertThat(line.get("reason").stringValue()).isEqualTo("head-timeout");
                clients.get(i).awaitClosed();
            }
        } finally {
            clients.forEach(HttpWire::close);
        }
    }

    @ParameterizedTest
    @EnumSource
    void malformedAndLargeBodiesHaveTheSameForms(Form form) {
        var head = "POST /a HTTP/1.1\r\nHost: h\r\n" + form.accept;
        for (var bytes :
                List.of(
                        head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                        head + "Content-Length: 99999999999\r\n\r\n")) {
            try (var client = proxy.connect()) {
                var response = client.send(bytes).response();

                assertThat(response.status()).isEqualTo(bytes.contains("chunked") ? 400 : 413);
                assertThat(response.field("Connection")).isEqualTo("close");
                assertThat(lineOf(form.idIn(response)).get("status").intValue())
                        .isEqualTo(response.status());
                client.awaitClosed();
            }
        }
    }

    @Test
    void headGetsNoBodyAndTheNextResponseIsFound() {
        try (var client = proxy.connect()) {
            var head = client.request("HEAD", "/a", "Accept", "text/html", "Expect", "x");
            var response = head.response();

            assertThat(response.status()).isEqualTo(417);
            assertThat(response.field("Content-Type")).startsWith("text/html");
            assertThat(response.field("Content-Length")).isNotEqualTo("0");
            assertThat(client.get("/a").text()).isEqualTo("a");
        }
        try (var client = proxy.connect()) {
            assertThat(client.request("HEAD", "/a\\b").response().status()).isEqualTo(400);
            client.awaitClosed();
        }
    }

    @Test
    void clientOfHttp10IsToldThatItsConnectionStays() {
        try (var client = proxy.connect()) {
            client.send("TRACE /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n");

            assertThat(client.response().field("Connection")).isEqualTo("keep-alive");
            assertThat(client.get("/a").text()).isEqualTo("a");
        }
    }

    @Test
    void nothingOfTheRequestIsInTheResponse() {
        var accept = "Accept: text/html\r\n";
        for (var bytes :
                List.of(
                        MARKUP + " / HTTP/1.1\r\n" + accept + "\r\n",
                        "GET /" + MARKUP + "\\ HTTP/1.1\r\n" + accept + "Host: h\r\n\r\n",
                        "GET / HTTP/1.1\r\n" + accept + "Host: " + MARKUP + "\r\n\r\n",
                        "GET / " + MARKUP + "\r\n" + accept + "\r\n",
                        "GET / HTTP/1.1\r\n" + accept + MARKUP + ": x\r\n\r\n",
                        "GET / HTTP/1.1\r\n" + accept + "Accept: " + MARKUP + "\r\n\r\n",
                        "TRACE / HTTP/1.1\r\nHost: h\r\n"
                                + accept
                                + "X-Request-Id: "
                                + MARKUP
                                + "\r\n\r\n")) {
            for (var from : List.of("127.0.0.1", "127.0.0.2")) {
                try (var client = from(from)) {
                    var response = client.send(bytes).response();

                    assertThat(response.status()).isBetween(400, 405);
                    assertThat(response.text()).contains("<code>").doesNotContain("script");
                    assertThat(response.fields().toString()).doesNotContain("script");
                }
            }
        }
    }

    @Test
    void idOfATrustedPeerIsShownAndLogged() {
        var trace = "TRACE / HTTP/1.1\r\nHost: h\r\nX-Request-Id: edge-7.1\r\n\r\n";
        try (var peer = from("127.0.0.2");
                var client = proxy.connect()) {
            assertThat(peer.send(trace).response().text()).endsWith("\nRequest id: edge-7.1\n");
            assertThat(lineOf("edge-7.1").get("status").intValue()).isEqualTo(405);
            Form.TEXT.idIn(client.send(trace).response());
        }
    }

    /** A connection from an address of this host. */
    private static HttpWire from(String address) {
        var socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(address, 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return HttpWire.to(proxy.http(), socket);
    }

    private static Path log() {
        return directory.resolve("access.log");
    }

    /** Waits for the line with {@code id} in the access log. */
    private static JsonNode lineOf(String id) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            var found = find(id);
            if (found != null) {
                return found;
            }
            assertThat(System.nanoTime() - end).as("no line with the id %s", id).isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static @Nullable JsonNode find(String id) {
        try {
            var found =
                    (Files.exists(log()) ? Files.readAllLines(log()) : List.<String>of())
                            .stream()
                                    .filter(line -> line.endsWith("}") && line.contains(id))
                                    .map(JSON::readTree)
                                    .filter(line -> line.get("id").stringValue().equals(id))
                                    .toList();
            assertThat(found).as("lines with the id %s", id).hasSizeLessThan(2);
            return found.isEmpty() ? null : found.getFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
