package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.PLACE;
import static dev.quire.proxy.redis.OpenStore.bytes;
import static dev.quire.proxy.redis.OpenStore.record;
import static dev.quire.proxy.redis.OpenStore.settings;
import static dev.quire.proxy.redis.OpenStore.version;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.Ending;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.cache.SharedRecords.Taken;
import dev.quire.proxy.cache.SharedRecords.Value;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology.Cluster;
import dev.quire.proxy.store.RecordKeys;
import io.lettuce.core.cluster.SlotHash;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in a cluster. */
class RedisClusterTest {
    private static final int SLOTS = ClusterServers.SLOTS;
    private static final int BATCH = 512;

    @TempDir static Path folder;
    private static ClusterServers cluster;
    private OpenStore store;

    @BeforeAll
    static void start() {
        cluster = ClusterServers.start("redis-server", folder, false);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        cluster.servers().forEach(server -> server.cli("FLUSHALL"));
        store = OpenStore.open(cluster.settings());
        store.awaitConnections(2);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** A place for each slot. */
    private static List<Place> places() {
        var keys = new RecordKeys("q1");
        var places = new Place[SLOTS];
        int missing = places.length;
        for (long i = 0; missing > 0; i++) {
            var place = new Place(new RecordHash(i, ~i), null);
            int slot = SlotHash.getSlot(keys.record(place));
            if (places[slot] == null) {
                places[slot] = place;
                missing--;
            }
        }
        return List.of(places);
    }

    @Test
    void recordsOfSlotsOfAllServersAreWrittenFoundLeasedAndRemoved() throws Exception {
        var record = record(version(1, 1), "page");
        var places =
                IntStream.range(0, SLOTS)
                        .filter(RedisClusterTest::isTried)
                        .mapToObj(places()::get)
                        .toList();
        try (var other = OpenStore.open(cluster.settings())) {
            other.awaitConnections(2);
            for (int start = 0; start < places.size(); start += BATCH) {
                var batch = places.subList(start, Math.min(start + BATCH, places.size()));
                each(
                        batch,
                        (place, then) -> store.records.lease(place, null, store.loop(), then),
                        Absent.class::isInstance);
                each(
                        batch,
                        (place, then) -> other.records.lease(place, null, other.loop(), then),
                        Taken.class::isInstance);
                batch.forEach(place -> {
                    var bytes = Unpooled.copiedBuffer(record);
                    store.records.put(place, version(1, 1), 60_000, bytes);
                    bytes.release();
                });
                store.settle();
                each(
                        batch,
                        (place, then) -> other.records.get(place, other.loop(1), then),
                        Value.class::isInstance);
                each(
                        batch,
                        (place, then) -> other.records.lease(place, null, other.loop(), then),
                        Value.class::isInstance);
                batch.forEach(place -> other.records.remove(place, version(1, 1), null));
                batch.forEach(place -> other.records.release(place, Ending.FAILED));
                other.settle();
                each(
                        batch,
                        (place, then) -> store.records.get(place, store.loop(1), then),
                        Absent.class::isInstance);
            }
            assertThat(store.records.count(TierWrite.STORED)).isEqualTo(places.size());
            assertThat(store.records.server().failure()).isEmpty();
        }
    }

    /** Also the first and the last slot of each server. */
    private static boolean isTried(int slot) {
        return slot % 16 == 0
                || IntStream.rangeClosed(1, 3)
                        .map(i -> SLOTS * i / 3)
                        .anyMatch(end -> slot == end - 1 || slot == end);
    }

    private interface Call {
        void of(Place place, Consumer<Answer> then);
    }

    private static void each(List<Place> places, Call call, Predicate<Answer> isExpected)
            throws InterruptedException {
        var unexpected = new ConcurrentLinkedQueue<Answer>();
        var all = new CountDownLatch(places.size());
        for (var place : places) {
            call.of(
                    place,
                    answer -> {
                        if (!isExpected.test(answer)) {
                            unexpected.add(answer);
                        }
                        if (answer instanceof Value value) {
                            value.record().release();
                        }
                        all.countDown();
                    });
        }
        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(unexpected).isEmpty();
    }

    @Test
    void answersComeOnTheLoopOfTheCall() throws Exception {
        var places = places();
        var wrong = new ConcurrentLinkedQueue<Answer>();
        var all = new CountDownLatch(200);
        for (int i = 0; i < 200; i++) {
            var loop = store.loop(i % 2);
            var place = places.get(i * 80);
            loop.execute(() ->
                    store.records.get(
                            place,
                            loop,
                            answer -> {
                                if (!loop.inEventLoop() || !(answer instanceof Absent)) {
                                    wrong.add(answer);
                                }
                                all.countDown();
                            }));
        }
        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).isEmpty();
    }

