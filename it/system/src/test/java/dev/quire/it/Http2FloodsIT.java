package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.Http2Wire;
import dev.quire.test.wire.internal.WireFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that send many frames, or take nothing: each loses its connection or waits, while memory
 * and the requests at the origin are bounded and another connection is served.
 */
class Http2FloodsIT {
    private static final int MIB = 1024 * 1024;
    private static final int STREAMS = 100;
    private static final long MOST_MEMORY = 16L * MIB;
    private static final Duration SPAN = Duration.ofSeconds(5);
    private static final long FLOOD_EVERY_MILLIS = 100;

    /** Much less than a client's patience; the floods take the same processors. */
    private static final Duration MOST_P99 = Duration.ofSeconds(1);

    private static final int TABLE_SIZE = 1;
    private static final int CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW = 4;

    private final Http2Edge edge = new Http2Edge();
    private final AtomicInteger flooded = new AtomicInteger();

    @AfterEach
    void stop() {
        edge.close();
    }

    static Stream<Arguments> floods() {
        return Arrays.stream(Http2Flood.values())
                .flatMap(flood ->
                        Arrays.stream(Transport.values()).map(way -> Arguments.of(flood, way)));
    }

    @ParameterizedTest(name = "{0} over {1}")
    @MethodSource("floods")
    void floodEndsItsConnectionOnly(Http2Flood flood, Transport way) throws Exception {
        edge.origin().otherwise(request -> page("late", "private, no-store"));
        try (var held = edge.origin().hold(Http2Flood.PATH);
                var others = new Others(way);
                var wire = edge.client(way).open()) {
            long before = Memory.used();

            wire.flood(flood.times(), i -> flood.frames(wire.scheme(), i));
            var end = wire.awaitGoAway();
            wire.awaitEnded();
            long more = Memory.used() - before;

            assertThat(end).isIn(flood.ends());
            assertThat(more).as("bytes of memory").isLessThan(MOST_MEMORY);
            int announced = (int) wire.setting(CONCURRENT_STREAMS);
            assertThat(others.mostAtOrigin())
                    .as("requests at the origin at once")
                    .isLessThanOrEqualTo(announced);
            others.assertServed();
            held.release();
        }
    }

