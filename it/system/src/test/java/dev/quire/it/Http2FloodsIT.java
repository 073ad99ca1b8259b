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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
    private static final Duration SLOWEST = Duration.ofSeconds(2);

    private static final int TABLE_SIZE = 1;
    private static final int CONCURRENT_STREAMS = 3;
    private static final int INITIAL_WINDOW = 4;

    private final Http2Edge edge = new Http2Edge();

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
            assertThat(others.mostAtOrigin())
                    .as("requests at the origin at once")
                    .isLessThanOrEqualTo((int) wire.setting(CONCURRENT_STREAMS));
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
            TimeUnit.MILLISECONDS.sleep(500);
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
        private final AtomicLong slowestNanos = new AtomicLong();
        private final List<String> complaints = new ArrayList<>();
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
            while (!hasStopped(5)) {
                long begin = System.nanoTime();
                try {
                    var response = wire.get("/others");
                    if (!response.text().equals("fine")) {
                        complaints.add("not fine: " + response);
                    }
                } catch (IOException | AssertionError e) {
                    complaints.add(e.toString());
                    return;
                }
                slowestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
                served.incrementAndGet();
            }
        }

        private void watch() {
            while (!hasStopped(1)) {
                int open =
                        (int)
                                edge.origin().requests(Http2Flood.PATH).stream()
                                        .filter(request -> !request.isAbandoned())
                                        .count();
                most.accumulateAndGet(open, Math::max);
            }
        }

        private boolean hasStopped(long millis) {
            try {
                return stopped.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return true;
            }
        }

        /** The most requests that were at the origin and not abandoned. */
        int mostAtOrigin() {
            return most.get();
        }

        void assertServed() throws InterruptedException {
            int before = served.get();
            long end = System.nanoTime() + SLOWEST.toNanos();
            while (served.get() == before && System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            stopped.countDown();
            reader.join();
            assertThat(complaints).isEmpty();
            assertThat(served.get()).as("responses on the other connection").isGreaterThan(before);
            assertThat(slowestNanos.get())
                    .as("nanoseconds of the slowest response on the other connection")
                    .isLessThan(SLOWEST.toNanos());
        }

        @Override
        public void close() throws IOException {
            stopped.countDown();
            wire.close();
        }
    }
}
