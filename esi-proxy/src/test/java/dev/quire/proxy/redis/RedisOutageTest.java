package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.PLACE;
import static dev.quire.proxy.redis.OpenStore.bytes;
import static dev.quire.proxy.redis.OpenStore.record;
import static dev.quire.proxy.redis.OpenStore.settings;
import static dev.quire.proxy.redis.OpenStore.version;
import static dev.quire.proxy.redis.OpenStore.with;
import static dev.quire.proxy.redis.OpenStore.withTimeout;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Login;
import dev.quire.proxy.store.CallLimits;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A store that is away, slow, full or comes back. */
class RedisOutageTest {
    private static final String REFUSED = "the store refuses the user or the password: ";

    private static final Duration BRIEF = Duration.ofMillis(20);

    @Test
    void aStoreThatIsAwayIsNotWaitedForAndUsedOnceItIsThere() {
        try (var server = RedisServer.redis()) {
            server.kill();
            try (var store = OpenStore.open(settings(server.port()))) {
                assertThat(store.records.isUsable()).isFalse();
                assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
                assertThat(store.lease(PLACE, null)).isEqualTo(new None(Reason.CLOSED));
                store.put(PLACE, version(1, 1), record(version(1, 1), "page"));
                assertThat(store.records.count(TierWrite.DROPPED)).isEqualTo(1);
                assertThat(store.records.server().state()).isEqualTo(2);
                store.await(() -> store.records.server().failure().isPresent());
                assertThat(store.records.server().failure().orElseThrow())
                        .startsWith("no connection to the store: connection refused")
                        .endsWith("(expected a server at the addresses of shared.servers)");

                server.start();

                store.awaitConnections(2);
                assertThat(store.get(PLACE)).isEqualTo(new Absent());
                assertThat(store.records.server().state()).isZero();
                assertThat(store.records.server().failure()).isEmpty();
            }
        }
    }

    @Test
    void logThatIsAwayIsNamedByItsKey() {
        try (var server = RedisServer.redis()) {
            server.kill();
            var given = settings(server.port());
            var access =
                    new Access(
                            "fleet.servers",
                            given.access().topology(),
                            Login.NONE,
                            Optional.empty());
            var settings =
                    new RedisSettings(access, given.namespace(), given.records(), given.limits());
            try (var log = new RedisLog(settings, "node/1", 0)) {
                assertThat(log.addresses()).isEqualTo("127.0.0.1:" + server.port());
                assertThat(failure(log)).isEqualTo("not connected yet");

                log.connect(new LogUse());

                long end = System.nanoTime() + 10_000_000_000L;
                while (failure(log).equals("not connected yet")) {
                    assertThat(System.nanoTime()).isLessThan(end);
                }
                assertThat(failure(log))
                        .startsWith("no connection to the store: connection refused")
                        .endsWith("(expected a server at the addresses of fleet.servers)");
            }
        }
    }

    private static String failure(RedisLog log) {
        return log.overview(Duration.ofHours(1))
                .toCompletableFuture()
                .handle((overview, fault) -> RootCause.of(fault).getMessage())
                .join();
    }

