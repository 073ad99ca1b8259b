package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Request bodies that are slow or large. */
class UploadsIT {
    private static final int UPLOADS = 40;
    private static final int WHOLE = 200_000;
    private static final String START = "-".repeat(64 * 1024);

    private final Origin origin = Origin.start();
    private final List<HttpWire> clients = new ArrayList<>();

    @AfterEach
    void stop() {
        clients.forEach(HttpWire::close);
        origin.close();
    }

    @Test
    void slowUploadsTakeNoConnections() {
        origin.otherwise(request -> fragment(request.path()));
        try (var proxy = start("max-connections: 8", "{}")) {
            for (int i = 0; i < UPLOADS; i++) {
                upload(proxy, "/up").send("abc");
            }

            assertThat(proxy.get("/other").text()).isEqualTo("/other");
            assertThat(origin.requests("/up")).isEmpty();
        }
    }

    @Test
    void largeSlowUploadsLeaveHalfOfTheConnections() {
        origin.otherwise(request -> fragment(request.path()));
        try (var proxy = start("max-connections: 8", "{}")) {
            for (int i = 0; i < UPLOADS; i++) {
                uploadFrom("127.0.0." + (2 + i % 4), proxy).send(START);
            }
            origin.awaitRequests("/up", 4);

            assertThat(proxy.get("/other").text()).isEqualTo("/other");
            assertThat(clients.getLast().response().status()).isEqualTo(503);
            assertThat(origin.requests("/up")).hasSize(4);
        }
    }

    @Test
    void oneClientsStalledUploadsLeavePlacesForThoseOfOthers() {
        origin.otherwise(request -> fragment(request.path()));
        try (var proxy = start("max-connections: 8", "{}")) {
            for (int i = 0; i < UPLOADS; i++) {
                uploadFrom("127.0.0.2", proxy).send(START);
            }
            origin.awaitRequests("/up", 3);
            assertThat(clients.getLast().response().status()).isEqualTo(503);

            var other = uploadFrom("127.0.0.3", proxy).send("-".repeat(WHOLE));

            assertThat(other.response().status()).isEqualTo(200);
            assertThat(origin.requests("/up")).hasSize(4);
        }
    }

    /** An origin gives up on a client that stalls, and no other client may suffer for it. */
    @Test
    void stalledUploadsOnWhichTheOriginClosesDoNotOpenTheCircuit() {
        origin.otherwise(request -> fragment(request.path()));
        try (var proxy = start("max-connections: 32, retries: 0", "{}")) {
            for (int i = 0; i < 10; i++) {
                origin.on("/up" + i, Answer.reset().early());
                var client = upload(proxy, "/up" + i).send(START);
                assertThat(client.response().status()).isEqualTo(502);
            }

            assertThat(proxy.get("/other").text()).isEqualTo("/other");
            assertThat(proxy.metric("quire_origin_ejections_total")).isZero();
        }
    }

    @Test
    void heldUploadsLeaveRoomForResponsesAndStoredIsTrue() {
        origin.on("/small", storable(20_000));
        origin.on("/large", storable(200_000));
        try (var proxy = RunningProxy.inFrontOf(origin).with("cache", "{ memory: 1MiB }").start()) {
            var held = START.substring(1);
            for (int i = 0; i < UPLOADS; i++) {
                upload(proxy, "/up").send(held);
            }
            // A quarter of the memory is for in-flight bodies, and half of that for uploads.
            awaitTransit(proxy, 1 << 17);

            var small = proxy.get("/small");
            var large = proxy.get("/large");

            assertThat(small.field("Cache-Status")).endsWith("; stored");
            assertThat(proxy.get("/small").field("Cache-Status")).contains("; hit");
            assertThat(large.field("Cache-Status")).doesNotContain("stored");
            assertThat(proxy.get("/large").field("Cache-Status")).contains("fwd=uri-miss");
        }
    }

    private static void awaitTransit(RunningProxy proxy, long bytes) {
        var member = Pattern.compile("\"transitBytes\":(\\d+)");
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            var stats = proxy.getAdmin("/v1/stats").text();
            var found = member.matcher(stats);
            if (found.find() && Long.parseLong(found.group(1)) >= bytes) {
                return;
            }
            assertThat(System.nanoTime() - end)
                    .as("waiting for %d bytes: %s", bytes, stats)
                    .isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static Answer storable(int bytes) {
        return Answer.status(200)
                .field("Cache-Control", "max-age=60")
                .field("Content-Type", "text/plain")
                .body("-".repeat(bytes));
    }

    @Test
    void tooLargeBodyIs413AndNeverWholeAtTheOrigin() {
        origin.otherwise(request -> fragment(request.path()));
        try (var proxy = start("max-queue: 1", "{ body: 100KiB }")) {
            var announced = upload(proxy, "/up");
            assertThat(announced.response().status()).isEqualTo(413);
            announced.awaitClosed();
            assertThat(origin.requests()).isEmpty();

            var chunked = connect(proxy);
            chunked.send("POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            chunked.send("10000\r\n" + START + "\r\n");
            var request = origin.awaitRequest("/up").awaitBody(START.length());
            chunked.send("10000\r\n" + START + "\r\n");
            assertThat(chunked.response().status()).isEqualTo(413);
            chunked.awaitClosed();
            request.awaitBroken();
        }
    }

    private RunningProxy start(String keys, String limits) {
        return RunningProxy.inFrontOf(origin).origin(keys).with("limits", limits).start();
    }

    private HttpWire uploadFrom(String address, RunningProxy proxy) {
        try {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(address, 0));
            var client = HttpWire.to(proxy.http(), socket);
            clients.add(client);
            return begin(client, "/up");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect from " + address, e);
        }
    }

    private HttpWire connect(RunningProxy proxy) {
        var client = proxy.connect();
        clients.add(client);
        return client;
    }

    private HttpWire upload(RunningProxy proxy, String target) {
        return begin(connect(proxy), target);
    }

    private static HttpWire begin(HttpWire client, String target) {
        return client.send(
                "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
                        .formatted(target, WHOLE));
    }
}
