package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.Http2Stream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams of events over HTTP/2: each event passes as it comes. */
class Http2EventStreamsIT {
    private static final Duration LATEST = Duration.ofMillis(50);

    private final EventOrigin origin = new EventOrigin(event(0));
    private final RunningProxy proxy =
            Http2Edge.listening(RunningProxy.inFrontOf(origin.url())).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    private static String event(int number) {
        return "data: " + number + "\n\n";
    }

    /** Reads until the stream has sent {@code text}, and nothing else. */
    private static void await(Http2Stream stream, String text) throws IOException {
        var found = new StringBuilder();
        while (found.length() < text.length()) {
            var piece = stream.next();
            assertThat(piece).as("after %s", found).isNotNull();
            found.append(new String(piece, UTF_8));
        }
        assertThat(found).hasToString(text);
    }

    /** Each event is sent when the one before has arrived. */
    @ParameterizedTest
    @EnumSource
    void eventsDoNotWaitForOneAnother(Transport transport) throws Exception {
        try (var client = Http2Edge.client(proxy, transport).open()) {
            var stream = client.get("/", "accept", "text/event-stream", "accept-encoding", "gzip");
            assertThat(stream.field("content-type")).isEqualTo("text/event-stream");
            assertThat(stream.field("content-encoding")).isNull();
            await(stream, event(0));

            for (int i = 1; i <= 50; i++) {
                origin.send(event(i));
                await(stream, event(i));
            }
            origin.release("data: last\n\n");

            assertThat(stream.text()).isEqualTo("data: last\n\n");
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("measured")
    void eventsArriveSoon(Transport transport) throws Exception {
        try (var client = Http2Edge.client(proxy, transport).open()) {
            var stream = client.get("/", "accept", "text/event-stream");
            await(stream, event(0));
            var taken = new ArrayList<Duration>();
            for (int i = 1; i <= 1000; i++) {
                long begin = System.nanoTime();
                origin.send(event(i));
                await(stream, event(i));
                taken.add(Duration.ofNanos(System.nanoTime() - begin));
            }
            origin.release("");

            var sorted = taken.stream().sorted().toList();
            var p99 = sorted.get(sorted.size() * 99 / 100);
            Figure.print(
                    "events",
                    "p99 of %d events over %s, slowest %s"
                            .formatted(taken.size(), transport, Figure.ms(sorted.getLast())),
                    Figure.ms(p99),
                    Figure.ms(LATEST));
            assertThat(p99).isLessThan(LATEST);
        }
    }
}
