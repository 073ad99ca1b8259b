package dev.quire.it;

import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.WireFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** 103 (Early Hints) and trailers over HTTP/2, as frames on the wire. */
class Http2InterimIT {
    private static final String LINK = "</a.css>; rel=preload; as=style";
    private static final String[] NAVIGATION = {"sec-fetch-mode", "navigate"};
    private static final String BODY = "5\r\nhello\r\n0\r\n";

    private final TestClock clock = TestClock.handSet();
    private final Http2Edge edge =
            new Http2Edge(
                    clock,
                    "routes",
                    "[ { path: \"/**\", origin: tested, hints: remember } ]",
                    "cache",
                    "{ memory: 16MiB, grace: 0s }");

    @AfterEach
    void stop() {
        edge.close();
    }

    private static String hinted(String fields) {
        return "HTTP/1.1 103 Early Hints\r\nLink: " + LINK + "\r\n" + fields + "\r\n";
    }

    private static List<String> lines(Fields fields) {
        var lines = new ArrayList<String>();
        fields.forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }

    private static void awaitInterim(Http2Stream stream) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (stream.interims().isEmpty()) {
            assertThat(System.nanoTime()).as("deadline of the 103").isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void hintsOfTheOriginPassToNavigations(Transport transport) throws Exception {
        edge.origin()
                .on(
                        "/a",
                        Answer.raw(
                                hinted("Set-Cookie: a=b\r\nX-Internal: 1\r\nConnection: close\r\n")
                                        + hinted("")
                                        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));

        try (var client = edge.connect(transport)) {
            var stream = client.get("/a", NAVIGATION);

            assertThat(stream.text()).isEqualTo("hello");
            assertThat(stream.interims())
                    .singleElement()
                    .satisfies(hint -> {
                        assertThat(hint.status()).isEqualTo(103);
                        assertThat(lines(hint.fields())).containsExactly("link: " + LINK);
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sec-fetch-mode: no-cors", "sec-fetch-dest: document"})
    void otherRequestsGetNone(String field) throws Exception {
        edge.origin()
                .on(
                        "/a",
                        Answer.raw(
                                hinted("") + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));

        try (var client = edge.connect(Transport.TLS)) {
            var fields = field.isEmpty() ? new String[0] : field.split(": ", 2);
            var stream = client.get("/a", fields);

            assertThat(stream.text()).isEqualTo("hello");
            assertThat(stream.interims()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rememberedLinksComeBeforeTheOriginAnswers(Transport transport) throws Exception {
        edge.origin()
                .on(
                        "/a",
                        Answer.html("whole")
                                .field("Cache-Control", "max-age=1")
                                .field("Link", LINK + ", </x>; rel=next"));
        try (var client = edge.connect(transport)) {
            assertThat(client.get("/a").text()).isEqualTo("whole");
        }
        clock.advance(Duration.ofSeconds(2));
        var held = edge.origin().hold("/a");

        try (var client = edge.connect(transport)) {
            var stream = client.get("/a", NAVIGATION);
            awaitInterim(stream);
            held.release();

            assertThat(stream.text()).isEqualTo("whole");
            assertThat(stream.interims()).hasSize(1);
            assertThat(stream.interims().getFirst().fields().all("link")).containsExactly(LINK);

            // The page is in the store: there is nothing to wait for.
            var hit = client.get("/a", NAVIGATION);
            assertThat(hit.text()).isEqualTo("whole");
            assertThat(hit.interims()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void trailersPassToClientsThatAcceptThem(Transport transport) throws Exception {
        trailers("X-Sum: 1\r\nServer-Timing: db;dur=53\r\nSet-Cookie: a=b\r\nAge: 3\r\n");

        try (var client = edge.connect(transport)) {
            var accepting = client.get("/a", "te", "trailers");
            assertThat(accepting.text()).isEqualTo("hello");
            assertThat(lines(accepting.trailers()))
                    .containsExactly("x-sum: 1", "server-timing: db;dur=53");

            var other = client.get("/a");
            assertThat(other.text()).isEqualTo("hello");
            assertThat(lines(other.trailers())).isEmpty();
        }
    }

    private void trailers(String fields) {
        edge.origin()
                .on(
                        "/a",
                        Answer.raw(
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                        + "Cache-Control: no-store\r\n\r\n"
                                        + BODY
                                        + fields
                                        + "\r\n"));
    }

    /** The block of trailers waits for the body, which waits for the window. */
    @Test
    void trailersComeAfterABodyThatTheClientTakesSlowly() throws Exception {
        trailers("X-Sum: 1\r\n");
        try (var client = edge.client(Transport.TLS).settings(4, 1).withoutWindowUpdates().open()) {
            var stream = client.get("/a", "te", "trailers");
            assertThat(stream.status()).isEqualTo(200);
            assertThat(lines(stream.trailers())).isEmpty();
            for (int i = 0; i < 4; i++) {
                stream.grant(1);
            }

            assertThat(stream.text()).isEqualTo("hello");
            assertThat(stream.trailers().first("x-sum")).isEqualTo("1");
        }
    }

    /** They leave with the last bytes, not with whatever is sent next. */
    @ParameterizedTest
    @EnumSource
    void trailersBehindAFullWindowLeaveAtOnce(Transport transport) throws Exception {
        var body = "x".repeat(70_000);
        edge.origin()
                .on(
                        "/a",
                        Answer.raw(
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                        + "Cache-Control: no-store\r\n\r\n"
                                        + Integer.toHexString(body.length())
                                        + "\r\n"
                                        + body
                                        + "\r\n0\r\nX-Sum: 1\r\n\r\n"));
        try (var client = edge.client(transport).withoutWindowUpdates().open()) {
            var stream = client.get("/a", "te", "trailers");
            assertThat(stream.status()).isEqualTo(200);
            // All of the response waits in the proxy for the window.
            edge.proxy().awaitNoFetch();
            Steady.value(client::received, () -> edge.proxy().get("/other"));
            client.send(WireFrame.windowUpdate(0, 1 << 20));
            long began = System.nanoTime();
            stream.grant(1 << 20);

            assertThat(stream.text()).isEqualTo(body);
            assertThat(System.nanoTime() - began).isLessThan(5_000_000_000L);
            assertThat(lines(stream.trailers())).containsExactly("x-sum: 1");
        }
    }

    @ParameterizedTest
    @CsvSource({"trailers: [x-sum], 'x-sum: 1\r\n'", "ttl: 0s, ''"})
    void trailersOfARequestPassOnlyIfTheRouteNamesThem(String key, String passed) throws Exception {
        try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var proxy =
                        Http2Edge.listening(
                                        RunningProxy.inFrontOf(
                                                URI.create(
                                                        "http://127.0.0.1:"
                                                                + listening.getLocalPort())))
                                .with("routes", "[ { origin: tested, " + key + " } ]")
                                .start();
                var client = Http2Edge.client(proxy, Transport.TLS).open()) {
            var stream = client.begin("POST", "/a");
            stream.send("hello".getBytes(ISO_8859_1), false);
            stream.trailers("x-sum", "1", "x-other", "2");

            try (var origin = listening.accept()) {
                origin.setSoTimeout(10_000);
                var received = received(origin, "\r\n0\r\n" + passed + "\r\n");
                origin.getOutputStream()
                        .write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(ISO_8859_1));

                assertThat(received)
                        .contains("\r\n\r\n5\r\nhello\r\n0\r\n")
                        .doesNotContainIgnoringCase("x-other");
                assertThat(stream.status()).isEqualTo(204);
            }
        }
    }

    /** Reads from {@code connection} until it has sent {@code end}. */
    private static String received(Socket connection, String end) throws IOException {
        var text = new StringBuilder();
        while (!text.toString().endsWith(end)) {
            int next = connection.getInputStream().read();
            if (next < 0) {
                throw new EOFException("expected " + end + " at the end of " + text);
            }
            text.append((char) next);
        }
        return text.toString();
    }

    /** Nothing of the origin's 103 reaches a page that waits for fragments. */
    @Test
    void hintsOfAFragmentDoNotPass() throws Exception {
        edge.origin()
                .on("/page", page("<" + include("/part") + ">"))
                .on(
                        "/part",
                        Answer.raw(
                                hinted("") + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npart"));

        try (var client = edge.connect(Transport.TLS)) {
            var stream = client.get("/page", NAVIGATION);

            assertThat(stream.text()).isEqualTo("<part>");
            assertThat(stream.interims()).extracting(ResponseHead::status).isEmpty();
        }
    }
}
