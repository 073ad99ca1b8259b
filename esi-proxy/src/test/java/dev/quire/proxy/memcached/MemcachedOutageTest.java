package dev.quire.proxy.memcached;

import static dev.quire.proxy.memcached.OpenMemcached.PLACE;
import static dev.quire.proxy.memcached.OpenMemcached.bytes;
import static dev.quire.proxy.memcached.OpenMemcached.record;
import static dev.quire.proxy.memcached.OpenMemcached.version;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.cache.SharedRecords.Value;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.store.RecordKeys;
import dev.quire.proxy.store.ServerConnection;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memcached servers that are away, slow, or none at all. */
class MemcachedOutageTest {

    @Test
    void aServerThatIsAwayIsFoundAgain() {
        try (var server = MemcachedServer.with();
                var store = OpenMemcached.of(server)) {
            store.put(PLACE, version(1), record(version(1), "page"));

            server.kill();
            store.await(() -> store.servers.connections() == 0);
            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            assertThat(store.lease(PLACE, null)).isEqualTo(new None(Reason.CLOSED));
            assertThat(store.servers.state()).isEqualTo(2);
            assertThat(store.servers.failure().orElseThrow())
                    .contains("no connection to the store at 127.0.0.1:" + server.port());

            server.start();
            store.awaitConnections(2);
            assertThat(store.get(PLACE)).describedAs("restarted empty").isEqualTo(new Absent());
            assertThat(store.servers.failure()).isEmpty();
        }
    }

    @Test
    void aServerThatDoesNotAnswerCostsATimeoutUntilTheCircuitOpens() {
        try (var server = MemcachedServer.with();
                var store =
                        OpenMemcached.connected(
                                OpenMemcached.with(
                                        OpenMemcached.settings(server.port()),
                                        Duration.ofMillis(50),
                                        8))) {
            store.put(PLACE, version(1), record(version(1), "page"));
            server.suspend();

            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.TIMEOUT));
            store.await(() -> store.get(PLACE).equals(new None(Reason.FULL)));
            assertThat(store.servers.waiting()).isEqualTo(8);