    @Test
    void aSlotThatMovesIsFollowed() {
        int slot = SlotHash.getSlot(OpenStore.KEY);
        var from = cluster.primaryOf(OpenStore.KEY);
        var to = cluster.servers().stream().filter(each -> each != from).findFirst().orElseThrow();
        var idFrom = from.cli("CLUSTER", "MYID");
        var idTo = to.cli("CLUSTER", "MYID");
        to.cli("CLUSTER", "SETSLOT", slot + "", "IMPORTING", idFrom);
        from.cli("CLUSTER", "SETSLOT", slot + "", "MIGRATING", idTo);
        var record = record(version(1, 1), "page");

        // ASK is followed. Servers refuse calls with two keys meanwhile.
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.lease(PLACE, null)).isEqualTo(new None(Reason.ERROR));
        assertThat(store.records.server().failure().orElseThrow())
                .startsWith("the cluster moves a slot: TRYAGAIN ");
        assertThat(store.records.isUsable()).isTrue();
        for (var server : List.of(to, from)) {
            server.cli("CLUSTER", "SETSLOT", slot + "", "NODE", idTo);
        }
        store.put(PLACE, version(1, 1), record);
        assertThat(bytes(store.get(PLACE))).isEqualTo(record);
        store.put(PLACE, version(1, 2), record(version(1, 2), "next"));
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(record(version(1, 2), "next"));
        assertThat(to.cli("CLUSTER", "COUNTKEYSINSLOT", slot + "")).isEqualTo("1");

        to.cli("FLUSHALL");
        // Else its claim would be older than that of the other one, which the third one repeats.
        from.cli("CLUSTER", "SETSLOT", slot + "", "IMPORTING", idTo);
        for (var server : List.of(from, to)) {
            server.cli("CLUSTER", "SETSLOT", slot + "", "NODE", idFrom);
        }
        store.await(() -> store.get(PLACE).equals(new Absent()));
    }

    @Test
    void wrongSettingsAreNamed() {
        var away = cluster.primaryOf(OpenStore.KEY);
        var one = cluster.servers().stream().filter(each -> each != away).findFirst().orElseThrow();
        try (var store = OpenStore.open(settings(one.port()))) {
            store.awaitConnections(2);
            assertThat(store.get(PLACE)).isInstanceOf(None.class);
            assertThat(store.records.server().failure().orElseThrow())
                    .startsWith("the server belongs to a cluster: MOVED ")
                    .endsWith("(expected shared.mode: cluster)");
        }
        try (var server = RedisServer.redis();
                var store = OpenStore.open(clusterOf(server))) {
            store.await(() -> store.records.server().failure().isPresent());
            assertThat(store.records.server().failure().orElseThrow())
                    .startsWith("the server does not belong to a cluster: ERR This instance has")
                    .endsWith("(expected shared.mode: standalone)");
            assertThat(store.get(PLACE)).isInstanceOf(None.class);

            server.kill();
            try (var none = OpenStore.open(clusterOf(server))) {
                none.await(() -> none.records.server().failure().isPresent());
                assertThat(none.records.server().failure().orElseThrow())
                        .startsWith("no connection to the store: connection refused")
                        .endsWith("(expected a server at the addresses of shared.servers)");
            }
        }
    }

    private static RedisSettings clusterOf(RedisServer server) {
        return settings(new Cluster(List.of(new Server("127.0.0.1", server.port()))));
    }

    @Test
    void theReplicaIsUsedAfterItsPrimaryServerIsKilled(@TempDir Path files) {
        try (var servers = ClusterServers.start("redis-server", files, true);
                var used = OpenStore.open(servers.settings())) {
            used.awaitConnections(2);
            var record = record(version(1, 1), "page");
            used.put(PLACE, version(1, 1), record);
            var keys = new RecordKeys("q1");
            var lost = servers.primaryOf(OpenStore.KEY);
            var kept =
                    places().stream()
                            .filter(place ->
                                    servers.primaryOf(new String(keys.record(place), US_ASCII))
                                            != lost)
                            .findFirst()
                            .orElseThrow();
            servers.replicaOf(lost).awaitCopyOf(lost);

            lost.kill();

            long start = System.nanoTime();
            int answered = 0;
            while (!(used.get(PLACE) instanceof Value value)) {
                if (used.get(kept) instanceof Absent) {
                    answered++;
                }
                assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
            }
            value.record().release();
            assertThat(answered).describedAs("answers of the other servers").isPositive();
            // The other loop may learn of it a moment later.
            used.await(() -> {
                used.put(PLACE, version(1, 2), record(version(1, 2), "next"));
                return used.records.count(TierWrite.STORED) > 1;
            });
            assertThat(bytes(used.get(PLACE))).isEqualTo(record(version(1, 2), "next"));
        }
    }
}
