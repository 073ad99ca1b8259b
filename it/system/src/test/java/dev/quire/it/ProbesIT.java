package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The listener for load balancers, supervisors and monitoring. */
class ProbesIT {
    private final InetSocketAddress probes = FreePort.address();
    private final Origin origin = Origin.start().on("/", fragment("hello"));
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .with(
                            "admin",
                            "{ address: \"127.0.0.1:0\", probes: \"127.0.0.1:%d\" }"
                                    .formatted(probes.getPort()))
                    .with("drain", "{ grace: 2s, timeout: 30s }")
                    .start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    /** Sends {@code head} and returns everything received until the end of the connection. */
    private String answer(String head) throws IOException {
        try (var socket = new Socket(probes.getAddress(), probes.getPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // HAProxy's "option httpchk" as it comes.
        "OPTIONS / HTTP/1.0, 200, ready",
        "OPTIONS * HTTP/1.0, 200, ready",
        "GET / HTTP/1.0, 200, ready",
        "HEAD /readyz HTTP/1.0, 200, ",
        "GET /readyz HTTP/1.0, 200, ready",
        "GET /healthz HTTP/1.0, 200, ok",
        "GET /readyz?from=balancer HTTP/1.0, 200, ready",
        "GET /v1/stats HTTP/1.0, 404, '404 expected /readyz, /healthz or /metrics'",
        "GET /v1/purge HTTP/1.0, 404, '404 expected /readyz, /healthz or /metrics'",
        "POST /readyz HTTP/1.0, 405, '405 expected GET, HEAD, OPTIONS'",
        "DELETE /v1/bans/1 HTTP/1.0, 405, '405 expected GET, HEAD, OPTIONS'"
    })
    void needsNeitherHostNorHttp11(String line, int status, String body) throws IOException {
        var answer = answer(line + "\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        assertThat(answer.substring(answer.indexOf("\r\n\r\n") + 4))
                .isEqualTo(body == null ? "" : body + "\n");
    }

    @Test
    void hostIsIgnoredAndTheAdminPortKeepsItsRules() {
        try (var client = HttpWire.to(probes)) {
            assertThat(client.get("/metrics", "Host", "10.0.0.7:9902").text())
                    .contains("quire_cache_bytes");
            assertThat(client.send("GET /readyz HTTP/1.1\r\n\r\n").response())
                    .extracting(Response::status)
                    .isEqualTo(200);
        }
        try (var client = HttpWire.to(proxy.admin())) {
            var refused = client.send("GET /readyz HTTP/1.1\r\nHost: news.example\r\n\r\n");
            assertThat(refused.response().status()).isEqualTo(403);
        }
    }

    @Test
    void bodiesAndLongHeadsAreRefused() throws IOException {
        assertThat(answer("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(answer("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"))
                .startsWith("HTTP/1.1 413 ");
        assertThat(answer("GET / HTTP/1.0\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ");
    }

    @Test
    void isNotReadyWhileTheProxyDrainsAndThenClosed() throws Exception {
        try (var client = HttpWire.to(probes)) {
            var draining = Thread.ofVirtual().start(proxy::drain);
            Operator.awaitDraining(proxy);

            assertThat(answer("OPTIONS / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 503 ");
            assertThat(client.get("/healthz").status()).isEqualTo(200);
            draining.join();
        }
    }
}
