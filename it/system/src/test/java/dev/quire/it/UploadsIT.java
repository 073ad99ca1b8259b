package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Request bodies that are slow or large. */
class UploadsIT {
    private static final int UPLOADS = 40;
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
                upload(proxy, "/up").send(START);
            }
            origin.awaitRequests("/up", 4);

            assertThat(proxy.get("/other").text()).isEqualTo("/other");
            assertThat(clients.getLast().response().status()).isEqualTo(503);
            assertThat(origin.requests("/up")).hasSize(4);
        }
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

    private HttpWire connect(RunningProxy proxy) {
        var client = proxy.connect();
        clients.add(client);
        return client;
    }

    /** Begins an upload of 200,000 bytes. */
    private HttpWire upload(RunningProxy proxy, String target) {
        return connect(proxy)
                .send("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
    }
}