    /** A client waits for the end, which is not delayed by what it may still send. */
    @ParameterizedTest
    @EnumSource
    void connectionErrorEndsTheConnectionAtOnce(Transport way) throws Exception {
        try (var wire = edge.client(way).open()) {
            wire.ping();
            long begin = System.nanoTime();

            wire.send(WireFrame.of(WireFrame.PING, 0, 1, new byte[8]));

            assertThat(wire.awaitGoAway()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
            wire.awaitEnded();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isLessThan(Duration.ofMillis(1500));
        }
    }

    /** It sends while it reads: if that reset the connection, it would lose GOAWAY. */
    @ParameterizedTest
    @EnumSource
    void clientMaySendAfterTheEnd(Transport way) throws Exception {
        try (var wire = edge.client(way).open()) {
            wire.flood(10_000, position -> WireFrame.ping(position).bytes());
            wire.awaitEnded();

            for (int i = 0; i < 10; i++) {
                wire.send(WireFrame.ping(i));
            }
            assertThat(wire.goAway()).isEqualTo(ErrorCode.ENHANCE_YOUR_CALM);
        }
    }

    /** 16,000 references of one byte to a field of 4,000 (RFC 9113 §10.5.1). */
    @ParameterizedTest
    @EnumSource
    void referencesCountWithTheirFullSize(Transport way) throws Exception {
        try (var others = new Others(way);
                var wire = edge.client(way).open()) {
            long before = Memory.used();
            var bomb =
                    new FieldBlock()
                            .literal(":method", "GET")
                            .literal(":scheme", wire.scheme())
                            .literal(":authority", "127.0.0.1")
                            .literal(":path", "/bomb")
                            .inserted("x-bomb", "x".repeat(4000))
                            .newest(16_000);

            var stream = wire.open(bomb.bytes(), true);

            assertThat(stream.outcome()).isEqualTo("431");
            assertThat(Memory.used() - before).isLessThan(MOST_MEMORY);
            edge.origin().on("/good", page("good", "no-store"));
            assertThat(wire.get("/good").text()).isEqualTo("good");
            assertThat(edge.origin().requests("/bomb")).isEmpty();
            others.assertServed();
        }
    }

    /** All fields together would be 16 MB. */
    @ParameterizedTest
    @EnumSource
    void tableOfTheClientIsNotFilled(Transport way) throws Exception {
        var number = new AtomicInteger();
        edge.origin()
                .otherwise(request ->
                        page("x", "no-store")
                                .field("X-Number", number.incrementAndGet() + "-".repeat(8000)));
        try (var wire = edge.client(way).settings(TABLE_SIZE, 0xffff_ffffL).open()) {
            wire.get("/first").text();
            long before = Memory.used();

            for (int i = 0; i < 2000; i++) {
                wire.get("/" + i).text();
            }

            assertThat(Memory.used() - before).isLessThan(MOST_MEMORY / 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void streamsBeyondTheAnnouncedNumberAreRefused(Transport way) throws Exception {
        edge.origin().otherwise(request -> page("late", "private, no-store"));
        try (var held = edge.origin().hold("/held");
                var others = new Others(way);
                var wire = edge.client(way).open()) {
            int announced = (int) wire.setting(CONCURRENT_STREAMS);
            assertThat(announced).isBetween(100, 1000);

            var streams = new ArrayList<Http2Stream>();
            for (int i = 0; i < announced + 20; i++) {
                streams.add(wire.get("/held?" + i));
            }

            for (var beyond : streams.subList(announced, streams.size())) {
                assertThat(beyond.awaitReset()).isEqualTo(ErrorCode.REFUSED_STREAM);
            }
            held.release();
            for (var each : streams.subList(0, announced)) {
                assertThat(each.text()).isEqualTo("late");
            }
            assertThat(others.mostAtOrigin()).isLessThanOrEqualTo(announced);
            others.assertServed();
        }
    }

    /** The window of every stream is 0; the connection's is as large as it can be. */
    @ParameterizedTest
    @EnumSource
    void streamsWithoutAWindowHoldLittle(Transport way) throws Exception {
        edge.origin()
                .on("/stored", large("max-age=600", MIB))
                .otherwise(request -> large("no-store", MIB));
        try (var reader = edge.client(way).open()) {
            assertThat(reader.get("/stored").body()).hasSize(MIB);
        }
        try (var others = new Others(way);
                var wire =
                        edge.client(way)
                                .withoutWindowUpdates()
                                .settings(INITIAL_WINDOW, 0)
                                .open()) {
            long before = Memory.used();

            var streams = new ArrayList<Http2Stream>();
            for (int i = 0; i < STREAMS; i++) {
                streams.add(wire.get(i % 2 == 0 ? "/stored" : "/private/" + i));
            }
            for (var stream : streams) {
                assertThat(stream.status()).isEqualTo(200);
            }
            // The origin sends until the proxy takes no more.
            Steady.value(this::writtenByOrigin, () -> edge.proxy().get("/others"));
            long more = Memory.used() - before;

            Figure.print(
                    "H22",
                    "memory for 100 streams of 1 MiB without a window, over " + way,
                    more / 1024 + " KiB",
                    MOST_MEMORY / 1024 + " KiB");
            assertThat(more).isLessThan(MOST_MEMORY);
            assertThat(wire.received()).isZero();
            others.assertServed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneByteAtATimeHoldsLittle(Transport way) throws Exception {
        edge.origin().otherwise(request -> large("no-store", 2 * MOST_MEMORY));
        try (var others = new Others(way);
                var wire =
                        edge.client(way)
                                .withoutWindowUpdates()
                                .settings(INITIAL_WINDOW, 1)
                                .open()) {
            long before = Memory.used();
            var stream = wire.get("/private");
            int taken = 0;
            for (int i = 0; i < 2000; i++) {
                var piece = stream.next();
                taken += piece == null ? 0 : piece.length;
                stream.grant(1);
            }

            assertThat(taken).isBetween(2000, 2001);
            assertThat(Memory.used() - before).isLessThan(MOST_MEMORY);
            others.assertServed();
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelledStreamsEndTheirPrivateFetches(Transport way) throws Exception {
        edge.origin().otherwise(request -> page("late", "private, no-store"));
        try (var held = edge.origin().hold("/held");
                var wire = edge.client(way).open()) {
            var streams = new ArrayList<Http2Stream>();
            for (int i = 0; i < 20; i++) {
                streams.add(wire.request("POST", "/held?" + i));
            }
            var requests = edge.origin().awaitRequests("/held", 20);

            for (var stream : streams) {
                stream.reset(ErrorCode.CANCEL);
            }

            requests.forEach(ReceivedRequest::awaitAbandoned);
            edge.origin().on("/good", page("good", "no-store"));
            assertThat(wire.get("/good").text()).isEqualTo("good");
            held.release();
        }
    }

    private long writtenByOrigin() {
        return edge.origin().requests().stream().mapToLong(ReceivedRequest::writtenBytes).sum();
    }

    /** Floods of all kinds, one after the other, while other clients send requests. */
    @Test
    @Tag("measured")
    void otherClientsAreAnsweredSoonDuringFloods() throws Exception {
        edge.origin()
                .on("/others", page("fine", "max-age=600"))
                .otherwise(request -> page("late", "private, no-store"));
        var requests = Load.Asking.of(edge.proxy(), "/others", "fine");
        try (var held = edge.origin().hold(Http2Flood.PATH);
                var load = Load.start(8, Duration.ofMillis(10), requests)) {
            load.runFor(SPAN);
            var calm = load.runFor(SPAN);
            var floods = new CountDownLatch(1);
            var flooding = Thread.ofPlatform().start(() -> flood(floods));
            var during = load.runFor(SPAN);
            floods.countDown();
            flooding.join();

            Load.assertRight(during);
            var slow = Load.p99(during);
            Figure.print(
                    "floods",
                    "p99 of %d requests during %d floods, without floods %s"
                            .formatted(during.size(), flooded.get(), Figure.ms(Load.p99(calm))),
                    Figure.ms(slow),
                    Figure.ms(MOST_P99));
            assertThat(slow).isLessThan(MOST_P99);
            assertThat(flooded.get()).as("floods that ended").isGreaterThan(10);
            held.release();
        }
    }

    /** Ten floods a second, each on a new connection. */
    private void flood(CountDownLatch stopped) {
        var all = floods().map(Arguments::get).toList();
        for (int i = 0; !isOver(stopped, FLOOD_EVERY_MILLIS); i++) {
            var next = all.get(i % all.size());
            var flood = (Http2Flood) next[0];
            try (var wire = edge.client((Transport) next[1]).open()) {
                wire.flood(flood.times(), position -> flood.frames(wire.scheme(), position));
                wire.awaitEnded();
                flooded.incrementAndGet();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static boolean isOver(CountDownLatch stopped, long millis) {
        try {
            return stopped.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static Answer page(String text, String control) {
        return Answer.html(text).field("Cache-Control", control);
    }

    private static Answer large(String control, long bytes) {
        return Answer.status(200)
                .field("Content-Type", "application/octet-stream")
                .field("Cache-Control", control)
                .repeating("0123456789abcdef", bytes);
    }

    /** A reader on another connection, and a watch on the requests at the origin. */
    private final class Others implements AutoCloseable {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicInteger served = new AtomicInteger();
        private final Queue<String> complaints = new ConcurrentLinkedQueue<>();
        private final Http2Wire wire;
        private final Thread reader;

        Others(Transport way) throws IOException {
            edge.origin().on("/others", page("fine", "max-age=600"));
            wire = edge.client(way).open();
            wire.get("/others").text();
            reader = Thread.ofVirtual().start(this::read);
            Thread.ofVirtual().start(this::watch);
        }

        private void read() {
            while (!isOver(stopped, 5)) {
                try {
                    var response = wire.get("/others");
                    if (!response.text().equals("fine")) {
                        complaints.add("not fine: " + response);
                    }
                } catch (IOException | AssertionError e) {
                    complaints.add(e.toString());
                    return;
                }
                served.incrementAndGet();
            }
        }

        private void watch() {
            while (!isOver(stopped, 1)) {
                int open =
                        (int)
                                edge.origin().requests(Http2Flood.PATH).stream()
                                        .filter(request -> !request.isAbandoned())
                                        .count();
                most.accumulateAndGet(open, Math::max);
            }
        }

        /** The most requests that were at the origin and not abandoned. */
        int mostAtOrigin() {
            return most.get();
        }

        /** Asserts that all requests were answered, and that another one is. */
        void assertServed() throws InterruptedException {
            int before = served.get();
            ReloadableProxy.await(
                    () -> served.get() > before || !complaints.isEmpty(),
                    "a response on the other connection");
            stopped.countDown();
            reader.join();
            assertThat(complaints).isEmpty();
        }

        @Override
        public void close() throws IOException {
            stopped.countDown();
            wire.close();
        }
    }
}
