package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** WebSockets of clients with TLS over HTTP/1.1 (wss). */
class SecureWebSocketIT {
    private static final int SECONDS = 10;
    private static final int LARGE = 300_000;

    private final WebSocketOrigin origin = new WebSocketOrigin();
    private final RunningProxy proxy =
            Http2Edge.listening(RunningProxy.inFrontOf(origin.url())).start();
    private final HttpClient client =
            HttpClient.newBuilder().sslContext(TestCertificate.shared().trusting()).build();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
        // Its close would wait for the WebSocket of a test that has failed.
        client.shutdownNow();
    }

    @Test
    void messagesPassInBothDirections() throws Exception {
        var url = URI.create("wss://127.0.0.1:" + proxy.https().getPort() + "/echo");
        var events = new Events();
        var socket =
                client.newWebSocketBuilder()
                        .header("Cookie", "a=1")
                        .buildAsync(url, events)
                        .get(SECONDS, TimeUnit.SECONDS);

        for (int i = 0; i < 3; i++) {
            socket.sendText("hello " + i, true).get(SECONDS, TimeUnit.SECONDS);
            assertThat(events.next()).isEqualTo("text hello " + i);
        }
        socket.sendPing(ByteBuffer.wrap(new byte[] {7})).get(SECONDS, TimeUnit.SECONDS);
        assertThat(events.next()).isEqualTo("pong 1");
        socket.sendText("x".repeat(LARGE), true).get(SECONDS, TimeUnit.SECONDS);
        assertThat(events.next()).isEqualTo("text " + "x".repeat(LARGE));
        assertThat(proxy.metric("quire_tunnels")).isEqualTo(1);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(SECONDS, TimeUnit.SECONDS);
        assertThat(events.next()).isEqualTo("close 1000 bye");

        Operator.awaitMetricAtMost(proxy, "quire_tunnels", 0);
        assertThat(origin.heads)
                .singleElement()
                .asString()
                .startsWith("GET /echo HTTP/1.1\r\n")
                .containsIgnoringCase("\r\nX-Forwarded-Proto: https\r\n")
                .containsIgnoringCase("\r\nCookie: a=1\r\n");
    }

    /** A half-close passes as close_notify (RFC 8446 §6.1), and the client may still send. */
    @Test
    void originThatSendsNoMoreStillReads() throws Exception {
        try (var socket = handshake("/ends-first")) {
            // To the end of what the origin sends.
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 101 ")
                    .endsWith("\r\n\r\nlast words");

            for (int i = 0; i < 200; i++) {
                socket.getOutputStream().write(new byte[1_000]);
            }
            socket.shutdownOutput();

            Operator.awaitMetricAtMost(proxy, "quire_tunnels", 0);
            ReloadableProxy.await(() -> origin.received.get() == 200_000, "all bytes");
        }
    }

    /** TLS answers close_notify with its own: nothing the origin sends would arrive. */
    @Test
    void clientThatEndsItsTlsEndsTheTunnel() throws Exception {
        try (var socket = handshake("/ticks")) {
            assertThat(new String(socket.getInputStream().readNBytes(13), ISO_8859_1))
                    .isEqualTo("HTTP/1.1 101 ");

            socket.shutdownOutput();

            Operator.awaitMetricAtMost(proxy, "quire_tunnels", 0);
        }
    }

    private Socket handshake(String path) throws IOException {
        var https = proxy.https();
        var socket =
                TestCertificate.shared()
                        .trusting()
                        .getSocketFactory()
                        .createSocket(https.getAddress(), https.getPort());
        socket.setSoTimeout(20_000);
        socket.getOutputStream()
                .write(
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                                .formatted(path)
                                .getBytes(ISO_8859_1));
        return socket;
    }

    /** One line for each event of the WebSocket. */
    private static final class Events implements WebSocket.Listener {
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        String next() throws InterruptedException {
            return String.valueOf(lines.poll(SECONDS, TimeUnit.SECONDS));
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean isLast) {
            text.append(data);
            if (isLast) {
                lines.add("text " + text);
                text.setLength(0);
            }
            socket.request(1);
            return CompletableFuture.completedStage(data);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            lines.add("pong " + message.remaining());
            socket.request(1);
            return CompletableFuture.completedStage(message);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            lines.add("close " + status + " " + reason);
            return CompletableFuture.completedStage(reason);
        }
    }
}
