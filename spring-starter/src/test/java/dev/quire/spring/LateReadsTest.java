package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * A name read while a public response is written, in each way to write one, at each size and
 * moment: the response is private, or it breaks off, so that no cache stores the name.
 */
@SpringBootTest(
        classes = {Site.class, Readers.class, LatePages.class, LateReadsTest.Surrogate.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.guard.hold=64KB", "quire.fallback.buffer=64KB"})
@ExtendWith(OutputCaptureExtension.class)
class LateReadsTest {

    private static final List<String> WRITTEN = List.of("writer", "length", "stream", "async");
    private static final List<String> TYPES = List.of("html", "json", "event-stream");
    private static final List<String> RENDERED =
            List.of("string", "entity", "getter", "view", "freemarker", "jte");

    @LocalServerPort private int port;
    @Autowired private Surrogate surrogate;
    @Autowired private MeterRegistry meters;

    private Visitor reader(int number) {
        return Visitor.of(port).behindSurrogate().as("reader" + number, String.valueOf(number));
    }

    private static List<String> targets() {
        var targets = new ArrayList<String>();
        for (var size : List.of(1, 40, 200)) {
            for (var moment : List.of("start", "flushed", "end")) {
                for (var way : WRITTEN) {
                    for (var type : TYPES) {
                        targets.add("/late/%s/%s/%d/%s".formatted(way, type, size, moment));
                    }
                }
            }
            for (var way : RENDERED) {
                targets.add("/late/%s/%d".formatted(way, size));
            }
        }
        return targets;
    }

    /** Returns a whole response, or null if it breaks off. */
    private static @Nullable HttpResponse<String> whole(Visitor visitor, String target) {
        try {
            return visitor.get(target);
        } catch (UncheckedIOException broken) {
            return null;
        }
    }

    private static boolean isStored(HttpResponse<String> response) {
        var control = String.join(", ", response.headers().allValues("Cache-Control"));
        return response.statusCode() == 200 && !control.contains("no-store");
    }

    @Test
    void ofTwoInterleavedReadersNoneSeesTheNameOfTheOther() {
        var store = new HashMap<String, String>();
        var wrong = new ArrayList<String>();
        int withOwnName = 0;

        for (var target : targets()) {
            for (int number = 1; number <= 2; number++) {
                var body = store.get(target);
                if (body == null) {
                    var response = whole(reader(number), target);
                    body = response == null ? "" : response.body();
                    if (response != null && isStored(response)) {
                        store.put(target, body);
                    }
                }
                if (body.contains("reader" + (3 - number))) {
                    wrong.add(target);
                }
                withOwnName += body.contains("reader" + number) ? 1 : 0;
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(withOwnName).isGreaterThan(80);
    }

    /**
     * Each reader requests everything several times, while the other one does so in another order.
     */
    @Test
    @Timeout(60)
    void ofTwoReadersAtTheSameTimeNeitherSeesTheNameOfTheOther() throws Exception {
        var wrong = new ConcurrentSkipListSet<String>();
        var requests = new AtomicInteger();
        var withOwnName = new AtomicInteger();

        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int lane = 0; lane < 8; lane++) {
                int number = lane % 2 + 1;
                var order = targets();
                Collections.shuffle(order, new Random(lane));
                running.add(
                        readers.submit(() -> {
                            for (var target : order) {
                                requests.incrementAndGet();
                                var response = whole(reader(number), target);
                                if (response == null) {
                                    continue;
                                }
                                var body = response.body();
                                if (body.contains("reader" + (3 - number))
                                        || (isStored(response) && body.contains("reader"))) {
                                    wrong.add(target);
                                }
                                withOwnName.addAndGet(body.contains("reader" + number) ? 1 : 0);
                            }
                        }));
            }
            for (var each : running) {
                each.get();
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(requests).hasValueGreaterThanOrEqualTo(1_000);
        assertThat(withOwnName).hasValueGreaterThan(300);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/late/writer/json/40/end",
                "/late/stream/json/40/end",
                "/late/async/json/40/end",
                "/late/length/json/40/end",
                "/late/getter/40",
                "/late/string/200",
                "/late/view/40",
                "/late/freemarker/40",
                "/late/jte/40",
                "/late/entity/40",
                "/late/writer/event-stream/40/start"
            })
    void whatIsReadBeforeTheHeadLeavesMakesItPrivate(String target) {
        var response = reader(1).get(target);

        assertThat(response.body()).contains("reader1");
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("private, no-store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/late/writer/html/1/flushed",
                "/late/writer/json/200/end",
                "/late/length/json/40/flushed",
                "/late/length/json/200/end",
                "/late/stream/json/200/end",
                "/late/stream/event-stream/40/end",
                "/late/async/json/1/flushed",
                "/late/async/html/200/end",
                "/late/getter/200",
                "/late/entity/200",
                "/late/view/200",
                "/late/freemarker/200",
                "/late/jte/200"
            })
    void whatIsReadAfterThatBreaksTheResponseOff(String target) {
        assertThatThrownBy(() -> reader(1).get(target)).isInstanceOf(UncheckedIOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"writer", "length", "stream", "async"})
    void withoutAReadItIsWholeAndPublic(String way) {
        for (var type : TYPES) {
            for (var size : List.of(1, 40, 200)) {
                var response = reader(1).get("/late/%s/%s/%d/never".formatted(way, type, size));

                assertThat(response.body()).hasSizeGreaterThan(size * 1024).endsWith("nobody");
                assertThat(response.headers().firstValue("Surrogate-Control"))
                        .hasValueSatisfying(said -> assertThat(said).startsWith("max-age=40"));
            }
        }
    }

    @Test
    void itIsLoggedWithHandlerAndClassCountedAndInvalidated(CapturedOutput output)
            throws InterruptedException {
        var counter = meters.get("quire.guard.demotions").tag("reason", "read-late");
        double before = counter.functionCounter().count();
        surrogate.told.clear();

        whole(reader(1), "/late/once?a=1%7C2");

        assertThat(surrogate.told.poll(30, TimeUnit.SECONDS))
                .isEqualTo(URI.create("http://127.0.0.1:%d/late/once?a=1%%7C2".formatted(port)));
        assertThat(counter.functionCounter().count()).isEqualTo(before + 1);
        assertThat(output.getOut())
                .contains("LatePages$Ways#once is public and its head was sent")
                .contains("read by dev.quire.spring.LatePages$Ways.user, line ");
    }

    /** Records what it is told. */
    static class Surrogate implements SurrogateClient {

        private final LinkedBlockingQueue<URI> told = new LinkedBlockingQueue<>();

        @Override
        public String product() {
            return "recorder";
        }

        @Override
        public String name() {
            return "recorder";
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.URLS);
        }

        @Override
        public SurrogateAnswer send(Invalidation invalidation) {
            told.addAll(invalidation.urls());
            return new SurrogateAnswer.Done();
        }

        @Override
        public SurrogateAnswer reach() {
            return new SurrogateAnswer.Done();
        }
    }
}
