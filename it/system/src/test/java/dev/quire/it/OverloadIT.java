package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Load.Asking;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** More requests than the origin can handle. */
@Tag("measured")
class OverloadIT {
    /** The origin handles four at a time in 40 ms each: 100 per second. */
    private static final int PLACES = 4;

    private static final Duration WORK = Duration.ofMillis(40);
    private static final int CAPACITY = 100;

    /** Together they send five times the origin's capacity. */
    private static final int CROWD = 10 * CAPACITY;

    private static final Duration PACE = Duration.ofSeconds(2);
    private static final Duration SPAN = Duration.ofSeconds(4);

    private final Semaphore places = new Semaphore(PLACES);
    private final Origin origin =
            Origin.start()
                    .on("/hit", fragment("hit"))
                    .on("/other", fragment("other"))
                    .on("/page", page("<" + include("/hit") + include("/other") + ">"))
                    .otherwise(this::work);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin).origin("max-connections: 32, max-queue: 64").start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void originAtFiveTimesItsCapacityGoesOnAnsweringAllItCan() throws Exception {
        proxy.get("/page");
        var work =
                Asking.of(
                        "work",
                        proxy,
                        "/work",
                        response ->
                                response.status() == 200
                                        || (response.status() == 503
                                                && response.field("Retry-After") != null));
        List<Load.Visit> calm;
        List<Load.Visit> busy;
        long peak;
        long goodput;
        long offered;
        try (var hits =
                Load.start(
                        4,
                        Duration.ofMillis(10),
                        Asking.of(proxy, "/hit", "hit"),
                        Asking.of(proxy, "/page", "<hitother>"))) {
            hits.runFor(Duration.ofSeconds(1));
            try (var atCapacity = Load.start(2 * PLACES, Duration.ZERO, work)) {
                atCapacity.runFor(Duration.ofSeconds(1));
                long peakBegin = System.nanoTime();
                atCapacity.runFor(SPAN);
                peak = answeredSince(atCapacity, peakBegin);
            }
            // As many clients without requests to the origin, which also use the machine.
            try (var others = Load.start(CROWD, PACE, Asking.of(proxy, "/other", "other"))) {
                others.runFor(Duration.ofSeconds(2));
                long calmBegin = System.nanoTime();
                others.runFor(SPAN);
                calm = since(hits, calmBegin);
            }
            // Clients in the queue send at most one request per second.
            try (var over = Load.start(CROWD, PACE, work)) {
                over.runFor(Duration.ofSeconds(2));
                long busyBegin = System.nanoTime();
                over.runFor(SPAN);
                goodput = answeredSince(over, busyBegin);
                busy = since(hits, busyBegin);
                offered = since(over, busyBegin).size();
                Load.assertRight(over.visits());
            }
        }

        Figure.print(
                "R14",
                "responses of an origin with a capacity of %d in %d s, at %d requests"
                        .formatted(peak, SPAN.toSeconds(), offered),
                "%d, %s".formatted(goodput, Figure.percent(goodput, peak)),
                "90 % of its peak");
        Load.assertRight(busy);
        for (var name : List.of("/hit", "/page")) {
            Load.assertTwiceAtMost(
                    "R14", name + " beside it", Load.of(busy, name), Load.of(calm, name));
        }
        assertThat(offered).as("requests far above the capacity").isGreaterThan(3 * peak);
        assertThat(goodput).isGreaterThanOrEqualTo(peak * 9 / 10);
    }

    private static List<Load.Visit> since(Load load, long beginNanos) {
        return load.visits().stream().filter(visit -> visit.atNanos() - beginNanos >= 0).toList();
    }

    /** Returns the number of responses since then, also for earlier requests. */
    private static long answeredSince(Load load, long beginNanos) {
        return load.visits().stream()
                .filter(visit -> visit.status() == 200)
                .filter(visit -> visit.atNanos() + visit.took().toNanos() - beginNanos >= 0)
                .count();
    }

    private Answer work(ReceivedRequest request) {
        places.acquireUninterruptibly();
        try {
            long end = System.nanoTime() + WORK.toNanos();
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            return Answer.html("done").field("Cache-Control", "no-store");
        } finally {
            places.release();
        }
    }
}
