package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that read much slower than the proxy can send. */
class SlowReadersIT {
    private static final int READERS = 200;
    private static final int KIB = 1024;
    private static final int LARGE = 8 * KIB * KIB;
    private static final long MOST_FOR_EACH = 256 * KIB;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();
    private final List<HttpWire> readers = new ArrayList<>();

    @AfterEach
    void stop() {
        readers.forEach(HttpWire::close);
        proxy.close();
        origin.close();
    }

    @Test
    void slowReadersOfOneStoredBodyShareIt() {
        origin.on("/large", large("max-age=600"));
        assertThat(proxy.get("/large").body().length()).isEqualTo(LARGE);
        long before = Memory.used();

        for (int i = 0; i < READERS; i++) {
            var reader = SlowLine.narrowTo(proxy.http(), 4 * KIB);
            readers.add(reader);
            var arriving = reader.request("GET", "/large").begin();
            arriving.awaitBytes(4 * KIB);
        }
        long each = (Memory.used() - before) / READERS;

        Figure.print(
                "R10",
                "heap and direct memory for each of %d readers of a stored 8 MiB body"
                        .formatted(READERS),
                each / KIB + " KiB",
                MOST_FOR_EACH / KIB + " KiB");
        assertThat(each).isLessThanOrEqualTo(MOST_FOR_EACH);
        assertThat(origin.requests("/large")).hasSize(1);
    }

    @Test
    void storedBodyIsFetchedAtTheSpeedOfTheCacheThoughItsFirstReaderIsSlow() {
        origin.on("/large", large("max-age=600"));
        var slow = SlowLine.narrowTo(proxy.http(), 4 * KIB);
        readers.add(slow);
        var arriving = slow.request("GET", "/large").begin();
        arriving.awaitBytes(1);

        var others = proxy.get("/large");

        assertThat(others.body().length()).isEqualTo(LARGE);
        assertThat(origin.requests("/large")).hasSize(1);
        assertThat(arriving.countToEnd()).isEqualTo(LARGE);
    }

    @Test
    void uncacheableBodyComesNoFasterThanItIsRead() {
        long huge = 64L * KIB * KIB;
        origin.on("/huge", large("no-store").repeating("0123456789abcdef", huge));
        origin.on("/other", fragment("other"));
        long before = Memory.used();
        var slow = SlowLine.narrowTo(proxy.http(), 4 * KIB);
        readers.add(slow);
        slow.request("GET", "/huge").begin().awaitBytes(1);

        long taken = SlowLine.awaitStalled(origin.awaitRequest("/huge"), Duration.ofMillis(300));
        long held = Memory.used() - before;

        Figure.print(
                "R10",
                "memory for a body of 64 MiB that the client does not read",
                held / KIB + " KiB",
                "4096 KiB");
        assertThat(taken).isLessThan(huge / 2);
        // The allocator may have got a new chunk for it.
        assertThat(held).isLessThanOrEqualTo(4 * KIB * KIB);
        assertThat(proxy.get("/other").text()).isEqualTo("other");
    }

    private static Answer large(String control) {
        return Answer.status(200)
                .field("Content-Type", "application/octet-stream")
                .field("Cache-Control", control)
                .repeating("0123456789abcdef", LARGE);
    }
}