            server.resume();
            store.await(() -> store.servers.waiting() == 0);
            assertThat(bytes(store.get(PLACE)))
                    .describedAs("late replies are not those of later calls")
                    .isEqualTo(record(version(1), "page"));
        }
    }

    @Test
    void aStoppedServerIsTriedAgain() {
        try (var server = MemcachedServer.with();
                var store =
                        OpenMemcached.connected(
                                OpenMemcached.with(
                                        OpenMemcached.settings(server.port()),
                                        Duration.ofMillis(20),
                                        1_000))) {
            store.put(PLACE, version(1), record(version(1), "page"));
            server.suspend();
            store.await(() -> store.get(PLACE).equals(new None(Reason.CLOSED)));
            assertThat(store.servers.failure()).isPresent();

            server.resume();
            store.await(store.records::isUsable);
            store.await(() -> store.get(PLACE) instanceof Value value && value.record().release());
            assertThat(store.servers.failure()).isEmpty();
        }
    }

    @Test
    void keysHaveOneHomeAndStayThereIfAnotherServerIsAway() {
        try (var first = MemcachedServer.with();
                var second = MemcachedServer.with();
                var store =
                        OpenMemcached.connected(
                                OpenMemcached.settings(first.port(), second.port()));
                var other =
                        OpenMemcached.connected(
                                OpenMemcached.settings(second.port(), first.port()))) {
            var record = record(version(1), "page");
            for (int i = 0; i < 100; i++) {
                store.put(place(i), version(1), record);
                assertThat(bytes(other.get(place(i))))
                        .describedAs("the order of the servers is of no meaning")
                        .isEqualTo(record);
            }
            second.kill();
            store.await(() -> store.servers.connections() == 2);
            assertThat(store.records.isUsable()).isTrue();

            int found = 0;
            for (int i = 0; i < 100; i++) {
                switch (store.get(place(i))) {
                    case Value value -> {
                        found++;
                        value.record().release();
                    }
                    case None(var reason) -> assertThat(reason).isEqualTo(Reason.CLOSED);
                    default -> throw new AssertionError("moved to another server");
                }
            }
            assertThat(found).isBetween(25, 75);
            store.put(place(0), version(2), record(version(2), "newer"));
            assertThat(
                            store.records.count(TierWrite.STORED)
                                    + store.records.count(TierWrite.DROPPED))
                    .isEqualTo(101);
        }
    }

    @Test
    void aServerThatDoesNotAnswerLeavesTheQueueOfTheOthers() {
        try (var hung = MemcachedServer.with();
                var live = MemcachedServer.with();
                var store =
                        OpenMemcached.connected(
                                OpenMemcached.with(
                                        OpenMemcached.settings(hung.port(), live.port()),
                                        Duration.ofSeconds(2),
                                        8))) {
            var onHung = placeOn(hung, store);
            var onLive = placeOn(live, store);
            hung.suspend();

            for (int i = 0; i < 4; i++) {
                store.records.get(onHung, store.loop(), late -> {});
            }
            assertThat(store.get(onHung)).isEqualTo(new None(Reason.FULL));
            assertThat(store.servers.waiting()).isEqualTo(4);
            assertThat(bytes(store.get(onLive))).isEqualTo(record(version(1), "page"));
            store.records.put(onHung, version(2), 60_000, Unpooled.EMPTY_BUFFER);
            assertThat(store.records.count(TierWrite.DROPPED)).isEqualTo(1);
            long stored = store.records.count(TierWrite.STORED);
            write(onLive, store, record(version(2), "newer"));
            store.await(() -> store.records.count(TierWrite.STORED) == stored + 1);
        }
    }

    @Test
    void recordsForAServerThatDoesNotAnswerLeaveTheMemoryOfTheOthers() {
        try (var hung = MemcachedServer.with();
                var live = MemcachedServer.with();
                var store =
                        OpenMemcached.connected(OpenMemcached.settings(hung.port(), live.port()))) {
            var onHung = placeOn(hung, store);
            var onLive = placeOn(live, store);
            hung.suspend();
            var record = record(version(2), "x".repeat(250_000));

            while (store.records.count(TierWrite.DROPPED) == 0) {
                write(onHung, store, record);
            }
            assertThat(store.servers.waiting())
                    .describedAs("16 MiB, half of it for each server")
                    .isEqualTo((8 << 20) / record.length);
            long stored = store.records.count(TierWrite.STORED);
            write(onLive, store, record);
            store.await(() -> store.records.count(TierWrite.STORED) == stored + 1);
        }
    }

    private static void write(Place place, OpenMemcached store, byte[] record) {
        var bytes = Unpooled.wrappedBuffer(record);
        store.records.put(place, version(2), 60_000, bytes);
        bytes.release();
    }

    /** Returns a place whose record {@code server} has. */
    private static Place placeOn(MemcachedServer server, OpenMemcached store) {
        for (int i = 0; ; i++) {
            store.put(place(i), version(1), record(version(1), "page"));
            if (!server.tell("mg " + key(place(i))).equals("EN")) {
                return place(i);
            }
        }
    }

    private static String key(Place place) {
        return new String(new RecordKeys("q1").record(place), US_ASCII);
    }

    private static Place place(int number) {
        return new Place(new RecordHash(0x9e3779b97f4a7c15L * (number + 1), 1), null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "VA 99999999999 \r\n",
                "VA -1 \r\n",
                "VA x \r\n",
                "VA\r\n",
                "VA 3\r\nabcdefg\r\n",
                "VA 3 O1\r\nabc\r\n",
                "HD f99999999999999999999999\r\n",
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "EN\n",
                "\r\n",
                "ERROR\r\n",
                "CLIENT_ERROR bad command line format\r\n",
                "EN\r\nEN\r\n"
            })
    void whatIsNoReplyEndsTheConnection(String reply) {
        try (var server = new HostileServer((line, out) -> HostileServer.write(out, reply));
                var store = OpenMemcached.connected(OpenMemcached.settings(server.port()))) {
            var answer = store.get(PLACE);

            store.await(() -> store.servers.failure().isPresent());
            assertThat(answer)
                    .isIn(
                            new None(Reason.CLOSED),
                            new None(Reason.ERROR),
                            // Followed by another one.
                            new Absent());
            store.settle();
        }
    }

    /** Else the log would have a fault and its end at each attempt. */
    @Test
    void aConnectionAloneDoesNotSayThatTheServerWorks() throws Exception {
        try (var server = new HostileServer((line, out) -> HostileServer.write(out, "no\r\n"));
                var store = OpenMemcached.connected(OpenMemcached.settings(server.port()))) {
            for (int i = 0; i < 3; i++) {
                assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
                store.await(() -> store.servers.failure().isPresent());
                store.awaitConnections(2);
                store.settle();
                assertThat(store.servers.failure()).isPresent();
            }
        }
    }

    /** The leak detection of the tests finds a value that is not released. */
    @Test
    void aValueThatWasNotAskedForEndsTheConnection() {
        try (var server =
                        new HostileServer((line, out) -> {
                            var mark = line.replaceFirst("(?s).* (O\\d+)\r\n", "$1");
                            HostileServer.write(out, "VA 3 c1 f1 " + mark + "\r\nabc\r\n");
                        });
                var store = OpenMemcached.connected(OpenMemcached.settings(server.port()))) {
            store.put(PLACE, version(1), record(version(1), "page"));

            store.await(() -> store.servers.failure().isPresent());
            assertThat(store.records.count(TierWrite.STORED)).isZero();
        }
    }

    @Test
    void aLineWithoutAnEndEndsTheConnection() {
        try (var server = new HostileServer(MemcachedOutageTest::endless);
                var store = OpenMemcached.connected(OpenMemcached.settings(server.port()))) {
            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            store.await(() -> store.servers.failure().isPresent());
            assertThat(store.servers.failure().orElseThrow()).contains("more than 2048 bytes");
            store.settle();
        }
    }

    private static void endless(String line, java.io.OutputStream out) throws IOException {
        while (true) {
            HostileServer.write(out, "H".repeat(100));
        }
    }

    @Test
    void aConnectionThatEndsWithinAValueAnswersNothing() {
        try (var server =
                        new HostileServer((line, out) -> {
                            HostileServer.write(out, "VA 100000\r\nabc");
                            out.close();
                        });
                var store = OpenMemcached.connected(OpenMemcached.settings(server.port()))) {
            assertThat(store.get(PLACE)).isEqualTo(new None(Reason.CLOSED));
            store.settle();
        }
    }

    /** A socket that cannot be opened. */
    public static final class Unopened extends NioSocketChannel {
        public Unopened() {
            throw new ChannelException("too many open files");
        }
    }

    @Test
    void aSocketThatCannotBeOpenedIsALostConnectionOnItsLoop() {
        var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        var loop = loops.next();
        var heard = new CompletableFuture<String>();
        var listener =
                new ServerConnection.Listener() {
                    @Override
                    public void connected() {}

                    @Override
                    public void disconnected(boolean wasConnected, String why) {
                        heard.complete(why + " " + loop.inEventLoop());
                    }

                    @Override
                    public void answered() {}

                    @Override
                    public void failed(Reason reason, String detail) {}
                };
        var settings = OpenMemcached.settings(1);
        var server = settings.servers().getFirst();
        var connection = new MetaConnection(loop, server, Unopened.class, settings, listener);
        loop.execute(connection::open);

        assertThat(heard.orTimeout(10, TimeUnit.SECONDS).join())
                .startsWith("unable to create Channel")
                .endsWith(" true");
        loop.submit(connection::close).syncUninterruptibly();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
