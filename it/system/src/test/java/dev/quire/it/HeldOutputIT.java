package dev.quire.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.TestCertificate;
import dev.quire.test.wire.internal.WireFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients that send many requests whose responses have only a head, and read nothing. The windows
 * of HTTP/2 do not limit heads (RFC 9113 §5.2.1).
 */
class HeldOutputIT {
    private static final long MOST_MEMORY = 16L << 20;
    private static final int FIELD_BYTES = 8_000;

    /** More than a client can send before its connection ends. Their responses have 160 GB. */
    private static final int REQUESTS = 20_000_000;

    private static final int BATCH = 200;
    private static final int TABLE_SIZE = 1;

    private final Http2Edge edge = new Http2Edge();

    @AfterEach
    void stop() {
        edge.close();
    }

    /** A request with a response that has no body. */
    enum Kind {
        HEAD,
        NOT_MODIFIED;

        String method() {
            return this == HEAD ? "HEAD" : "GET";
        }

        String condition() {
            return this == HEAD ? "x-unconditional" : "if-none-match";
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HEAD, H2C, true",
        "HEAD, TLS, true",
        "NOT_MODIFIED, H2C, true",
        "NOT_MODIFIED, TLS, true",
        "HEAD, H2C, false",
        "HEAD, TLS, false",
        "NOT_MODIFIED, H2C, false",
        "NOT_MODIFIED, TLS, false"
    })
    void clientThatReadsNoHeadsHoldsLittle(Kind kind, Transport transport, boolean isHttp2)
            throws Exception {
        edge.origin()
                .otherwise(request ->
                        Answer.html("body")
                                .field("Cache-Control", "max-age=600")
                                .field("ETag", "\"" + "x".repeat(FIELD_BYTES) + "\""));
        assertThat(edge.proxy().get("/a", "Host", "site.example").status()).isEqualTo(200);
        assertThat(edge.proxy().get("/other").text()).isEqualTo("body");
        Thread sending;
        try (var socket = connected(transport, isHttp2)) {
            ask();
            long before = Memory.used();
            var sent = new AtomicLong();

            sending = Thread.ofPlatform().start(() -> flood(socket, kind, isHttp2, sent));
            // Until the proxy reads no more, or has closed the connection.
            Steady.value(sent::get, this::ask);
            long more = Memory.used() - before;

            Figure.print(
                    "heads",
                    "memory after %d requests %s, %s, %s"
                            .formatted(
                                    sent.get(), kind, transport, isHttp2 ? "HTTP/2" : "HTTP/1.1"),
                    more / 1024 + " KiB",
                    MOST_MEMORY / 1024 + " KiB");
            assertThat(sent.get()).isLessThan(REQUESTS);
            assertThat(more).isLessThan(MOST_MEMORY);
            ask();
        }
        sending.join();
        Operator.awaitMetricAtMost(edge.proxy(), "quire_requests_active", 0);
    }

    /** Another client. */
    private void ask() {
        assertThat(edge.proxy().get("/other").text()).isEqualTo("body");
    }

    private Socket connected(Transport transport, boolean isHttp2) throws IOException {
        var plain = new Socket();
        // The kernel holds little for it.
        plain.setReceiveBufferSize(4096);
        plain.setSendBufferSize(64 * 1024);
        var address = edge.address(transport);
        plain.connect(address);
        return transport == Transport.TLS ? secured(plain, address, isHttp2) : plain;
    }

    private static SSLSocket secured(Socket plain, InetSocketAddress address, boolean isHttp2)
            throws IOException {
        var socket =
                (SSLSocket)
                        TestCertificate.shared()
                                .trusting()
                                .getSocketFactory()
                                .createSocket(
                                        plain, address.getHostString(), address.getPort(), true);
        var parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {isHttp2 ? "h2" : "http/1.1"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static void flood(Socket socket, Kind kind, boolean isHttp2, AtomicLong sent) {
        try {
            var out = socket.getOutputStream();
            var request = isHttp2 ? begun(out, kind, scheme(socket)) : http1(kind);
            for (int i = 0; i < REQUESTS; i += BATCH) {
                var batch = new ByteArrayOutputStream();
                for (int j = i; j < i + BATCH; j++) {
                    batch.writeBytes(
                            isHttp2
                                    ? WireFrame.headers(1 + 2 * j, request, true).bytes()
                                    : request);
                }
                out.write(batch.toByteArray());
                sent.addAndGet(BATCH);
            }
        } catch (IOException ended) {
            // By the proxy or by the test.
            return;
        }
    }

    private static String scheme(Socket socket) {
        return socket instanceof SSLSocket ? "https" : "http";
    }

    /** Begins HTTP/2, without a table of fields; returns the block of a request. */
    private static byte[] begun(OutputStream out, Kind kind, String scheme) throws IOException {
        var first = new ByteArrayOutputStream();
        first.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
        first.writeBytes(WireFrame.settings(TABLE_SIZE, 0).bytes());
        first.writeBytes(WireFrame.settingsAck().bytes());
        out.write(first.toByteArray());
        return FieldBlock.request(
                kind.method(), scheme, "site.example", "/a", kind.condition(), "*");
    }

    private static byte[] http1(Kind kind) {
        return "%s /a HTTP/1.1\r\nHost: site.example\r\n%s: *\r\n\r\n"
                .formatted(kind.method(), kind.condition())
                .getBytes(US_ASCII);
    }
}
