package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.EPOCH;
import static dev.quire.proxy.redis.OpenStore.KEY;
import static dev.quire.proxy.redis.OpenStore.PLACE;
import static dev.quire.proxy.redis.OpenStore.VARIANT;
import static dev.quire.proxy.redis.OpenStore.bytes;
import static dev.quire.proxy.redis.OpenStore.record;
import static dev.quire.proxy.redis.OpenStore.version;
import static dev.quire.proxy.redis.OpenStore.with;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.Ending;
import dev.quire.proxy.cache.SharedRecords.Failed;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Taken;
import dev.quire.proxy.cache.SharedRecords.Uncacheable;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.store.Lease;
import dev.quire.proxy.store.RecordTerms;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records and leases in a Redis server. */
class RedisRecordsTest {
    private static RedisServer server;
    private OpenStore store;

    @BeforeAll
    static void start() {
        server = RedisServer.redis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.cli("FLUSHALL");
        store = OpenStore.of(server);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aRecordIsFoundAtItsPlaceOnly() {
        var record = record(version(1, 1), "page");
        assertThat(store.get(PLACE)).isEqualTo(new Absent());

        store.put(PLACE, version(1, 1), record);

        assertThat(bytes(store.get(PLACE))).isEqualTo(record);
        assertThat(store.get(VARIANT)).isEqualTo(new Absent());
        assertThat(store.get(new Place(new RecordHash(2, -2), null))).isEqualTo(new Absent());
    }

    @Test
    void theKeysOfAResourceAreInOneSlot() {
        store.put(PLACE, version(1, 1), record(version(1, 1), "list"));
        store.put(VARIANT, version(1, 1), record(version(1, 1), "variant"));
        store.lease(VARIANT, version(1, 1));

        assertThat(server.cli("KEYS", "*").lines())
                .containsExactlyInAnyOrder(
                        KEY,
                        KEY + ":00000000000000030000000000000004",
                        KEY + ":00000000000000030000000000000004:l");
    }

    @Test
    void aRecordExpires() {
        var record = Unpooled.copiedBuffer(record(version(1, 1), "page"));
        store.records.put(PLACE, version(1, 1), 50_000, record);
        store.records.put(VARIANT, version(1, 1), Duration.ofDays(30).toMillis(), record);
        record.release();
        store.settle();

        assertThat(pttl(KEY)).isBetween(45_000L, 50_000L);
        assertThat(pttl(KEY + ":00000000000000030000000000000004"))
                .describedAs("the largest time")
                .isBetween(86_000_000L, 86_400_000L);
    }

    private static long pttl(String key) {
        return Long.parseLong(server.cli("PTTL", key));
    }

    @Test
    void theLaterOfTwoRecordsStays() {
        var later = record(version(257, 1), "later");
        store.put(PLACE, version(257, 1), later);

        store.put(PLACE, version(256, 999), record(version(256, 999), "earlier position"));
        store.put(PLACE, version(257, 0), record(version(257, 0), "earlier time"));

        assertThat(bytes(store.get(PLACE))).isEqualTo(later);
        assertThat(store.records.count(TierWrite.STORED)).isEqualTo(1);
        assertThat(store.records.count(TierWrite.REPLACED)).isEqualTo(2);

        var newest = record(version(257, 2), "newest");
        store.put(PLACE, version(257, 2), newest);
        assertThat(bytes(store.get(PLACE))).isEqualTo(newest);
        var other = record(version(257, 2), "of the same time");
        store.put(PLACE, version(257, 2), other);
        assertThat(bytes(store.get(PLACE))).isEqualTo(other);
    }

    @Test
    void aRecordOfAnotherEpochIsNotLater() {
        store.put(PLACE, version(9, 9), record(version(9, 9), "of the first epoch"));
        store.epoch.set(7);
        var next = new Version(new RecordPosition(7, 1), 1);

        store.put(PLACE, next, record(next, "of the second"));

        assertThat(bytes(store.get(PLACE))).isEqualTo(record(next, "of the second"));
        store.put(PLACE, version(10, 10), record(version(10, 10), "of the first again"));
        assertThat(bytes(store.get(PLACE))).isEqualTo(record(next, "of the second"));
        assertThat(store.records.count(TierWrite.REPLACED)).isEqualTo(1);
    }

    @Test
    void aRecordIsRemovedUnlessItIsLater() {
        store.put(PLACE, version(5, 5), record(version(5, 5), "page"));

        store.records.remove(PLACE, version(5, 4));
        store.settle();
        assertThat(bytes(store.get(PLACE))).isNotEmpty();
        store.records.remove(PLACE, version(5, 5));
        store.settle();
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
    }

    @Test
    void theLeaseIsForOneProcessUntilItIsReturned() {
        try (var other = OpenStore.of(server)) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(store.lease(PLACE, null)).describedAs("its own").isEqualTo(new Absent());
            assertThat(other.lease(PLACE, null)).isEqualTo(new Taken());
            assertThat(other.lease(VARIANT, null)).isEqualTo(new Absent());

            other.records.release(PLACE, Ending.NONE);
            other.settle();
            assertThat(other.lease(PLACE, null)).describedAs("not its own").isEqualTo(new Taken());
            store.records.release(PLACE, Ending.NONE);
            store.settle();
            assertThat(other.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(store.lease(PLACE, null)).isEqualTo(new Taken());
            assertThat(store.records.count(Lease.GRANTED)).isEqualTo(2);
            assertThat(store.records.count(Lease.TAKEN)).isEqualTo(1);
        }
    }

    @Test
    void ofAHundredCallersOnTwoProcessesOneHasTheLease() throws Exception {
        try (var other = OpenStore.of(server)) {
            var answers = new ConcurrentLinkedQueue<Answer>();
            var all = new CountDownLatch(100);
            for (int i = 0; i < 50; i++) {
                var place = new Place(new RecordHash(8, i / 25), null);
                for (var each : List.of(store, other)) {
                    each.records.lease(
                            place,
                            null,
                            each.loop(i % 2),
                            answer -> {
                                answers.add(
                                        each == store && answer instanceof Absent
                                                ? new Failed()
                                                : answer);
                                all.countDown();
                            });
                }
            }
            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();

            // A process has its own lease again; so each place was granted to one of the two.
            assertThat(Collections.frequency(answers, new Taken())).isEqualTo(50);
        }
    }

    @Test
    void aLeaseEndsByItself() {
        try (var brief = OpenStore.of(server, given -> leaseOf(given, Duration.ofMillis(100)));
                var other = OpenStore.of(server)) {
            assertThat(brief.lease(PLACE, null)).isEqualTo(new Absent());

            store.await(() -> server.cli("EXISTS", KEY + ":l").equals("0"));

            assertThat(other.lease(PLACE, null)).isEqualTo(new Absent());
        }
    }

    private static RedisSettings leaseOf(RedisSettings given, Duration lease) {
        var records = given.records();
        return with(
                given,
                new RecordTerms(records.maxBytes(), records.maxTtl(), lease, records.secret()));
    }

    @Test
    void aLeaseIsReturnedByTheRecord() {
        try (var other = OpenStore.of(server)) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(other.lease(PLACE, null)).isEqualTo(new Taken());
            var record = record(version(1, 1), "page");

            store.put(PLACE, version(1, 1), record);

            assertThat(bytes(other.lease(PLACE, null))).isEqualTo(record);
            assertThat(bytes(other.lease(PLACE, version(1, 0)))).isEqualTo(record);
            assertThat(other.lease(PLACE, version(1, 1)))
                    .describedAs("that record is of no use")
                    .isEqualTo(new Absent());
        }
    }

