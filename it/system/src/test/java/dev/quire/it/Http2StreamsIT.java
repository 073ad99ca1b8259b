package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of HTTP/2 share what requests of HTTP/1.1 share, and nothing else. */
class Http2StreamsIT {
    private static final int WINDOW = 1 << 20;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .origin("retries: 0")
                    .with("listen", "{ http: \"127.0.0.1:0\", h2c: true }")
                    .with("http2", "{ streams: 200 }")
                    .start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    private RawStreams connect() throws IOException {
        return new RawStreams(proxy.http(), WINDOW);
    }

    @Test
    void twoHundredStreamsOnAColdUrlAreOneRequestToTheOrigin() throws Exception {
        origin.on("/x", fragment("shared"));
        var held = origin.hold("/x");

        try (var client = connect()) {
            var streams = new ArrayList<Integer>();
            for (int i = 0; i < 200; i++) {
                streams.add(client.get("/x"));
            }
            client.send();
            proxy.awaitMetric("quire_exchanges_waiting", 200);
            held.release();

            for (int stream : streams) {
                assertThat(client.answer(stream)).isEqualTo("200 shared");
            }
        }
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void responseStoredByOneProtocolServesTheOther() throws Exception {
        origin.on("/by-1", fragment("one")).on("/by-2", fragment("two"));

        try (var client = connect()) {
            proxy.get("/by-1", "Host", "news.example");
            int first = client.get("/by-1");
            int second = client.get("/by-2");
            client.send();

            assertThat(client.answer(first)).isEqualTo("200 one");
            assertThat(client.answer(second)).isEqualTo("200 two");
            assertThat(proxy.get("/by-2", "Host", "news.example").text()).isEqualTo("two");
        }
        assertThat(origin.paths()).containsExactlyInAnyOrder("/by-1", "/by-2");
    }

    @Test
    void preparedHeadIsWeighedOnce() throws Exception {
        origin.on("/x", fragment("weighed"));
        proxy.get("/x", "Host", "news.example");
        double before = proxy.metric("quire_cache_bytes");

        try (var client = connect()) {
            var weights = new ArrayList<Double>();
            for (int i = 0; i < 2; i++) {
                int stream = client.get("/x");
                client.send();
                assertThat(client.answer(stream)).isEqualTo("200 weighed");
                weights.add(proxy.metric("quire_cache_bytes"));
            }

            assertThat(weights.getFirst()).isGreaterThan(before + 100);
            assertThat(weights.getLast()).isEqualTo(weights.getFirst());
        }
    }

    @Test
    void readersOnOneConnectionNeverShareTheirPrivateParts() throws Exception {
        origin.on("/page", page("<" + include("/mine") + ">"));
        origin.on(
                "/mine",
                request ->
                        Answer.html(String.valueOf(request.field("Cookie")))
                                .field("Cache-Control", "private"));

        try (var client = connect()) {
            var streams = new ArrayList<Integer>();
            for (int i = 0; i < 100; i++) {
                streams.add(client.get("/page", "cookie", "reader=" + i));
            }
            client.send();

            for (int i = 0; i < streams.size(); i++) {
                assertThat(client.answer(streams.get(i))).isEqualTo("200 <reader=" + i + ">");
            }
        }
    }

    @Test
    void resetCancelsThePrivateFetch() throws Exception {
        origin.on("/private", Answer.html("late").field("Cache-Control", "private"));
        var held = origin.hold("/private");

        try (var client = connect()) {
            int stream = client.get("/private", "cookie", "reader=1");
            client.send();
            origin.awaitRequest("/private");
            client.reset(stream);
            client.send();

            proxy.awaitNoFetch();
        } finally {
            held.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void bodyIsTakenOneByteAtATime(int windowBytes) throws Exception {
        origin.on("/x", fragment("0123456789"));

        try (var client = new RawStreams(proxy.http(), windowBytes)) {
            int stream = client.get("/x");
            for (int i = windowBytes; i < 10; i++) {
                client.window(stream, 1);
            }
            client.send();

            assertThat(client.answer(stream)).isEqualTo("200 0123456789");
        }
    }

    @Test
    void floodOfResetsEndsItsConnectionAndNoOther() throws Exception {
        origin.on("/fine", fragment("fine"));

        try (var flood = connect();
                var other = connect()) {
            for (int i = 0; i < 150; i++) {
                flood.reset(flood.get("/flood-" + i));
            }
            flood.send();

            assertThat(flood.goAway()).isEqualTo(11);
            int stream = other.get("/fine");
            other.send();
            assertThat(other.answer(stream)).isEqualTo("200 fine");
        }
    }

    @Test
    void drainAnswersWhatWasAccepted() throws Exception {
        origin.on("/x", fragment("accepted"));
        var held = origin.hold("/x");

        try (var client = connect()) {
            var streams = new ArrayList<Integer>(List.of(client.get("/x"), client.get("/x?2")));
            origin.on("/x?2", fragment("accepted"));
            client.send();
            proxy.awaitMetric("quire_exchanges_waiting", 1);
            var draining = Thread.ofVirtual().start(proxy::drain);
            held.release();

            assertThat(client.answer(streams.getFirst())).isEqualTo("200 accepted");
            assertThat(client.goAway()).isZero();
            draining.join();
        }
    }
}