    @Test
    void aStoreThatWasKilledIsUsedAgainOnceItIsBack() {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server)) {
            var record = record(version(1, 1), "page");
            store.put(PLACE, version(1, 1), record);

            server.kill();
            store.await(() -> !store.records.isUsable());
            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            server.start();

            store.awaitConnections(2);
            assertThat(store.get(PLACE)).isEqualTo(new Absent());
            store.put(PLACE, version(1, 1), record);
            assertThat(bytes(store.get(PLACE))).isEqualTo(record);
        }
    }

    /** Each call has its answer, whatever becomes of the connection. */
    @Test
    void callsInFlightEndWithTheServer() throws Exception {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server)) {
            server.suspend();
            var answers = new ConcurrentLinkedQueue<Answer>();
            var all = new CountDownLatch(100);
            for (int i = 0; i < 100; i++) {
                store.records.get(
                        PLACE,
                        store.loop(i % 2),
                        answer -> {
                            answers.add(answer);
                            all.countDown();
                        });
            }
            server.kill();

            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(answers).allMatch(None.class::isInstance);
            store.settle();
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsWaitedForBrieflyAndThenNotAtAll() {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server, given -> withTimeout(given, BRIEF))) {
            server.suspend();

            var millis = new ArrayList<Long>();
            int asked = 0;
            while (store.records.isUsable()) {
                long start = System.nanoTime();
                assertThat(store.get(PLACE)).isEqualTo(new None(Reason.TIMEOUT));
                millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
                assertThat(++asked).isLessThan(100);
            }

            assertThat(asked).describedAs("calls before the circuit opened").isLessThan(50);
            Collections.sort(millis);
            assertThat(millis.get(millis.size() / 2)).describedAs("median").isBetween(20L, 250L);
            assertThat(store.records.server().failure().orElseThrow())
                    .contains("had no reply in time (expected replies within shared.timeout)");
            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            assertThat(store.records.server().state()).isPositive();

            server.resume();
            store.awaitConnections(2);
            store.settle();
            assertThat(store.get(PLACE)).isEqualTo(new Absent());
            assertThat(store.records.server().failure()).isEmpty();
        }
    }

    /** Its machine still acknowledges, so the connections would last. */
    @Test
    void connectionsToAServerThatAnswersNoTrialAreMadeAnew() {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server, given -> withTimeout(given, BRIEF))) {
            server.suspend();
            while (store.records.isUsable()) {
                store.get(PLACE);
            }

            store.await(() -> store.records.server().connected() == 0);

            server.resume();
            store.awaitConnections(2);
            store.settle();
            assertThat(store.get(PLACE)).isEqualTo(new Absent());
        }
    }

    @Test
    void lateAnswersAreReleased() {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server, given -> withTimeout(given, BRIEF))) {
            store.put(PLACE, version(1, 1), new byte[100_000]);
            server.suspend();
            for (int i = 0; i < 5; i++) {
                assertThat(store.get(PLACE)).isEqualTo(new None(Reason.TIMEOUT));
            }
            assertThat(store.records.server().queue().waiting()).isEqualTo(5);

            server.resume();

            // The gate against leaks fails if one of the records is still open at the end.
            store.settle();
            assertThat(store.records.isUsable()).isTrue();
        }
    }

    @Test
    void aReplyThatIsLongerThanAnyRecordEndsItsConnection() throws Exception {
        try (var server = RedisServer.redis();
                var front = new EndlessReplies(server.port());
                var store = OpenStore.open(settings(front.port()))) {
            store.awaitConnections(2);

            assertThat(store.get(PLACE)).isInstanceOf(None.class);

            assertThat(front.refused.await(10, TimeUnit.SECONDS)).isTrue();
            // There are buffers of the sockets.
            assertThat(front.sent.get()).isLessThan(50L << 20);
        }
    }

    @Test
    void noMoreCallsWaitThanTheQueueHolds() throws Exception {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server, given -> queueOf(given, 10))) {
            server.suspend();
            var answers = new ConcurrentLinkedQueue<Answer>();
            var all = new CountDownLatch(25);
            for (int i = 0; i < 25; i++) {
                store.records.get(
                        PLACE,
                        store.loop(i % 2),
                        answer -> {
                            answers.add(answer);
                            all.countDown();
                        });
            }
            var record = Unpooled.wrappedBuffer(record(version(1, 1), "page"));
            store.records.put(PLACE, version(1, 1), 1_000, record);
            assertThat(record.refCnt()).isEqualTo(1);
            record.release();
            assertThat(store.records.count(TierWrite.DROPPED)).isEqualTo(1);
            store.await(() -> answers.size() == 15);
            assertThat(answers).containsOnly(new None(Reason.FULL));

            server.resume();

            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(Collections.frequency(answers, new Absent())).isEqualTo(10);
        }
    }

    private static RedisSettings queueOf(RedisSettings given, int queue) {
        var limits = given.limits();
        return with(given, new CallLimits(limits.timeout(), queue, limits.writingBytes(), 0));
    }

    @Test
    void recordsThatWaitHaveALimitInBytes() {
        try (var server = RedisServer.redis();
                var store = OpenStore.of(server)) {
            server.suspend();
            var record = Unpooled.wrappedBuffer(new byte[store.records.maxRecordBytes()]);
            for (int i = 0; i < 65; i++) {
                store.records.put(PLACE, version(1, i), 1_000, record);
            }
            record.release();

            assertThat(store.records.count(TierWrite.DROPPED)).isEqualTo(1);

            server.resume();
            store.settle();
            assertThat(record.refCnt()).isZero();
        }
    }

    @Test
    void aFullStoreIsReadAndNamed() {
        try (var server =
                        RedisServer.redis("--maxmemory", "1", "--maxmemory-policy", "noeviction");
                var store = OpenStore.of(server)) {
            store.put(PLACE, version(1, 1), record(version(1, 1), "page"));

            assertThat(store.records.count(TierWrite.FAILED)).isEqualTo(1);
            assertThat(store.get(PLACE)).isEqualTo(new Absent());
            assertThat(store.records.isUsable()).isTrue();
            assertThat(store.records.server().failure().orElseThrow())
                    .startsWith("the store is full and removes nothing: OOM ")
                    .endsWith("(expected maxmemory-policy volatile-lfu)");

            server.cli("CONFIG", "SET", "maxmemory", "0");
            store.await(() -> {
                store.put(PLACE, version(1, 1), record(version(1, 1), "page"));
                return store.records.server().failure().isEmpty();
            });
            assertThat(store.records.count(TierWrite.STORED)).isPositive();
        }
    }

    @Test
    void aWrongPasswordIsNamed() {
        try (var server = RedisServer.redis("--requirepass", "right");
                var none = OpenStore.open(settings(server.port()));
                var wrong = OpenStore.open(loginOf(settings(server.port()), "wrong"));
                var right = OpenStore.open(loginOf(settings(server.port()), "right"))) {
            for (var each : List.of(none, wrong)) {
                // A connection may be closed before the server has answered.
                each.await(() ->
                        each.records
                                .server()
                                .failure()
                                .filter(reason -> reason.startsWith(REFUSED))
                                .isPresent());
                assertThat(each.records.server().failure().orElseThrow())
                        .endsWith(
                                "(expected shared.username and shared.password-file as the store"
                                        + " has them)")
                        .doesNotContain("wrong\"");
                assertThat(each.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            }
            right.awaitConnections(2);
            assertThat(right.get(PLACE)).isEqualTo(new Absent());
        }
    }

    private static RedisSettings loginOf(RedisSettings given, String password) {
        return with(given, new Login(Optional.empty(), Optional.of(password)), Optional.empty());
    }

    @Test
    void closingWithCallsInFlightEndsThem() {
        try (var server = RedisServer.redis()) {
            var answers = new ConcurrentLinkedQueue<Answer>();
            try (var store = OpenStore.of(server)) {
                server.suspend();
                store.records.get(PLACE, store.loop(), answers::add);
                store.records.get(PLACE, store.loop(1), answers::add);
                store.records.close();
                store.await(() -> answers.size() == 2);
                assertThat(answers).containsOnly(new None(Reason.CLOSED));
                assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            }
            server.resume();
        }
    }
}
