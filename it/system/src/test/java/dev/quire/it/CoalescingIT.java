package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Coalescing of requests. */
class CoalescingIT {
    private static final String COALESCED = "quire_coalesced_total";

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).origin("retries: 0").start();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
        clients.shutdownNow();
    }

    @Test
    void thousandClientsOnAColdPageAreOneFetchOfThePageAndOfEachFragment() throws Exception {
        origin.on("/page", page("<" + include("/a") + include("/b") + include("/c") + ">"));
        origin.on("/a", fragment("a")).on("/b", fragment("b")).on("/c", fragment("c"));
        origin.on("/ready", fragment("ready"));
        var held = origin.hold("/page");
        // Connections first: requests that join a fetch wait for five seconds, and 1,000 handshakes
        // with TLS may take longer. For the same reason "/ready" is stored before them. A few are
        // made at once: the proxy closes a connection whose handshake takes ten seconds.
        var handshakes = new Semaphore(8);
        assertThat(proxy.get("/ready").text()).isEqualTo("ready");
        var connected = new CountDownLatch(1000);

        var waiting =
                start(
                        1000,
                        () -> {
                            try (var connection = connected(handshakes)) {
                                connected.countDown();
                                connected.await();
                                return connection.get("/page");
                            }
                        });
        assertThat(connected.await(180, TimeUnit.SECONDS)).isTrue();
        proxy.awaitMetric("quire_exchanges_waiting", 1000);
        held.release();

        for (var response : waiting) {
            assertThat(answered(response).status()).isEqualTo(200);
            assertThat(answered(response).text()).isEqualTo("<abc>");
        }
        assertThat(origin.paths()).containsExactlyInAnyOrder("/ready", "/page", "/a", "/b", "/c");
    }

    private HttpWire connected(Semaphore handshakes) throws Exception {
        handshakes.acquire();
        try {
            var connection = proxy.connect();
            connection.get("/ready");
            return connection;
        } finally {
            handshakes.release();
        }
    }

    @Test
    void failureGoesToAllWhoWait() throws Exception {
        origin.on("/x", Answer.nothing(), fragment("recovered"));
        var held = origin.hold("/x");

        var waiting = start(50, () -> proxy.get("/x"));
        proxy.awaitMetric(COALESCED, 49);
        held.release();

        for (var response : waiting) {
            assertThat(answered(response).status()).isEqualTo(502);
        }
        assertThat(origin.requests("/x")).hasSize(1);
        assertThat(proxy.get("/x").text()).isEqualTo("recovered");
    }

    @Test
    void uncacheableAnswerSendsTheOthersToTheOriginSideBySide() throws Exception {
        origin.on(
                "/x",
                request ->
                        Answer.html("for " + request.field("Cookie"))
                                .field("Cache-Control", "no-store"));
        var leader = origin.hold("/x");

        var waiting =
                IntStream.range(0, 20)
                        .mapToObj(i -> clients.submit(() -> proxy.get("/x", "Cookie", "c=" + i)))
                        .toList();
        leader.awaitWaiting(1);
        proxy.awaitMetric(COALESCED, 19);
        var followers = origin.hold("/x");
        leader.release();
        followers.awaitWaiting(19);
        followers.release();

        for (int i = 0; i < 20; i++) {
            assertThat(answered(waiting.get(i)).text()).isEqualTo("for c=" + i);
        }
        assertThat(origin.requests("/x")).hasSize(20);
    }

    @Test
    void knownUncacheableKeyIsNotWaitedFor() throws Exception {
        origin.on("/x", Answer.html("x").field("Cache-Control", "no-store"));
        proxy.get("/x");
        var held = origin.hold("/x");

        var waiting = start(5, () -> proxy.get("/x"));
        held.awaitWaiting(5);
        held.release();

        for (var response : waiting) {
            assertThat(answered(response).status()).isEqualTo(200);
        }
    }

    @Test
    void requestsWithABodyNeverJoin() throws Exception {
        origin.on("/x", request -> Answer.html(request.body().text()));
        var held = origin.hold("/x");

        var waiting =
                IntStream.range(0, 5)
                        .mapToObj(i -> clients.submit(() -> posted("body " + i)))
                        .toList();
        held.awaitWaiting(5);
        held.release();

        for (int i = 0; i < 5; i++) {
            assertThat(answered(waiting.get(i)).text()).isEqualTo("body " + i);
        }
    }

    private Response posted(String body) {
        try (var client = proxy.connect()) {
            return client.request("POST", "/x", body.getBytes(UTF_8)).response();
        }
    }

    @Test
    void clientThatAskedFirstMayLeave() throws Exception {
        origin.on("/x", fragment("x"));
        var held = origin.hold("/x");
        var first = proxy.connect().request("GET", "/x");
        held.awaitWaiting(1);

        var second = clients.submit(() -> proxy.get("/x"));
        proxy.awaitMetric(COALESCED, 1);
        first.reset();
        held.release();

        assertThat(answered(second).text()).isEqualTo("x");
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void clientThatAskedFirstMayLeaveInTheMiddleOfTheAnswer() throws Exception {
        origin.on("/x", fragment("").repeating("x", 100_000));
        var held = origin.holdAfter("/x", 50_000);
        var first = proxy.connect().request("GET", "/x");
        held.awaitWaiting(1);

        var others = start(20, () -> proxy.get("/x"));
        proxy.awaitMetric(COALESCED, 20);
        first.reset();
        held.release();

        for (var other : others) {
            assertThat(answered(other).status()).isEqualTo(200);
            assertThat(answered(other).text()).hasSize(100_000);
        }
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void clientsBehindAStuckFetchAreServedByAnotherOne() throws Exception {
        var stuckFor = Duration.ofSeconds(10);
        origin.on("/x", fragment("late").delayed(stuckFor), fragment("soon"));
        var first = clients.submit(() -> proxy.get("/x"));
        origin.awaitRequest("/x");
        long began = System.nanoTime();

        var waiting = start(200, () -> proxy.get("/x"));
        for (var response : waiting) {
            assertThat(answered(response).text()).isEqualTo("soon");
        }

        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isBetween(Duration.ofMillis(4_500), stuckFor.minusSeconds(1));
        assertThat(answered(first).text()).isEqualTo("late");
        assertThat(origin.requests("/x")).hasSize(2);
    }

    @Test
    void slowReaderWhoAskedFirstHoldsUpNobody() throws Exception {
        long bytes = 8L << 20;
        origin.on("/x", fragment("").repeating("x", bytes));
        var held = origin.holdAfter("/x", 1);
        try (var slow = SlowLine.narrowTo(proxy.http(), 64 << 10)) {
            var arriving = slow.request("GET", "/x").begin();

            var others = start(5, () -> proxy.get("/x"));
            proxy.awaitMetric(COALESCED, 5);
            held.release();
            for (var other : others) {
                assertThat(answered(other).text()).hasSize((int) bytes);
            }

            assertThat(arriving.countToEnd()).isEqualTo(bytes);
        }
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void slowReadersOfWhatIsStoredTakeNoMemory() {
        long bytes = 8L << 20;
        origin.on("/x", fragment("").repeating("x", bytes));
        proxy.get("/x");
        long before = directBytes();
        var readers = new ArrayList<HttpWire>();
        try {
            for (int i = 0; i < 200; i++) {
                var reader = SlowLine.narrowTo(proxy.http(), 16 << 10);
                readers.add(reader);
                reader.request("GET", "/x").begin();
            }

            assertThat(directBytes() - before).isLessThan(200 * (256L << 10));
            assertThat(proxy.get("/x").text()).hasSize((int) bytes);
        } finally {
            readers.forEach(HttpWire::close);
        }
    }

    /** Returns the direct memory in use, independent of Netty's way of allocating. */
    private static long directBytes() {
        return Math.max(0, PlatformDependent.usedDirectMemory())
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }

    private List<Future<Response>> start(int count, Callable<Response> client) {
        return IntStream.range(0, count).mapToObj(i -> clients.submit(client)).toList();
    }

    private static Response answered(Future<Response> response)
            throws InterruptedException, ExecutionException, TimeoutException {
        return response.get(30, TimeUnit.SECONDS);
    }
}
