package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.handover.HandoverOffer;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.store.StoreProcess;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests to new addresses of a process that takes over, before it has the disk tier. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EarlyRequestsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long EARLY_MILLIS = 500;

    private final AtomicInteger pages = new AtomicInteger();
    private HttpServer origin;

    @TempDir private Path directory;

    @BeforeEach
    void startOrigin() throws IOException {
        assumeTrue(Takeover.obstacle().isEmpty());
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.createContext(
                "/",
                exchange -> {
                    var body = ("page " + pages.incrementAndGet()).getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Cache-Control", "max-age=600");
                    exchange.getResponseHeaders().add("Cache-Tag", "of" + exchange.getRequestURI());
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        origin.start();
    }

    @AfterEach
    void stopOrigin() {
        if (origin != null) {
            origin.stop(0);
        }
    }

    /** A proxy on new ports that uses the disk. */
    private final class Node implements AutoCloseable {
        final int http = StoreProcess.freePort();
        final int admin = StoreProcess.freePort();
        final Proxy proxy;

        Node(String name) throws Exception {
            var file =
                    Files.writeString(
                            directory.resolve(name + ".yml"),
                            """
                            listen: { http: "127.0.0.1:%d" }
                            admin: { address: "127.0.0.1:%d" }
                            log: { access: off }
                            cache: { memory: 16MiB }
                            disk: { path: '%s' }
                            origins: { a: { urls: ["http://127.0.0.1:%d"] } }
                            routes: [ { origin: a } ]
                            """
                                    .formatted(
                                            http,
                                            admin,
                                            directory.resolve("disk"),
                                            origin.getAddress().getPort()));
            proxy = new Proxy(Configuration.of(Options.NONE.withFile(file)), Time.system());
        }

        String page(String target) {
            return answer(http, "GET " + target, "");
        }

        String post(String target) {
            return answer(http, "POST " + target, "");
        }

        String purge(String tag) {
            return answer(
                    admin, "POST /v1/purge", "{\"tags\":[\"%s\"],\"count\":false}".formatted(tag));
        }

        @Override
        public void close() {
            proxy.close();
        }
    }

    private static String answer(int port, String start, String body) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            var request =
                    """
                    %s HTTP/1.1\r
                    Host: localhost\r
                    Connection: close\r
                    Content-Type: application/json\r
                    Content-Length: %d\r
                    \r
                    %s\
                    """
                            .formatted(start, body.length(), body);
            socket.getOutputStream().write(request.getBytes(UTF_8));
            var response = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(response).startsWith("HTTP/1.1 200 ");
            return response.substring(response.indexOf("\r\n\r\n") + 4);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An old process without the addresses of the new one; {@code closing} is its last step. */
    private HandoverOffer offer(Runnable closing) throws IOException {
        var any = FileDescriptor.from(Files.createFile(directory.resolve("old")).toFile());
        return HandoverOffer.open(
                List.of(
                        new ListeningSockets(
                                ListeningSockets.Role.ADMIN,
                                HostPort.parse("127.0.0.1:1"),
                                List.of(any))),
                new HandoverOffer.Owner() {
                    @Override
                    public void stopListening(HandoverOffer.Successor successor) {
                        closing.run();
                    }

                    @Override
                    public void ended(@Nullable String failure) {
                        // Nothing drains.
                    }
                },
                PATIENCE);
    }

    @Test
    void invalidationsHoldForWhatTheOldProcessHasStored() throws Exception {
        try (var old = new Node("old")) {
            old.proxy.start();
            for (int i = 0; i < 5; i++) {
                old.purge("other");
            }
            old.page("/purged");
            old.page("/posted");
        }
        try (var next = new Node("next")) {
            var purged = new CompletableFuture<String>();
            var posted = new CompletableFuture<String>();
            var isAnsweredEarly = new CompletableFuture<Boolean>();
            var offer =
                    offer(() -> {
                        purged.completeAsync(() -> next.purge("of/purged"));
                        posted.completeAsync(() -> next.post("/posted"));
                        isAnsweredEarly.complete(
                                CompletableFuture.anyOf(purged, posted)
                                        .thenApply(answer -> true)
                                        .completeOnTimeout(
                                                false, EARLY_MILLIS, TimeUnit.MILLISECONDS)
                                        .join());
                    });
            try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
                next.proxy.start(takeover);
            }

            assertThat(purged.get()).contains("\"count\":false");
            assertThat(posted.get()).startsWith("page ");
            assertThat(next.page("/purged")).isEqualTo("page 4");
            assertThat(next.page("/posted")).isEqualTo("page 5");
            assertThat(isAnsweredEarly.get()).isFalse();
        }
    }
}
