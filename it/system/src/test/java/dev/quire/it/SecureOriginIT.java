package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins over https, and at Unix sockets. */
class SecureOriginIT {
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecure";

    @TempDir private Path directory;
    private Certificates certificates;

    @BeforeEach
    void start() throws Exception {
        certificates = new Certificates(directory);
    }

    /** Answers each connection once. */
    private static final class SecureOrigin implements AutoCloseable {
        private final SSLContext context = SSLContext.getInstance("TLS");
        private final ServerSocket listening;
        private final String version;
        private final boolean asksClients;
        private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
        private volatile String answer = ANSWER;
        private volatile boolean isCut;

        SecureOrigin(X509Bundle certificate, String version, boolean asksClients) throws Exception {
            this.version = version;
            this.asksClients = asksClients;
            context.init(
                    certificate.toKeyManagerFactory().getKeyManagers(),
                    new TrustManager[] {certificate.toTrustManager()},
                    null);
            listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(this::serve);
        }

        String url(String host) {
            return "https://" + host + ":" + listening.getLocalPort();
        }

        private void serve() {
            while (!listening.isClosed()) {
                try (var plain = listening.accept();
                        var socket =
                                (SSLSocket)
                                        context.getSocketFactory()
                                                .createSocket(plain, null, plain.getPort(), true)) {
                    socket.setUseClientMode(false);
                    socket.setEnabledProtocols(new String[] {version});
                    socket.setNeedClientAuth(asksClients);
                    answer(socket);
                    if (isCut) {
                        // The end of the connection, without close_notify.
                        plain.shutdownOutput();
                        plain.getInputStream().read();
                    }
                } catch (IOException refused) {
                    seen.add("refused");
                }
            }
        }

