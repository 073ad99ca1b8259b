package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trailer fields (RFC 9110 §6.5), as bytes on the wire. */
class TrailersIT {
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: %s\r\n\r\n";
    private static final String BODY = "5\r\nhello\r\n0\r\n";
    private static final String TRAILERS = "X-Sum: 1\r\nServer-Timing: db;dur=53\r\n";

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    private void answers(String cacheControl, String trailers) {
        origin.on("/a", Answer.raw(HEAD.formatted(cacheControl) + BODY + trailers + "\r\n"));
    }

    /** Sends {@code request} and returns everything that arrives until the proxy closes. */
    private String ask(String version, String fields) throws IOException {
        try (var socket = new Socket(proxy.http().getAddress(), proxy.http().getPort())) {
            var request =
                    "GET /a HTTP/%s\r\nHost: h\r\nConnection: close%s\r\n\r\n"
                            .formatted(version, fields);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "no-store, 'TE: trailers'",
        "no-store, 'TE: gzip, Trailers'",
        "max-age=60, 'TE: trailers'"
    })
    void passToClientsThatAcceptThem(String cacheControl, String te) throws Exception {
        answers(cacheControl, TRAILERS);

        assertThat(ask("1.1", ", TE\r\n" + te)).endsWith("\r\n" + BODY + TRAILERS + "\r\n");

        var request = origin.awaitRequest("/a");
        assertThat(request.field("TE")).isEqualTo("trailers");
        assertThat(request.field("Connection")).isEqualToIgnoringCase("te");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\nTE: gzip", "\r\nTE:"})
    void areDroppedForAllOthers(String te) throws Exception {
        answers("no-store", TRAILERS);

        assertThat(ask("1.1", te)).endsWith("\r\n" + BODY + "\r\n");
        assertThat(origin.awaitRequest("/a").field("TE")).isNull();
    }

    @Test
    void areDroppedForClientsOfHttp10() throws Exception {
        answers("no-store", TRAILERS);

        assertThat(ask("1.0", "\r\nTE: trailers")).endsWith("\r\n\r\nhello");
    }

    @Test
    void ofAStoredResponseAreNotStored() throws Exception {
        answers("max-age=60", TRAILERS);
        ask("1.1", ", TE\r\nTE: trailers");

        var hit = ask("1.1", ", TE\r\nTE: trailers");

        assertThat(hit).contains("Age: ").endsWith("\r\n\r\nhello").doesNotContain("X-Sum");
        assertThat(origin.requests("/a")).hasSize(1);
    }

    @Test
    void ofAPageAreDropped() throws Exception {
        origin.on(
                "/a",
                Answer.raw(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                + "Content-Type: text/html\r\n"
                                + "Surrogate-Control: content=\"ESI/1.0\"\r\n\r\n"
                                + BODY
                                + TRAILERS
                                + "\r\n"));

        assertThat(ask("1.1", ", TE\r\nTE: trailers")).endsWith("hello").doesNotContain("X-Sum");
    }

    @Test
    void thatCouldChangeTheResponseAreDropped() throws Exception {
        answers(
                "no-store",
                "Content-Length: 3\r\nTransfer-Encoding: chunked\r\nHost: evil\r\n"
                        + "Set-Cookie: a=b\r\nCache-Control: max-age=60\r\nVary: *\r\n"
                        + "Content-Type: text/html\r\nContent-Encoding: gzip\r\nLocation: /\r\n"
                        + "WWW-Authenticate: Basic\r\nAuthorization: Basic x\r\nAge: 3\r\n"
                        + "Surrogate-Control: max-age=3\r\nConnection: close\r\nTrailer: X\r\n"
                        + "Proxy-Authenticate: Basic\r\nX-Forwarded-For: ::1\r\n"
                        + "Access-Control-Allow-Origin: *\r\n"
                        + TRAILERS
                        + "Content-Digest: sha-256=:x:\r\n");

        assertThat(ask("1.1", ", TE\r\nTE: trailers"))
                .endsWith("\r\n" + BODY + TRAILERS + "Content-Digest: sha-256=:x:\r\n\r\n");
    }

    @Test
    void thatTheHeadNominatesAreDropped() throws Exception {
        origin.on(
                "/a",
                Answer.raw(
                        HEAD.formatted("no-store")
                                        .replace("\r\n\r\n", "\r\nConnection: X-Sum\r\n\r\n")
                                + BODY
                                + TRAILERS
                                + "\r\n"));

        assertThat(ask("1.1", ", TE\r\nTE: trailers"))
                .endsWith("\r\n" + BODY + "Server-Timing: db;dur=53\r\n\r\n");
    }

    @Test
    void ofARequestAreDropped() throws Exception {
        origin.on(
                "/a",
                request -> Answer.html(request.bodyBytes() + "").field("Connection", "close"));

        try (var client = proxy.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send("5\r\nhello\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n");
            assertThat(client.response().text()).isEqualTo("5");
        }

        var request = origin.awaitRequest("/a").awaitWhole();
        assertThat(request.fields().contains("X-Sum")).isFalse();
        assertThat(request.field("Host")).isEqualTo("h");
    }

    @ParameterizedTest
    @CsvSource({"Transfer-Encoding: chunked, true", "Content-Length: 5, false"})
    void ofARequestPassIfTheRouteNamesThem(String framing, boolean isChunked) throws Exception {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var naming =
                        RunningProxy.inFrontOf(
                                        URI.create("http://127.0.0.1:" + listening.getLocalPort()))
                                .with(
                                        "routes",
                                        "[{ origin: tested, trailers: [X-Sum, Server-Timing] }]")
                                .start();
                var client = naming.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: h\r\nTrailer: X-Sum\r\n" + framing + "\r\n\r\n");
            client.send(
                    isChunked ? BODY + "X-Sum: 1\r\nX-Other: 2\r\nHost: evil\r\n\r\n" : "hello");

            try (var origin = listening.accept()) {
                var received = received(origin, isChunked ? BODY + "X-Sum: 1\r\n\r\n" : "hello");
                origin.getOutputStream()
                        .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(ISO_8859_1));

                assertThat(received).doesNotContain("X-Other", "evil", "Trailer:");
                assertThat(client.response().status()).isEqualTo(204);
            }
        }
    }

    /** Reads from {@code connection} until it has sent {@code end}. */
    private static String received(Socket connection, String end) throws IOException {
        connection.setSoTimeout(10_000);
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n" + end) < 0) {
            int next = connection.getInputStream().read();
            if (next < 0) {
                throw new EOFException("expected " + end + " behind the head, found " + text);
            }
            text.append((char) next);
        }
        return text.toString();
    }
}
