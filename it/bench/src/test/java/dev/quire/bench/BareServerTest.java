package dev.quire.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