        private void answer(SSLSocket socket) throws IOException {
            socket.setSoTimeout(5_000);
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    return;
                }
                head.append((char) next);
            }
            var session = (ExtendedSSLSession) socket.getSession();
            seen.add(
                    session.getRequestedServerNames()
                            + " session "
                            + session.getCreationTime()
                            + (asksClients
                                    ? " client " + session.getPeerPrincipal().getName()
                                    : ""));
            socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
            socket.getOutputStream().flush();
        }

        @Override
        public void close() throws IOException {
            listening.close();
        }
    }

    private ReloadableProxy proxy(String url, String keys) throws Exception {
        return ReloadableProxy.start(directory, yaml(url, keys));
    }

    private static String yaml(String url, String keys) {
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        cache: { memory: 64MiB }
        origins: { o: { urls: ["%s"]%s } }
        routes: [ { path: "/**", origin: o, ttl: 0s } ]
        """
                .formatted(url, keys);
    }

    @Test
    void anOriginWithTheRightCertificateIsBelieved() throws Exception {
        try (var origin = origin(certificates.server(false, "localhost"));
                var proxy = proxy(origin.url("localhost"), ", tls: { ca: ca.pem }")) {
            assertThat(proxy.ask("/metrics").text())
                    .containsPattern("quire_origin_tls_handshakes_total\\{[^}]*completed[^}]*} 0")
                    .containsPattern("quire_origin_tls_handshakes_total\\{[^}]*failed[^}]*} 0");
            assertThat(proxy.get("/").text()).isEqualTo("secure");
            assertThat(proxy.ask("/metrics").text())
                    .containsPattern("quire_origin_tls_handshakes_total\\{[^}]*completed[^}]*} 1");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "other.test, false, ca.pem, its certificate is for other names",
        "localhost, true, ca.pem, 'its certificate, or one of its chain, has expired'",
        "localhost, false, '', its certificate is not issued by a known authority"
    })
    void anOriginWithAnotherCertificateIsNotAsked(
            String name, boolean isExpired, String authority, String why) throws Exception {
        var certificate = isExpired ? certificates.expired(name) : certificates.server(false, name);
        var keys = authority.isEmpty() ? "" : ", tls: { ca: " + authority + " }";
        try (var origin = origin(certificate);
                var proxy = proxy(origin.url("localhost"), keys)) {
            assertThat(proxy.get("/").status()).isEqualTo(502);
            assertThat(origin.seen).allMatch("refused"::equals);
            assertThat(proxy.ask("/v1/stats").text()).contains("failed: " + why);
        }
    }

    @Test
    void withoutVerificationAnyCertificateIsBelieved() throws Exception {
        try (var origin = origin(certificates.expired("other.test"));
                var proxy = proxy(origin.url("localhost"), ", tls: { verify: none }")) {
            assertThat(proxy.get("/").text()).isEqualTo("secure");
            assertThat(proxy.ask("/v1/stats").text()).contains("\"tlsVerified\":false");
        }
    }

    @Test
    void theServerNameIsSentAndChecked() throws Exception {
        try (var origin = origin(certificates.server(false, "shop.internal"));
                var proxy =
                        proxy(
                                origin.url("127.0.0.1"),
                                ", tls: { ca: ca.pem, server-name: shop.internal }")) {
            assertThat(proxy.get("/").text()).isEqualTo("secure");
            assertThat(origin.seen.getFirst()).contains("shop.internal");
        }
    }

    @Test
    void anAddressIsCheckedToo() throws Exception {
        try (var origin = origin(certificates.server(false, "127.0.0.1"));
                var proxy = proxy(origin.url("127.0.0.1"), ", tls: { ca: ca.pem }")) {
            assertThat(proxy.get("/").text()).isEqualTo("secure");
            assertThat(origin.seen.getFirst()).startsWith("[]");
        }
    }

    @Test
    void theOwnCertificateIsShownWhenAsked() throws Exception {
        certificates.write("own", certificates.client("edge"));
        try (var origin =
                        new SecureOrigin(certificates.server(false, "localhost"), "TLSv1.3", true);
                var proxy =
                        proxy(
                                origin.url("localhost"),
                                ", tls: { ca: ca.pem, cert: own.pem, key: own.key }")) {
            assertThat(proxy.get("/").text()).isEqualTo("secure");
            assertThat(origin.seen.getFirst()).endsWith("client CN=edge");
        }
    }

    /** With TLS 1.3 the origin refuses when the handshake is complete for the proxy. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anOriginThatAsksForACertificateInVainIsNamed(String version) throws Exception {
        try (var origin = new SecureOrigin(certificates.server(false, "localhost"), version, true);
                var proxy = proxy(origin.url("localhost"), ", tls: { ca: ca.pem }")) {
            assertThat(proxy.get("/").status()).isEqualTo(502);

            assertThat(proxy.ask("/v1/stats").text())
                    .contains("failed: it refused the handshake: it may require a certificate");
            assertThat(proxy.ask("/metrics").text())
                    .containsPattern("quire_origin_tls_handshakes_total\\{[^}]*failed[^}]*} [1-9]");
        }
    }

    @Test
    void anOriginThatNeverAnswersTheHandshakeIsNamed() throws Exception {
        try (var listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                var proxy =
                        proxy(
                                "https://localhost:" + listening.getLocalPort(),
                                ", connect-timeout: 1s, retries: 0, tls: { ca: ca.pem }")) {
            assertThat(proxy.get("/").status()).isEqualTo(502);

            assertThat(proxy.ask("/v1/stats").text())
                    .contains("TLS handshake with https://localhost:")
                    .containsPattern("is not complete (within 1s|in its part of)");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreResumed(String version) throws Exception {
        try (var origin =
                        new SecureOrigin(certificates.server(false, "localhost"), version, false);
                var proxy = proxy(origin.url("localhost"), ", tls: { ca: ca.pem }")) {
            for (int i = 0; i < 8; i++) {
                assertThat(proxy.get("/").text()).isEqualTo("secure");
            }
            // Two loops, each with connections of its own, share the sessions.
            assertThat(origin.seen.stream().distinct().count()).isLessThan(5);
        }
    }

    /** RFC 9112 §9.8: without close_notify the end of the connection does not end a body. */
    @Test
    void aBodyThatIsCutOffIsNotTakenForComplete() throws Exception {
        try (var origin = origin(certificates.server(false, "localhost"));
                var proxy = proxy(origin.url("localhost"), ", tls: { ca: ca.pem }")) {
            origin.answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf";
            assertThat(proxy.get("/").text()).isEqualTo("half");

            origin.isCut = true;
            assertThatThrownBy(() -> proxy.get("/")).hasMessageContaining("half");
        }
    }

    /** RFC 9112 §6.3: they end with their heads, so there is nothing that could be cut off. */
    @Test
    void aResponseWithoutABodyIsComplete() throws Exception {
        try (var origin = origin(certificates.server(false, "localhost"));
                var proxy = proxy(origin.url("localhost"), ", retries: 0, tls: { ca: ca.pem }")) {
            origin.answer = "HTTP/1.1 204 No Content\r\n\r\n";
            assertThat(proxy.get("/").status()).isEqualTo(204);
            origin.answer = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n";
            assertThat(status(proxy, "GET", "If-None-Match", "\"a\"")).isEqualTo(304);
            for (var framing : List.of("", "Transfer-Encoding: chunked\r\n")) {
                origin.answer = "HTTP/1.1 200 OK\r\n" + framing + "\r\n";
                assertThat(status(proxy, "HEAD")).isEqualTo(200);
            }
        }
    }

    private static int status(ReloadableProxy proxy, String method, String... fields) {
        try (var client = proxy.connect()) {
            return client.request(method, "/", fields).response().status();
        }
    }

    @Test
    void aConnectionThatTheOriginHasEndedIsNotUsedAgain() throws Exception {
        try (var origin = origin(certificates.server(false, "localhost"));
                var proxy = proxy(origin.url("localhost"), ", retries: 0, tls: { ca: ca.pem }")) {
            // The origin closes after each response, without saying so in its head.
            origin.answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure";
            for (int i = 0; i < 20; i++) {
                assertThat(proxy.get("/").text()).isEqualTo("secure");
                ReloadableProxy.await(
                        () -> proxy.metric("quire_origin_connections{origin=\"o\"}").equals("0.0"),
                        "no open connection to the origin");
            }
        }
    }

    @Test
    void aWebSocketPassesToAnOriginWithTls() throws Exception {
        try (var origin = new WebSocketOrigin(certificates.serving("127.0.0.1"));
                var proxy = proxy(origin.url().toString(), ", tls: { ca: ca.pem }");
                var http = HttpClient.newHttpClient()) {
            var received = new LinkedBlockingQueue<String>();
            var listener =
                    new WebSocket.Listener() {
                        @Override
                        public @Nullable CompletionStage<?> onText(
                                WebSocket from, CharSequence text, boolean isLast) {
                            received.add(text + " " + isLast);
                            from.request(1);
                            return null;
                        }
                    };
            var url = URI.create("ws://127.0.0.1:" + port(proxy.addresses.http()) + "/echo");
            var socket =
                    http.newWebSocketBuilder().buildAsync(url, listener).get(10, TimeUnit.SECONDS);

            for (int i = 0; i < 3; i++) {
                socket.sendText("hello " + i, true).get(10, TimeUnit.SECONDS);
                assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("hello " + i + " true");
            }
            socket.abort();
        }
    }

    /** The end of the client's part passes as close_notify, and the origin may still answer. */
    @Test
    void aTunnelWhoseClientHasEndedPassesTheRestOfTheOrigin() throws Exception {
        try (var origin = new WebSocketOrigin(certificates.serving("127.0.0.1"));
                var proxy = proxy(origin.url().toString(), ", tls: { ca: ca.pem }");
                var client =
                        new Socket(
                                InetAddress.getLoopbackAddress(), port(proxy.addresses.http()))) {
            client.setSoTimeout(20_000);
            client.getOutputStream()
                    .write(
                            "GET /answers-at-the-end HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                                    .getBytes(ISO_8859_1));
            assertThat(client.getInputStream().read()).isEqualTo('H');
            client.getOutputStream().write(new byte[200_000]);
            client.shutdownOutput();

            var received = client.getInputStream().readAllBytes();

            assertThat(origin.received.get()).isEqualTo(200_000);
            assertThat(received).hasSizeGreaterThan(1 << 20).endsWith(new byte[1 << 20]);
        }
    }

    private static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }

    @Test
    void healthChecksUseTls() throws Exception {
        try (var origin = origin(certificates.server(false, "localhost"));
                var proxy =
                        proxy(
                                origin.url("localhost"),
                                ", tls: { ca: ca.pem }, health: { path: /, interval: 1s }")) {
            ReloadableProxy.await(
                    () -> proxy.ask("/v1/stats").text().contains("\"health\":\"up\""), "up");
        }
    }

    @Test
    void anotherAuthorityAppliesWithAReload() throws Exception {
        var others = new Certificates(Files.createDirectories(directory.resolve("others")));
        try (var origin = origin(others.server(false, "localhost"));
                var proxy = proxy(origin.url("localhost"), ", tls: { ca: ca.pem }")) {
            assertThat(proxy.get("/").status()).isEqualTo(502);

            proxy.write(yaml(origin.url("localhost"), ", tls: { ca: others/ca.pem }"));
            proxy.reload();

            assertThat(proxy.get("/").text()).isEqualTo("secure");
        }
    }

    @Test
    void anOriginWithoutTlsIsRefusedWithAReason() throws Exception {
        try (var listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
                var proxy =
                        proxy(
                                "https://localhost:" + listening.getLocalPort(),
                                ", tls: { ca: ca.pem }")) {
            Thread.ofVirtual().start(() -> answerWithoutTls(listening));

            assertThat(proxy.get("/").status()).isEqualTo(502);
            assertThat(proxy.ask("/v1/stats").text()).contains("TLS handshake with");
        }
    }

    private static void answerWithoutTls(ServerSocket listening) {
        try {
            while (true) {
                try (var client = listening.accept()) {
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(ISO_8859_1));
                }
            }
        } catch (IOException closed) {
            // The test has ended.
            return;
        }
    }

    @Test
    void anOriginAtAUnixSocketIsAsked() throws Exception {
        var path = directory.resolve("app.sock");
        try (var listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(path));
            Thread.ofVirtual().start(() -> answerOnce(listening));
            try (var proxy = proxy("unix:" + path, "")) {
                assertThat(proxy.get("/").text()).isEqualTo("secure");
            }
        }
    }

    private static void answerOnce(ServerSocketChannel listening) {
        try (var client = listening.accept()) {
            client.read(ByteBuffer.allocate(4096));
            client.write(ByteBuffer.wrap(ANSWER.getBytes(ISO_8859_1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SecureOrigin origin(X509Bundle certificate) throws Exception {
        return new SecureOrigin(certificate, "TLSv1.3", false);
    }
}
