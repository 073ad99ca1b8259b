package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many requests waiting for one fetch that fails, is slow or uncacheable. */
@Tag("measured")
class HerdIT {
    private static final int HERD = 200;
    private static final String COALESCED = "quire_coalesced_total";

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .clock(clock)
                    .with("cache", "{ memory: 64MiB, grace: 0s }")
                    .origin("retries: 0")
                    .start();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private double joined;

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
        clients.shutdownNow();
    }

    @Test
    void failureOfTheLeaderIsEverybodysAtOnce() {
        origin.on("/x", Answer.reset());
        var held = origin.hold("/x");
        var herd = herd(HERD, "/x");
        long begin = System.nanoTime();

        held.release();

        assertThat(answered(herd)).extracting(Response::status).containsOnly(502);
        Figure.print(
                "R7",
                "origin requests for %d waiters of a failed fetch, all answered in %s"
                        .formatted(HERD, Figure.ms(since(begin))),
                origin.requests("/x").size(),
                1);
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void staleStandsInForEverybodyAtOnceWhenTheLeaderFails() {
        origin.on(
                "/x",
                Answer.html("stale").field("Cache-Control", "max-age=5, stale-if-error=3600"),
                Answer.reset());
        proxy.get("/x");
        clock.advance(Duration.ofSeconds(10));
        var held = origin.hold("/x");
        var herd = herd(HERD, "/x");

        held.release();

        assertThat(answered(herd)).extracting(Response::text).containsOnly("stale");
        Figure.print(
                "R7",
                "origin requests for " + HERD + " waiters that get a stale response",
                origin.requests("/x").size() - 1,
                1);
        assertThat(origin.requests("/x")).hasSize(2);
    }

    @Test
    void uncacheableAnswerIsNotWaitedForOneAfterAnother() {
        var slow = Duration.ofMillis(100);
        var own = Answer.html("x").field("Cache-Control", "no-store").delayed(slow);
        origin.on("/known", own).on("/x", own);
        proxy.get("/known");
        var baseline = timeOf(() -> answered(followers(HERD, "/known")));
        var leader = origin.hold("/x");
        var herd = herd(HERD, "/x");

        var took =
                timeOf(() -> {
                    leader.release();
                    assertThat(answered(herd)).extracting(Response::text).containsOnly("x");
                });

        var bound = baseline.plus(slow.multipliedBy(2));
        Figure.print(
                "R7",
                HERD + " waiters of an uncacheable answer of " + Figure.ms(slow),
                Figure.ms(took),
                "3 x that; %d requests without waiting take %s"
                        .formatted(HERD, Figure.ms(baseline)));
        assertThat(origin.requests("/x")).hasSize(HERD);
        assertThat(took).isLessThanOrEqualTo(bound.multipliedBy(2));
    }

    @Test
    void leaderWhoIsStuckIsReplacedAfterFiveSeconds() {
        origin.on("/x", fragment("late").delayed(Duration.ofHours(1)), fragment("of the second"));
        int herd = 50;
        var leader = clients.submit(() -> proxy.get("/x"));
        origin.awaitRequest("/x");
        var waits =
                followers(herd, "/x").stream()
                        .map(each -> clients.submit(() -> timed(each)))
                        .toList();

        var longest = waits.stream().map(HerdIT::ended).max(Duration::compareTo).orElseThrow();
        origin.settle();

        Figure.print(
                "R8",
                "longest of %d waits behind a leader that is stuck".formatted(herd),
                Figure.ms(longest),
                "5100 ms");
        assertThat(origin.requests("/x")).hasSize(2);
        assertThat(answered(leader).text()).isEqualTo("late");
        assertThat(longest).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
    }

    /** Returns the time until this request, which was just sent, is answered. */
    private static Duration timed(Future<Response> asked) {
        return timeOf(() -> assertThat(answered(asked).text()).isEqualTo("of the second"));
    }

    private static Duration ended(Future<Duration> wait) {
        try {
            return wait.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("a waiting request got no response", e);
        }
    }

    @Test
    void leaderWhoLeavesAtAnyPointTakesNobodyAlong() {
        int rounds = 200;
        int followers = 3;
        var random = new Random(9);
        int wrong = 0;
        for (int i = 0; i < rounds; i++) {
            var path = "/" + i;
            var text = ("part of " + path + " ").repeat(1 + random.nextInt(5_000));
            origin.on(path, anyOf(random, text));
            boolean isBeforeHead = random.nextInt(3) == 0;
            try (var held =
                    isBeforeHead
                            ? origin.hold(path)
                            : origin.holdAfter(path, random.nextInt(text.length()))) {
                var leader = proxy.connect().request("GET", path);
                held.awaitWaiting(1);
                var waiting = followers(followers, path);

                leader.reset();
                held.release();

                for (var response : answered(waiting)) {
                    wrong += response.status() == 200 && response.text().equals(text) ? 0 : 1;
                }
            }
        }

        Figure.print(
                "R9",
                "wrong answers to %d waiters whose leader had left".formatted(rounds * followers),
                wrong,
                0);
        assertThat(wrong).isZero();
    }

    /**
     * Returns a random response: shared or private, ESI document or not, with length or chunked.
     */
    private static Answer anyOf(Random random, String text) {
        var answer =
                switch (random.nextInt(3)) {
                    case 0 -> fragment(text);
                    case 1 -> page(text);
                    default -> Answer.html(text).field("Cache-Control", "no-store");
                };
        return random.nextBoolean() ? answer : answer.chunked();
    }

    /** Starts a leader and the followers that wait for it. */
    private List<Future<Response>> herd(int size, String path) {
        var herd = new ArrayList<Future<Response>>();
        herd.add(clients.submit(() -> proxy.get(path)));
        IntStream.range(1, size).forEach(i -> herd.add(clients.submit(() -> proxy.get(path))));
        joined += size - 1;
        proxy.awaitMetric(COALESCED, joined);
        return herd;
    }

    /** Starts followers while the leader waits or receives a response that may be private. */
    private List<Future<Response>> followers(int count, String path) {
        return IntStream.range(0, count)
                .mapToObj(i -> clients.submit(() -> proxy.get(path)))
                .toList();
    }

    private static List<Response> answered(List<Future<Response>> waiting) {
        return waiting.stream().map(HerdIT::answered).toList();
    }

    private static Response answered(Future<Response> response) {
        try {
            return response.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("a waiting request got no response", e);
        }
    }

    private static Duration timeOf(Runnable asking) {
        long begin = System.nanoTime();
        asking.run();
        return since(begin);
    }

    private static Duration since(long beginNanos) {
        return Duration.ofNanos(System.nanoTime() - beginNanos);
    }
}
