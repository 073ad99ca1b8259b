package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.quire.test.wire.internal.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(20)
class BareServerTest {
    private static final InetSocketAddress ANYWHERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void piecesLeaveAsOneBodyAndAreMadeOnce() throws IOException {
        var made = new AtomicInteger();

        try (var server =
                BareServer.start(
                        ANYWHERE,
                        1,
                        target -> {
                            made.incrementAndGet();
                            return Optional.of(page());
                        })) {
            var first = ask(server, "/page");
            var second = ask(server, "/page");

            assertThat(first)
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nContent-Type: text/html\r\n", "\r\nContent-Length: 11\r\n")
                    .endsWith("\r\n\r\nhello world");
            assertThat(second).isEqualTo(first);
            assertThat(made).hasValue(1);
        }
    }

    @Test
    void whatHasNoAnswerIsNotFound() throws IOException {
        try (var server = BareServer.start(ANYWHERE, 1, target -> Optional.empty())) {
            var answer = ask(server, "/nothing");

            assertThat(answer).startsWith("HTTP/1.1 404 ").contains("Content-Length: 0");
        }
    }

    @Test
    void takenPortIsAnError() throws IOException {
        try (var server = BareServer.start(ANYWHERE, 1, target -> Optional.empty())) {
            var taken = server.address();

            assertThatIOException()
                    .isThrownBy(() -> BareServer.start(taken, 1, target -> Optional.empty()))
                    .withMessageContaining("cannot listen");
        }
    }

    @ParameterizedTest
    @EnumSource
    void overTlsTheClientChoosesTheVersion(HttpClient.Version version) throws Exception {
        var certificate = TestCertificate.shared();
        try (var server =
                        BareServer.startTls(
                                ANYWHERE,
                                certificate.certificate(),
                                certificate.key(),
                                target -> Optional.of(page()));
                var client =
                        HttpClient.newBuilder()
                                .sslContext(certificate.trusting())
                                .version(version)
                                .build()) {
            var uri = URI.create("https://127.0.0.1:" + server.address().getPort() + "/page");
            for (int i = 0; i < 2; i++) {
                var response =
                        client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());

                assertThat(response.version()).isEqualTo(version);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo("hello world");
            }
        }
    }

    private static BareServer.Answer page() {
        return new BareServer.Answer(
                200,
                Map.of("Content-Type", "text/html"),
                List.of("hello ".getBytes(UTF_8), "world".getBytes(UTF_8)));
    }

    private static String ask(BareServer server, String target) throws IOException {
        var address = server.address();
        try (var socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(("GET " + target + " HTTP/1.0\r\n\r\n").getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
