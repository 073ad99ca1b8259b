package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Health checks, at a tenth of the default interval. */
@Tag("measured")
class HealthIT {
    private static final String UP = "quire_origin_up";
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final String HEALTH =
            "retries: 0, health: { path: /up, interval: 500ms, timeout: 200ms, threshold: 2,"
                    + " slow-start: 1s }";

    private final Queue<Long> requestNanos = new ConcurrentLinkedQueue<>();
    private volatile boolean isSick;
    private final Origin origin =
            Origin.start()
                    .on("/up", request -> Answer.status(isSick ? 503 : 204))
                    .otherwise(request -> {
                        requestNanos.add(System.nanoTime());
                        return isSick
                                ? Answer.status(503)
                                : Answer.html("fine").field("Cache-Control", "no-store");
                    });
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).origin(HEALTH).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void deathAndLifeAreNoticedAfterTwoChecksInARow() {
        int rounds = 4;
        var deaths = new ArrayList<Duration>();
        var lives = new ArrayList<Duration>();
        origin.awaitRequests("/up", 2);
        for (int i = 0; i < rounds; i++) {
            // A check may be in flight, whose response is made a moment later.
            origin.forget();
            isSick = true;
            long died = System.nanoTime();
            Operator.awaitMetricAtMost(proxy, UP, 0);
            deaths.add(since(died));
            assertThat(origin.requests("/up")).hasSizeBetween(1, 3);
            assertThat(proxy.get("/x").status()).isEqualTo(503);

            origin.forget();
            isSick = false;
            long revived = System.nanoTime();
            proxy.awaitMetric(UP, 1);
            lives.add(since(revived));
            assertThat(origin.requests("/up")).hasSizeBetween(1, 3);
        }

        print("death", deaths, 3.0);
        print("life", lives, 2.6);
    }

    /** The bounds correspond to 15 s and 13 s for checks every 5 s, in intervals. */
    private static void print(String what, List<Duration> measured, double boundIntervals) {
        var longest = measured.stream().max(Duration::compareTo).orElseThrow();
        var bound = Duration.ofMillis((long) (INTERVAL.toMillis() * boundIntervals));
        Figure.print(
                "R13",
                what + " is detected, longest of " + measured.size(),
                Figure.ms(longest),
                boundIntervals + " intervals of 500 ms = " + Figure.ms(bound));
        assertThat(longest).isLessThanOrEqualTo(bound.plusMillis(500));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void flappingServerIsNotFollowedAtEveryStepAndComesBackWithoutAStampede() throws Exception {
        int halfPeriods = 24;
        int changes = 0;
        long steady;
        long worst;
        var all =
                Load.Asking.of(
                        "/x",
                        proxy,
                        "/x",
                        response -> response.status() == 200 || response.status() == 503);
        try (var load = Load.start(8, Duration.ofMillis(40), all)) {
            load.runFor(Duration.ofSeconds(1));
            long begin = System.nanoTime();
            load.runFor(Duration.ofSeconds(2));
            steady = requestsFrom(begin, Duration.ofSeconds(2)) / 2;

            double before = state();
            for (int i = 0; i < halfPeriods; i++) {
                isSick = i % 2 == 0;
                for (int look = 0; look < 5; look++) {
                    load.runFor(INTERVAL.dividedBy(5));
                    double now = state();
                    changes += now == before ? 0 : 1;
                    before = now;
                }
            }
            long well = System.nanoTime();
            load.runFor(Duration.ofSeconds(3));
            worst =
                    LongStream.range(0, 20)
                            .map(i -> requestsFrom(well + i * 100_000_000, Duration.ofSeconds(1)))
                            .max()
                            .orElseThrow();
            Load.assertRight(load.visits());
        }

        int bound = halfPeriods / 2;
        Figure.print(
                "R4",
                "state changes of a server that flaps %d times".formatted(halfPeriods),
                changes,
                "1 in 2 probe windows = " + bound);
        Figure.print("R4", "most requests in a second of its recovery", worst, "2 x " + steady);
        assertThat(changes).isLessThanOrEqualTo(bound);
        assertThat(steady).isPositive();
        assertThat(worst).isLessThanOrEqualTo(2 * steady);
    }

    /**
     * Returns 0 while the server gets requests, else another value: unhealthy, or its circuit is
     * not closed.
     */
    private double state() {
        return proxy.metric("quire_origin_circuit") > 0 || proxy.metric(UP) == 0 ? 1 : 0;
    }

    private long requestsFrom(long beginNanos, Duration time) {
        return requestNanos.stream()
                .filter(at -> at - beginNanos >= 0 && at - beginNanos < time.toNanos())
                .count();
    }

    private static Duration since(long beginNanos) {
        return Duration.ofNanos(System.nanoTime() - beginNanos);
    }
}
