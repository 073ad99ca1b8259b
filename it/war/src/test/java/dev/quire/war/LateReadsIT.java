package dev.quire.war;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The name of a reader, read in a JSP at some moment: no shared cache may store it. */
class LateReadsIT {

    private static final int ROUNDS = 16;

    private static Tomcat tomcat;

    @BeforeAll
    static void start() {
        tomcat = Tomcat.start("quire.guard.hold=64KB", "quire.fallback.buffer=64KB");
    }

    @AfterAll
    static void stop() {
        tomcat.close();
    }

    private static List<String> targets() {
        var targets = new ArrayList<String>();
        for (int round = 0; round < ROUNDS; round++) {
            for (var size : List.of(1, 200)) {
                for (var moment : List.of("start", "flushed", "end", "never")) {
                    targets.add(Tomcat.CONTEXT + "/late/jsp/" + size + "/" + moment);
                }
            }
        }
        return targets;
    }

    /** Returns a complete response, or null if it broke off. */
    private static @Nullable Response whole(int reader, String target) {
        try {
            return tomcat.get(
                    target,
                    "Cookie",
                    "name=reader" + reader,
                    "Surrogate-Capability",
                    "varnish=\"Surrogate/1.0 ESI/1.0\"");
        } catch (RuntimeException | AssertionError broken) {
            return null;
        }
    }

    @Test
    @Timeout(120)
    void ofTwoReadersAtTheSameTimeNeitherSeesTheNameOfTheOther() throws Exception {
        var wrong = new ConcurrentSkipListSet<String>();
        var withOwnName = new AtomicInteger();
        var stored = new AtomicInteger();

        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new ArrayList<Future<?>>();
            for (int lane = 0; lane < 8; lane++) {
                int reader = lane % 2 + 1;
                var order = targets();
                Collections.shuffle(order, new Random(lane));
                running.add(
                        readers.submit(() -> {
                            for (var target : order) {
                                var response = whole(reader, target);
                                if (response == null) {
                                    continue;
                                }
                                var control = String.valueOf(response.field("Cache-Control"));
                                boolean isStored = !control.contains("no-store");
                                var body = response.text();
                                if (body.contains("reader" + (3 - reader))
                                        || (isStored && body.contains("reader"))) {
                                    wrong.add(target);
                                }
                                stored.addAndGet(isStored ? 1 : 0);
                                withOwnName.addAndGet(body.contains("reader" + reader) ? 1 : 0);
                            }
                        }));
            }
            for (var each : running) {
                each.get();
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(withOwnName).hasPositiveValue();
        assertThat(stored).hasPositiveValue();
    }
}
