package dev.quire.it;

import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HeldAnswers;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Responses past their grace while the origin is silent: it accepts connections and requests, as
 * the kernel does for a stopped process, and sends nothing.
 */
class SlowOriginIT {
    private static final Duration FIRST_BYTE_TIMEOUT = Duration.ofMillis(2500);

    /** For a busy machine; without the stale response they would wait much longer. */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    private static final Duration AT_ONCE = Duration.ofMillis(500);
    private static final String CACHE = "memory: 64MiB, grace: 0s";

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        clients.shutdownNow();
        origin.close();
    }

    @Test
    void firstReadersWaitASecondAndLaterOnesNotAtAll() {
        origin.on("/x", brief("max-age=5", "old"), brief("max-age=60", "new"));
        try (var proxy = proxy("{ " + CACHE + " }", "first-byte-timeout: 30s")) {
            proxy.get("/x");
            clock.advance(Duration.ofSeconds(10));

            try (var silence = origin.hold("/x")) {
                var first = visits(proxy, "/x", 20);
                var later = new ArrayList<Visit>();
                try (var client = proxy.connect()) {
                    for (int i = 0; i < 100; i++) {
                        later.add(visit(() -> client.get("/x")));
                    }
                }

                assertThat(first).allMatch(visit -> visit.response().text().equals("old"));
                assertThat(later).allMatch(visit -> visit.response().text().equals("old"));
                assertThat(later)
                        .allMatch(visit -> visit.isSlow() && visit.response().status() == 200);
                Figure.print("R2", "p95 of the first readers", Figure.ms(p95(first)), "1 s");
                Figure.print("R2", "p95 of later readers", Figure.ms(p95(later)), "at once");
                assertThat(fastest(first)).isGreaterThanOrEqualTo(Duration.ofMillis(900));
                assertThat(p95(first)).isLessThan(Duration.ofSeconds(1).plus(TOLERANCE));
                assertThat(p95(later)).isLessThan(AT_ONCE);
                assertThat(origin.requests("/x")).hasSize(2);
                silence.awaitWaiting(1);
            }
            proxy.awaitMetric("quire_background_refresh_total", 1);
            assertThat(proxy.get("/x").text()).isEqualTo("new");
            assertThat(proxy.metric("quire_cache_stale_served_total")).isEqualTo(120);
            assertThat(origin.requests("/x")).hasSize(2);
        }
    }

    @Test
    void pageIsCompleteWithStaleFragments() {
        origin.on("/page", page("max-age=3600", "<" + include("/f") + include("/g") + ">"));
        origin.on("/f", brief("max-age=5", "f"));
        origin.on("/g", brief("max-age=5", "g"));
        try (var proxy = proxy("{ " + CACHE + " }", "")) {
            proxy.get("/page");
            clock.advance(Duration.ofSeconds(10));

            try (var silence = origin.holdAll()) {
                var first = visit(proxy, "/page");
                var later = visit(proxy, "/page");

                assertThat(first.response().text()).isEqualTo("<fg>");
                assertThat(first.took())
                        .isBetween(Duration.ofMillis(900), Duration.ofSeconds(1).plus(TOLERANCE));
                assertThat(later.response().text()).isEqualTo("<fg>");
                assertThat(later.response().field("Cache-Control")).isEqualTo("no-cache");
                assertThat(later.took()).isLessThan(AT_ONCE);
                silence.awaitWaiting(2);
            }
        }
    }

    @Test
    void withoutItReadersWaitForTheFailure() {
        origin.on("/x", brief("max-age=5", "old"));
        try (var proxy = proxy("{ " + CACHE + ", stale-if-slow: 0s }", timeout());
                var silence = staleAndSilent(proxy)) {
            var visit = visit(proxy, "/x");

            assertThat(visit.took()).isGreaterThanOrEqualTo(FIRST_BYTE_TIMEOUT);
            assertThat(visit.response().text()).isEqualTo("old");
            assertThat(visit.isSlow()).isFalse();
            silence.release();
        }
    }

    @Test
    void forbiddenStaleResponseIsNotServed() {
        origin.on("/x", brief("max-age=5, must-revalidate, stale-if-error=600", "old"));
        try (var proxy = proxy("{ " + CACHE + " }", timeout());
                var silence = staleAndSilent(proxy)) {
            var visit = visit(proxy, "/x");

            assertThat(visit.took()).isGreaterThanOrEqualTo(FIRST_BYTE_TIMEOUT);
            assertThat(visit.response().status()).isEqualTo(504);
            silence.release();
        }
    }

    @Test
    void routeHasItsOwnTime() {
        origin.on("/x", brief("max-age=5", "old"));
        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .clock(clock)
                                .with("cache", "{ " + CACHE + ", stale-if-slow: 0s }")
                                .with(
                                        "routes",
                                        "[ { path: /x, origin: tested, stale-if-slow: 100ms },"
                                                + " { origin: tested } ]")
                                .origin("retries: 0, " + timeout())
                                .start();
                var silence = staleAndSilent(proxy)) {
            var visit = visit(proxy, "/x");

            assertThat(visit.took()).isLessThan(FIRST_BYTE_TIMEOUT);
            assertThat(visit.response().text()).isEqualTo("old");
            assertThat(visit.isSlow()).isTrue();
            silence.release();
        }
    }

    private HeldAnswers staleAndSilent(RunningProxy proxy) {
        proxy.get("/x");
        clock.advance(Duration.ofSeconds(10));
        return origin.holdAll();
    }

    private RunningProxy proxy(String cache, String originKeys) {
        return RunningProxy.inFrontOf(origin)
                .clock(clock)
                .with("cache", cache)
                // Pages leave whole, however busy the machine is.
                .with("deliver", "{ first-flush: 10s }")
                .origin(originKeys.isEmpty() ? "retries: 0" : "retries: 0, " + originKeys)
                .start();
    }

    private static String timeout() {
        return "first-byte-timeout: " + FIRST_BYTE_TIMEOUT.toMillis() + "ms";
    }

    private static Answer brief(String cacheControl, String text) {
        return Answer.html(text).field("Cache-Control", cacheControl);
    }

    private record Visit(Response response, Duration took) {
        boolean isSlow() {
            var status = response.field("Cache-Status");
            return status != null && status.endsWith("; detail=\"slow\"");
        }
    }

    private static Visit visit(RunningProxy proxy, String target) {
        return visit(() -> proxy.get(target));
    }

    private static Visit visit(Supplier<Response> request) {
        long begin = System.nanoTime();
        var response = request.get();
        return new Visit(response, Duration.ofNanos(System.nanoTime() - begin));
    }

    private List<Visit> visits(RunningProxy proxy, String target, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> clients.submit(() -> visit(proxy, target)))
                .toList()
                .stream()
                .map(SlowOriginIT::ended)
                .toList();
    }

    private static Visit ended(Future<Visit> visit) {
        try {
            return visit.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("a client got no response", e);
        }
    }

    private static Duration p95(List<Visit> visits) {
        var sorted = visits.stream().map(Visit::took).sorted().toList();
        return sorted.get((int) Math.ceil(sorted.size() * 0.95) - 1);
    }

    private static Duration fastest(List<Visit> visits) {
        return visits.stream().map(Visit::took).min(Duration::compareTo).orElseThrow();
    }
}