    @Test
    void aRecordOfAnotherProcessDoesNotReturnTheLease() {
        try (var other = OpenStore.of(server)) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            other.put(PLACE, version(1, 1), record(version(1, 1), "page"));

            assertThat(other.lease(PLACE, version(1, 1))).isEqualTo(new Taken());
        }
    }

    @Test
    void aFailedFetchIsKnownForASecond() {
        try (var other = OpenStore.of(server)) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            store.records.release(PLACE, Ending.FAILED);
            store.settle();

            assertThat(other.lease(PLACE, null)).isEqualTo(new Failed());
            assertThat(pttl(KEY + ":l")).isBetween(1L, 1_000L);
            store.await(() -> server.cli("EXISTS", KEY + ":l").equals("0"));
            assertThat(other.lease(PLACE, null)).isEqualTo(new Absent());
        }
    }

    @Test
    void anUncacheableResponseIsKnownForTwoMinutesAndHidesNoRecord() {
        try (var other = OpenStore.of(server)) {
            store.records.release(PLACE, Ending.UNCACHEABLE);
            store.settle();

            assertThat(other.lease(PLACE, null)).isEqualTo(new Uncacheable());
            assertThat(pttl(KEY + ":l")).isBetween(110_000L, 120_000L);
            var record = record(version(1, 1), "page");
            store.put(PLACE, version(1, 1), record);
            assertThat(bytes(other.lease(PLACE, null))).isEqualTo(record);
            assertThat(other.lease(PLACE, version(1, 1)))
                    .describedAs("the newer response is cacheable")
                    .isEqualTo(new Absent());
        }
    }

    @Test
    void aRecordThatIsTooLongIsNotWrittenAndNotRead() {
        int most = store.records.maxRecordBytes();
        var longest = Arrays.copyOf(record(version(1, 1), ""), most);
        store.put(PLACE, version(1, 1), longest);
        assertThat(bytes(store.get(PLACE))).isEqualTo(longest);
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(longest);

        store.put(VARIANT, version(1, 1), Arrays.copyOf(longest, most + 1));
        assertThat(store.get(VARIANT)).isEqualTo(new Absent());
        assertThat(store.records.count(TierWrite.REFUSED)).isEqualTo(1);

        server.cli("APPEND", KEY, "x");
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.records.corrupt()).isEqualTo(1);
        store.settle();
        assertThat(server.cli("EXISTS", KEY)).isEqualTo("0");
    }

    @Test
    void aValueOfAnotherTypeIsRemoved() {
        server.cli("LPUSH", KEY, "x");

        assertThat(store.get(PLACE).getClass().getSimpleName()).isEqualTo("None");

        store.settle();
        assertThat(server.cli("EXISTS", KEY)).isEqualTo("0");
        assertThat(store.records.isUsable()).isTrue();
    }

    @Test
    void aLeaseOfAnotherTypeIsRemoved() {
        server.cli("LPUSH", KEY + ":l", "x");

        assertThat(store.lease(PLACE, null).getClass().getSimpleName()).isEqualTo("None");

        store.settle();
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
    }

    @Test
    void aDamagedRecordIsRemoved() {
        store.put(PLACE, version(1, 1), record(version(1, 1), "page"));

        store.records.corrupt(PLACE);
        store.settle();

        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.records.corrupt()).isEqualTo(1);
    }

    @Test
    void withASecretOnlyItsRecordsAreRead() {
        try (var signing = OpenStore.of(server, given -> signedBy(given, "one secret"));
                var other = OpenStore.of(server, given -> signedBy(given, "another"))) {
            var record = record(version(1, 1), "page");
            signing.put(PLACE, version(1, 1), record);
            assertThat(server.cli("STRLEN", KEY)).isEqualTo(record.length + 16 + "");
            assertThat(bytes(signing.get(PLACE))).isEqualTo(record);
            assertThat(bytes(signing.lease(PLACE, null))).isEqualTo(record);

            server.cli("COPY", KEY, KEY + ":00000000000000030000000000000004");
            assertThat(signing.get(VARIANT)).describedAs("of another key").isEqualTo(new Absent());
            assertThat(signing.records.corrupt()).isEqualTo(1);

            assertThat(other.get(PLACE)).describedAs("another secret").isEqualTo(new Absent());
            other.settle();
            assertThat(server.cli("EXISTS", KEY)).isEqualTo("0");
        }
    }

    private static RedisSettings signedBy(RedisSettings given, String secret) {
        var records = given.records();
        var bytes = Optional.of(secret.getBytes(UTF_8));
        return with(
                given,
                new RecordTerms(records.maxBytes(), records.maxTtl(), records.lease(), bytes));
    }

    @Test
    void answersComeOnTheLoopOfTheCallAndAfterIt() throws Exception {
        var wrong = new ConcurrentLinkedQueue<String>();
        var all = new CountDownLatch(400);
        for (int i = 0; i < 200; i++) {
            var loop = store.loop(i % 2);
            Runnable ask =
                    () -> {
                        boolean isOnLoop = loop.inEventLoop();
                        boolean[] isIn = {loop.inEventLoop()};
                        store.records.get(
                                PLACE,
                                loop,
                                answer -> {
                                    if (!loop.inEventLoop() || (isOnLoop && isIn[0])) {
                                        wrong.add(answer + " within the call, or not on the loop");
                                    }
                                    all.countDown();
                                });
                        isIn[0] = false;
                    };
            loop.execute(ask);
            ask.run();
        }

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).isEmpty();
    }

    @Test
    void scriptsAreLoadedAgainAfterTheServerHasForgottenThem() {
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());

        server.cli("SCRIPT", "FLUSH");

        var record = record(version(1, 1), "page");
        store.put(PLACE, version(1, 1), record);
        server.cli("SCRIPT", "FLUSH");
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(record);
        assertThat(store.records.server().failure()).isEmpty();
    }

    @Test
    void theHolderIsRandom() {
        try (var other = OpenStore.of(server)) {
            assertThat(store.records.holderName())
                    .matches("[0-9a-f]{16}")
                    .isNotEqualTo(other.records.holderName());
            assertThat(EPOCH).describedAs("signs are no part of the order").isNegative();
        }
    }
}
