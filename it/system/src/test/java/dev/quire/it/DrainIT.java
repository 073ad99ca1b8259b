package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two proxies that are restarted in turn behind a balancer with readiness checks. The system
 * property {@code quire.drain.requests} sets the number of requests.
 */
class DrainIT {
    private static final int REQUESTS = Integer.getInteger("quire.drain.requests", 8_000);
    private static final int CLIENTS = 8;
    private static final int RESTARTS = 6;
    private static final String TEXT = "<head body>";

    private final Origin origin = Origin.start();
    private final AtomicReferenceArray<@Nullable RunningProxy> inRotation =
            new AtomicReferenceArray<>(2);
    private final List<RunningProxy> proxies = new ArrayList<>(List.of(proxy(), proxy()));
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger restarted = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        threads.shutdownNow();
        proxies.forEach(RunningProxy::close);
        origin.close();
    }

    @Test
    void rollingRestartFailsNoRequest() throws Exception {
        origin.on("/page", page("<" + include("/head") + " " + include("/body") + ">"));
        origin.on("/head", fragment("max-age=1+0", "head"));
        origin.on("/body", fragment("body"));
        origin.on("/own", privately(TEXT).delayed(Duration.ofMillis(50)));
        inRotation.set(0, proxies.get(0));
        inRotation.set(1, proxies.get(1));

        var clients = new ArrayList<Future<?>>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            clients.add(threads.submit(() -> ask(number)));
        }
        for (int i = 0; i < RESTARTS; i++) {
            awaitAsked(asked.get() + REQUESTS / (2 * RESTARTS));
            restart(i % 2);
        }
        restarted.set(RESTARTS);
        for (var client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }

        Figure.print(
                "R16",
                "failed requests of %d during %d restarts".formatted(asked.get(), RESTARTS),
                failures.size(),
                0);
        assertThat(failures).isEmpty();
        assertThat(asked.get()).isGreaterThanOrEqualTo(REQUESTS);
    }

    @Test
    void signalAfterADrainDoesNotEndItAtOnce(@TempDir Path directory) throws Exception {
        try (var held = origin.hold("/own");
                var process = process(directory);
                var client = process.connect();
                var admin = process.connectToAdmin()) {
            client.request("GET", "/own");
            origin.awaitRequest("/own");
            assertThat(
                            admin.request("POST", "/v1/drain", "Content-Type", "application/json")
                                    .response()
                                    .status())
                    .isEqualTo(200);

            process.signal("TERM");
            // Time to end at once.
            assertThat(process.endsWithin(Duration.ofMillis(300))).isFalse();
            held.release();

            assertThat(client.response().text()).isEqualTo(TEXT);
            assertThat(process.exitStatus()).isZero();
        }
    }

    @Test
    void secondSignalEndsTheProcessAtOnce(@TempDir Path directory) throws Exception {
        try (var held = origin.hold("/own");
                var process = process(directory);
                var client = process.connect()) {
            client.request("GET", "/own");
            origin.awaitRequest("/own");

            process.signal("TERM");
            assertThat(process.endsWithin(Duration.ofMillis(300))).isFalse();
            process.signal("TERM");

            assertThat(process.exitStatus()).isEqualTo(143);
            held.release();
        }
    }

    private ProxyProcess process(Path directory) throws IOException {
        origin.on("/own", privately(TEXT));
        return ProxyProcess.start(
                directory,
                """
                origins: { a: { urls: ["%s"] } }
                routes: [ { origin: a } ]
                """
                        .formatted(origin.url()));
    }

    /** Restarts a proxy: takes it out of rotation once it is not ready, then starts a new one. */
    private void restart(int place) throws Exception {
        var old = proxies.get(place);
        var drained = threads.submit(old::drain);
        Operator.awaitDraining(old);
        inRotation.set(place, null);
        drained.get(60, TimeUnit.SECONDS);
        var fresh = proxy();
        proxies.set(place, fresh);
        inRotation.set(place, fresh);
    }

    private void awaitAsked(int count) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (asked.get() < count) {
            assertThat(System.nanoTime()).as("deadline for further requests").isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    /**
     * Sends requests to each proxy in turn, on a connection kept while the proxy is in rotation.
     */
    private void ask(int client) {
        var connections = new Connections();
        for (int i = client; restarted.get() < RESTARTS || asked.get() < REQUESTS; i++) {
            // Some responses are slow enough to be in flight during a restart.
            connections.ask(i % 2, i % 50 == 0 ? "/own" : "/page");
        }
        connections.close();
    }

    /** One client's connections, at most one to each proxy. */
    private final class Connections {
        private final @Nullable RunningProxy[] proxies = new RunningProxy[2];
        private final @Nullable HttpWire[] wires = new HttpWire[2];

        void ask(int preferred, String target) {
            int place = inRotation.get(preferred) == null ? 1 - preferred : preferred;
            var proxy = inRotation.get(place);
            if (proxy == null) {
                failures.add("no proxy is in rotation");
                return;
            }
            asked.incrementAndGet();
            try {
                var wire = wires[place];
                if (wire == null || proxies[place] != proxy) {
                    leave(place);
                    wire = proxy.connect();
                    wires[place] = wire;
                    proxies[place] = proxy;
                }
                var response = wire.get(target);
                if (response.status() != 200 || !response.text().equals(TEXT)) {
                    failures.add(response.status() + " " + response.text());
                }
                if (!response.keepAlive()) {
                    leave(place);
                }
            } catch (AssertionError | UncheckedIOException e) {
                failures.add(e.toString());
                leave(place);
            }
        }

        void close() {
            leave(0);
            leave(1);
        }

        private void leave(int place) {
            var wire = wires[place];
            if (wire != null) {
                wire.close();
                wires[place] = null;
            }
        }
    }

    private RunningProxy proxy() {
        return RunningProxy.inFrontOf(origin).with("drain", "{ grace: 1s, timeout: 30s }").start();
    }
}
