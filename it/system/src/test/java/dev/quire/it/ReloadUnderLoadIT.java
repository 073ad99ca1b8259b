package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ArrivingResponse;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses in progress, stored responses and clients notice nothing of reloads. */
class ReloadUnderLoadIT {
    private static final int RELOADS = 100;
    private static final int DOWNLOAD = 300_000;

    private final Origin origin =
            Origin.start()
                    .on(
                            "/stored",
                            request -> Answer.html("stored").field("Cache-Control", "max-age=600"))
                    .on("/events", events())
                    .on(
                            "/download",
                            request ->
                                    Answer.html("x".repeat(DOWNLOAD))
                                            .field("Cache-Control", "no-store"))
                    .otherwise(request -> Answer.html("own").field("Cache-Control", "no-store"));
    private final WebSocketOrigin sockets = new WebSocketOrigin();
    @TempDir private Path directory;

    @AfterEach
    void stop() {
        origin.close();
        sockets.close();
    }

    private static Answer events() {
        return Answer.html("data: 1\n\ndata: 2\n\n")
                .field("Content-Type", "text/event-stream")
                .field("Cache-Control", "no-store")
                .chunked();
    }

    @Test
    void streamsTunnelsAndDownloadsLiveThroughAHundredReloadsUnderLoad() throws Exception {
        var held = origin.holdAfter("/events", 9);
        var download = origin.holdAfter("/download", DOWNLOAD / 2);
        var isOver = new AtomicBoolean();
        try (var proxy = ReloadableProxy.start(directory, yaml(0));
                var stream = proxy.connect();
                var slow = proxy.connect();
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var http = HttpClient.newHttpClient()) {
            assertThat(proxy.get("/stored").text()).isEqualTo("stored");
            var arriving = stream.request("GET", "/events").begin();
            arriving.awaitText("data: 1");
            var downloading = slow.request("GET", "/download").begin();
            downloading.awaitBytes(1);
            var echoes = new Echoes();
            var socket =
                    http.newWebSocketBuilder()
                            .buildAsync(
                                    URI.create(
                                            "ws://127.0.0.1:"
                                                    + proxy.addresses.http().getPort()
                                                    + "/echo"),
                                    echoes)
                            .get(10, TimeUnit.SECONDS);
            var clients = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 8; i++) {
                clients.add(threads.submit(() -> ask(proxy, isOver)));
            }

            for (int i = 1; i <= RELOADS; i++) {
                proxy.write(yaml(i));
                proxy.reload();
            }

            isOver.set(true);
            for (var client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isPositive();
            }
            assertThat(proxy.generation()).isEqualTo(RELOADS + 1 + ".0");
            assertThat(origin.requests("/stored")).hasSize(1);
            socket.sendText("still there", true).get(10, TimeUnit.SECONDS);
            assertThat(echoes.texts.poll(10, TimeUnit.SECONDS)).isEqualTo("still there");
            held.release();
            assertThat(arriving.finish().text()).endsWith("data: 2\n\n");
            download.release();
            assertThat(downloading.finish().text()).hasSize(DOWNLOAD);
            socket.abort();
        }
    }

    @Test
    void replacedGenerationsAreNotReachableFromStreams() throws Exception {
        var held = origin.holdAfter("/events", 9);
        try (var proxy = ReloadableProxy.start(directory, yaml(0))) {
            var open = new ArrayList<HttpWire>();
            var streams = new ArrayList<ArrivingResponse>();
            for (int i = 1; i <= 12; i++) {
                var client = proxy.connect();
                open.add(client);
                var arriving = client.request("GET", "/events").begin();
                arriving.awaitText("data: 1");
                streams.add(arriving);
                proxy.write(yaml(i));
                proxy.reload();
            }

            assertThat(instances("dev.quire.proxy.path.ProxyParts")).isBetween(1, 3);
            assertThat(instances("dev.quire.proxy.route.Router")).isBetween(1, 3);
            assertThat(instances("dev.quire.proxy.config.Configuration")).isBetween(1, 4);
            assertThat(proxy.ask("/v1/stats").text()).contains("\"exchanges\":12,");
            held.release();
            for (var stream : streams) {
                assertThat(stream.finish().text()).endsWith("data: 2\n\n");
            }
            open.forEach(HttpWire::close);
            ReloadableProxy.await(
                    () -> proxy.ask("/v1/stats").text().contains("\"exchanges\":0,"),
                    "no exchange in progress");
        }
    }

    /** The instances of a class that are reachable. */
    private static int instances(String name) throws Exception {
        var histogram =
                (String)
                        ManagementFactory.getPlatformMBeanServer()
                                .invoke(
                                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                        "gcClassHistogram",
                                        new Object[] {new String[0]},
                                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+", -1))
                .filter(words -> words.length > 3 && words[3].equals(name))
                .mapToInt(words -> Integer.parseInt(words[1]))
                .sum();
    }

    private static int ask(ReloadableProxy proxy, AtomicBoolean isOver) {
        int answered = 0;
        try (var client = proxy.connect()) {
            while (!isOver.get() || answered == 0) {
                assertThat(client.get("/stored").text()).isEqualTo("stored");
                assertThat(client.get("/own").text()).isEqualTo("own");
                answered++;
            }
        }
        return answered;
    }

    /** Receives the messages of a WebSocket. */
    private static final class Echoes implements WebSocket.Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean isLast) {
            texts.add(data.toString());
            return WebSocket.Listener.super.onText(socket, data, isLast);
        }
    }

    private String yaml(int number) {
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        log: { access: off }
        cache: { memory: 16MiB, grace: %ds }
        origins:
          news: { urls: ["%s"] }
          sockets: { urls: ["%s"] }
        routes:
          - { path: /echo, origin: sockets }
          - { origin: news }
        """
                .formatted(number + 1, origin.url(), sockets.url());
    }
}
