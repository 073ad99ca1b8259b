package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Load.Asking;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import io.netty.util.ResourceLeakDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Much more than the cache can store: every response is right, and direct memory plus heap stay
 * below {@code cache.memory} and the quarter of it for in-flight bodies.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullCacheIT {
    private static final int MIB = 1 << 20;
    private static final int CLIENTS = 4;

    /** Memory of Netty's arenas, connections, and the tests themselves. */
    private static final long OTHERS = 16L * MIB;

    /** Allocated on first use and never freed. */
    private static final long CONSTANTS = 1 << 10;

    /** A safety limit far above the time of any test. */
    private static final long DEADLINE_SECONDS = 300;

    /** Time for a closed proxy to release its memory. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final long unpooledBefore = Memory.unpooled();
    private final Origin origin = Origin.start();

    private final ResourceLeakDetector.Level watched = ResourceLeakDetector.getLevel();

    @AfterEach
    void stop() {
        ResourceLeakDetector.setLevel(watched);
        origin.close();
    }

    @Test
    void cacheFullOfTheLargestObjectsStaysInsideItsMemory() throws Exception {
        int memory = 64 * MIB;
        int size = 16 * MIB;
        origin.otherwise(request -> large(request, size));
        try (var proxy = proxy(memory, size)) {
            // Arenas and constants are allocated on first use.
            assertThat(proxy.get("/first").body().length()).isEqualTo(size);
            proxy.purge("/first");
            long before = Memory.direct();
            var peak = new AtomicLong();

            inParallel(client -> {
                for (int i = 0; i < 10; i++) {
                    try (var connection = proxy.connect()) {
                        var target = "/large/" + (client + i * CLIENTS);
                        var arriving = connection.request("GET", target).begin();
                        assertThat(arriving.status()).isEqualTo(200);
                        assertThat(arriving.countToEnd()).isEqualTo(size);
                        peak.accumulateAndGet(Memory.direct() - before, Math::max);
                    }
                }
            });

            assertBounded("direct memory at its peak, 40 objects of 16 MiB", peak.get(), memory);
            assertThat(proxy.metric("quire_cache_evictions_total")).isPositive();
            assertThat(proxy.metric("quire_cache_bytes")).isBetween((double) size, (double) memory);
        }
        assertNothingIsLeft();
    }

    @Test
    void cacheFullOfTinyObjectsStaysInsideItsMemory() throws Exception {
        int memory = 16 * MIB;
        int objects = 50_000;
        // The leak detector needs more heap per buffer than the cache per object.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        origin.otherwise(request -> fragment("max-age=600", request.target()));
        try (var proxy = proxy(memory, MIB)) {
            assertThat(proxy.get("/first").text()).isEqualTo("/first");
            long before = Memory.used();

            inParallel(client -> {
                try (var connection = proxy.connect()) {
                    for (int i = client; i < objects; i += CLIENTS) {
                        var target = "/tiny/" + i;
                        assertThat(connection.get(target).text()).isEqualTo(target);
                        if (i % 1_000 == 0) {
                            // The origin records its requests.
                            origin.forget();
                        }
                    }
                }
            });
            origin.forget();

            assertThat(proxy.metric("quire_cache_evictions_total")).isPositive();
            assertThat(proxy.metric("quire_cache_bytes")).isLessThanOrEqualTo(memory);
            long kept = Memory.used() - before;
            double stored = proxy.metric("quire_cache_objects");
            Figure.print(
                    "full cache",
                    "heap and direct memory for each of %.0f stored objects of some 10 bytes"
                            .formatted(stored),
                    Math.round(kept / stored) + " B",
                    "cache.memory / objects = " + Math.round(memory / stored) + " B");
            assertBounded("heap and direct memory, 50,000 objects of some 10 B", kept, memory);
        }
        assertNothingIsLeft();
    }

    @Test
    void slowReaderGetsAllOfALargeObjectThoughTheCacheChurns() throws Exception {
        int memory = 32 * MIB;
        int size = 8 * MIB;
        origin.on("/slow", request -> large(request, size));
        origin.otherwise(request -> large(request, MIB));
        try (var proxy = proxy(memory, size);
                var slow = SlowLine.narrowTo(proxy.http(), 4 << 10)) {
            assertThat(proxy.get("/slow").body().length()).isEqualTo(size);
            long before = Memory.direct();
            var arriving = slow.request("GET", "/slow").begin();
            arriving.awaitBytes(1);
            var peak = new AtomicLong();

            inParallel(client -> {
                try (var connection = proxy.connect()) {
                    for (int i = 0; i < 60; i++) {
                        var target = "/large/" + (client + i * CLIENTS);
                        var other = connection.get(target);
                        assertThat(other.status()).isEqualTo(200);
                        assertThat(other.body().length()).isEqualTo(MIB);
                        peak.accumulateAndGet(Memory.direct() - before, Math::max);
                    }
                }
            });
            proxy.purge("/slow");

            assertThat(arriving.awaitEnd()).isTrue();
            assertThat(arriving.content().text())
                    .isEqualTo("/slow".repeat(size / 5 + 1).substring(0, size));
            assertBounded("direct memory at its peak, 240 objects of 1 MiB", peak.get(), memory);
            assertThat(proxy.metric("quire_cache_evictions_total")).isPositive();
            Operator.awaitStats(proxy, "\"transitBytes\":0");
        }
        assertNothingIsLeft();
    }

    @Test
    void purgesOfEverythingUnderLoadAreNoticedByNobody() throws Exception {
        int memory = 16 * MIB;
        var parts = IntStream.range(0, 10).mapToObj(i -> "/part/" + i).toList();
        var text = "x".repeat(20_000);
        var document = new StringBuilder();
        parts.forEach(part -> document.append(text, 0, 1_000).append(include(part)));
        var whole = new StringBuilder();
        parts.forEach(part -> whole.append(text, 0, 1_000).append(part));
        origin.on("/page", page("max-age=600", document.toString()));
        origin.on("/large", fragment("max-age=600", text.repeat(20)));
        origin.otherwise(request -> fragment("max-age=600", request.target()));
        try (var proxy = proxy(memory, MIB)) {
            long before;
            long purges = 0;
            List<Load.Visit> visits;
            try (var load =
                    Load.start(
                            16,
                            Duration.ZERO,
                            Asking.of(proxy, "/page", whole.toString()),
                            Asking.of(proxy, "/large", text.repeat(20)),
                            Asking.of(proxy, "/part/3", "/part/3"))) {
                // Arenas grow until all connections have sent large responses.
                load.runFor(Duration.ofSeconds(1));
                before = Memory.direct();
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
                while (System.nanoTime() - end < 0) {
                    assertThat(Operator.postPurge(proxy, "{\"paths\":[\"/**\"]}"))
                            .matches(Operator::isMade);
                    purges++;
                    load.runFor(Duration.ofMillis(20));
                }
                visits = load.visits();
            }
            long purged = Math.round(proxy.metric("quire_invalidations_objects_total"));

            Load.assertRight(visits);
            Figure.print(
                    "purges",
                    "%d answers while everything was purged %d times"
                            .formatted(visits.size(), purges),
                    purged + " objects purged, no error",
                    "no error");
            assertThat(purged).isPositive();
            Operator.awaitStats(proxy, "\"transitBytes\":0");
            Operator.postPurge(proxy, "{\"paths\":[\"/**\"]}");
            assertThat(proxy.metric("quire_cache_bytes")).isZero();
            assertBounded("direct memory after it", Memory.direct() - before, 0);
        }
        assertNothingIsLeft();
    }

    private RunningProxy proxy(int memory, int maxObject) {
        return RunningProxy.inFrontOf(origin)
                .with(
                        "cache",
                        "{ memory: %dMiB, max-object: %dMiB, admission: all }"
                                .formatted(memory / MIB, maxObject / MIB))
                .start();
    }

    private static Answer large(ReceivedRequest request, int bytes) {
        return Answer.status(200)
                .field("Content-Type", "application/octet-stream")
                .field("Cache-Control", "max-age=600")
                .repeating(request.target(), bytes);
    }

    /** The work of one client. */
    private interface Client {
        void ask(int number) throws Exception;
    }

    private static void inParallel(Client client) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            var running = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                running.add(
                        clients.submit(
                                (Callable<Boolean>)
                                        () -> {
                                            client.ask(number);
                                            return true;
                                        }));
            }
            for (var each : running) {
                assertThat(each.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            // close() would wait for late clients.
            clients.shutdownNow();
        }
    }

    private static void assertBounded(String what, long bytes, long memory) {
        long bound = memory + memory / 4 + OTHERS;
        Figure.print(
                "full cache",
                what + ", cache.memory " + memory / MIB + " MiB",
                "%.1f MiB".formatted(bytes / (double) MIB),
                bound / MIB + " MiB");
        assertThat(bytes).as(what).isLessThanOrEqualTo(bound);
    }

    /**
     * Asserts that only constants are left after the proxy is closed. Memory of an earlier test may
     * have been released meanwhile, so it may be less than before.
     */
    private void assertNothingIsLeft() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (Memory.unpooled() - unpooledBefore > CONSTANTS && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        assertThat(Memory.unpooled() - unpooledBefore).isLessThanOrEqualTo(CONSTANTS);
    }
}
