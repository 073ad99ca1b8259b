package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Load.Asking;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
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

/** Responses to clients while the origin refuses, hangs, is slow or truncates. */
@Tag("measured")
class OriginFaultsIT {
    private static final Duration PACE = Duration.ofMillis(5);
    private static final int CLIENTS = 8;
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    private final TestClock clock = TestClock.handSet();
    private final Origin sound = Origin.start(clock);
    private final Origin origin = Origin.start(clock);
    private final RunningProxy soundProxy = RunningProxy.inFrontOf(sound).clock(clock).start();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        clients.shutdownNow();
        soundProxy.close();
        sound.close();
        origin.close();
    }

    @Test
    void originThatRefusesConnectionsLeavesHitsAloneAndStaleStandsIn() throws Exception {
        sound.on("/fresh", fragment("fresh"));
        origin.on("/fresh", fragment("max-age=3600+0", "fresh"));
        origin.on("/stale", staleIfError("stale"));
        origin.on("/gone", Answer.status(504));
        try (var proxy = proxy("connect-timeout: 500ms")) {
            soundProxy.get("/fresh");
            List.of("/fresh", "/stale").forEach(proxy::get);
            clock.advance(Duration.ofSeconds(10));

            List<Load.Visit> visits;
            try (var load =
                    Load.start(
                            CLIENTS,
                            PACE,
                            baseline("/fresh", "fresh"),
                            Asking.of(proxy, "/fresh", "fresh"),
                            Asking.of(proxy, "/stale", "stale"),
                            Asking.of("/gone", proxy, "/gone", OriginFaultsIT::isOurs))) {
                load.runFor(WARM_UP);
                origin.goDown();
                visits = load.runFor(Duration.ofSeconds(3));
            }

            Load.assertRight(visits);
            var stale = Load.of(visits, "/stale");
            long stoodIn = stale.stream().filter(Load.Visit::isRight).count();
            Figure.print(
                    "R1",
                    "stale share with the origin down, of " + stale.size(),
                    Figure.percent(stoodIn, stale.size()),
                    "100 %");
            Load.assertTwiceAtMost(
                    "R1",
                    "hits with the origin down",
                    Load.of(visits, "/fresh"),
                    Load.of(visits, "baseline"));
        }
    }

    @Test
    void originThatHangsIsWaitedForNoLongerThanItsTimeoutAndByNoMoreThanItsConnections()
            throws Exception {
        var patience = Duration.ofSeconds(1);
        origin.otherwise(request -> fragment("x"));
        try (var proxy = proxy("first-byte-timeout: 1s, max-connections: 8, max-queue: 0");
                var silence = origin.holdAll()) {
            var asked =
                    IntStream.range(0, 40)
                            .mapToObj(i -> clients.submit(() -> timed(proxy, "/x" + i)))
                            .toList();
            silence.awaitWaiting(8);

            var waited =
                    asked.stream()
                            .map(OriginFaultsIT::ended)
                            .filter(each -> each.response().status() == 504)
                            .toList();
            var refused = asked.size() - waited.size();
            var longest = waited.stream().map(Timed::took).max(Duration::compareTo).orElseThrow();
            Figure.print(
                    "R2",
                    "longest wait of " + waited.size() + " clients of a silent origin",
                    Figure.ms(longest),
                    "the first-byte time-out of " + Figure.ms(patience) + " + 100 ms");
            Figure.print(
                    "R2",
                    "requests in flight at a silent origin, of 40",
                    origin.requests().size(),
                    "8 connections");
            assertThat(waited).hasSize(8);
            assertThat(asked.stream().map(OriginFaultsIT::ended).map(Timed::response))
                    .filteredOn(response -> response.status() == 503)
                    .hasSize(refused)
                    .allSatisfy(response -> assertThat(response.field("Retry-After")).isNotNull());
            assertThat(origin.requests()).hasSize(8);
            assertThat(longest).isBetween(patience, patience.plusMillis(500));
        }
    }

    @Test
    void staleStandsInForAnOriginThatHangs() {
        origin.on("/x", staleIfError("stale"));
        try (var proxy = proxy("first-byte-timeout: 300ms")) {
            proxy.get("/x");
            clock.advance(Duration.ofSeconds(10));

            try (var silence = origin.holdAll()) {
                var response = proxy.get("/x");

                assertThat(response.status()).isEqualTo(200);
                assertThat(response.text()).isEqualTo("stale");
                assertThat(response.field("Cache-Status")).startsWith("quire; fwd=stale");
                assertThat(response.field("Warning")).isNull();
                silence.release();
            }
        }
    }

    @Test
    void originThatTakesFiveSecondsIsFeltByNobodyWhoCanHaveTheStaleCopy() throws Exception {
        sound.on("/hit", fragment("hit"));
        var late =
                Answer.html("new")
                        .field("Cache-Control", "max-age=60")
                        .delayed(Duration.ofSeconds(5));
        origin.on("/hit", staleWhileRevalidate("hit"), late);
        try (var proxy = proxy("")) {
            soundProxy.get("/hit");
            proxy.get("/hit");
            clock.advance(Duration.ofSeconds(10));

            List<Load.Visit> visits;
            try (var load =
                    Load.start(
                            CLIENTS,
                            PACE,
                            baseline("/hit", "hit"),
                            Asking.of(proxy, "/hit", "hit"))) {
                load.runFor(WARM_UP);
                visits = load.runFor(Duration.ofSeconds(2));
            }
            origin.settle();

            Load.assertRight(visits);
            assertThat(origin.requests("/hit")).hasSize(2);
            proxy.awaitMetric("quire_background_refresh_total", 1);
            assertThat(proxy.get("/hit").text()).isEqualTo("new");
            Load.assertTwiceAtMost(
                    "R3",
                    "stale hits in front of an origin that takes 5 s",
                    Load.of(visits, "/hit"),
                    Load.of(visits, "baseline"));
        }
    }

    @Test
    void bodyOverANarrowLineStreamsAndSlowsNoHit() throws Exception {
        sound.on("/hit", fragment("hit"));
        origin.on("/hit", fragment("hit"));
        origin.on(
                "/large",
                Answer.status(200)
                        .field("Content-Type", "application/octet-stream")
                        .field("Cache-Control", "no-store")
                        .repeating("0123456789abcdef", 256 * 1024)
                        .through(SlowLine.of(32 * 1024, 1024)));
        try (var proxy = proxy("");
                var reader = proxy.connect()) {
            soundProxy.get("/hit");
            proxy.get("/hit");

            var arriving = reader.request("GET", "/large").begin();
            arriving.awaitBytes(1024);
            List<Load.Visit> visits;
            try (var load =
                    Load.start(
                            CLIENTS,
                            PACE,
                            baseline("/hit", "hit"),
                            Asking.of(proxy, "/hit", "hit"))) {
                load.runFor(WARM_UP);
                visits = load.runFor(Duration.ofSeconds(2));
            }
            long written = origin.awaitRequest("/large").writtenBytes();
            origin.settle();

            assertThat(written).as("still on its way").isLessThan(256 * 1024);
            assertThat(arriving.countToEnd()).isEqualTo(256 * 1024);
            Load.assertRight(visits);
            Load.assertTwiceAtMost(
                    "R3",
                    "hits beside a body at 32 KiB/s",
                    Load.of(visits, "/hit"),
                    Load.of(visits, "baseline"));
        }
    }

    @Test
    void answerThatBreaksOffLeavesTheOlderCopyWhereItWas() {
        origin.on(
                "/x",
                staleIfError("older copy"),
                staleIfError("newer copy").cutAfter(5),
                staleIfError("newer copy").resetAfter(5),
                Answer.reset(),
                staleIfError("newest copy"));
        try (var proxy = proxy("")) {
            proxy.get("/x");

            for (int broken = 0; broken < 3; broken++) {
                clock.advance(Duration.ofSeconds(10));
                try (var client = proxy.connect()) {
                    if (!client.request("GET", "/x").awaitEnded()) {
                        var arriving = client.begin();
                        boolean whole = arriving.awaitEnd();

                        assertThat(arriving.content().text())
                                .isIn(whole ? List.of("older copy") : List.of("", "newer"));
                    }
                }
                assertThat(proxy.stored()).singleElement().matches(e -> e.contains("older copy"));
            }

            clock.advance(Duration.ofSeconds(10));
            assertThat(proxy.get("/x").text()).isEqualTo("newest copy");
        }
    }

    @Test
    void wrongLengthsMixNothingUp() {
        int rounds = 1_000;
        var random = new Random(6);
        int mixedUp = 0;
        origin.otherwise(request -> liar(request.path()));
        try (var proxy = proxy("")) {
            var client = proxy.connect();
            for (int i = 0; i < rounds; i++) {
                int surplus = random.nextInt(1, 400);
                boolean isLong = random.nextBoolean();
                var lie = (isLong ? "/long/" : "/short/") + i + "/" + surplus;

                boolean whole = false;
                if (!client.request("GET", lie).awaitEnded()) {
                    var arriving = client.begin();
                    whole = arriving.awaitEnd();
                    var text = arriving.content().text();
                    mixedUp += isLong || "short".startsWith(text) ? 0 : 1;
                    mixedUp += !isLong || text.equals(said(lie)) ? 0 : 1;
                }
                mixedUp += whole == isLong ? 0 : 1;
                if (!whole) {
                    client.close();
                    client = proxy.connect();
                }
                if (!client.get("/true/" + i).text().equals(said("/true/" + i))) {
                    mixedUp++;
                }
            }
            client.close();
        }
        var liars =
                origin.requests().stream()
                        .filter(request -> !request.path().startsWith("/true"))
                        .map(request -> request.connection())
                        .distinct()
                        .count();

        Figure.print("R6", "wrong bodies in " + 2 * rounds + " responses", mixedUp, 0);
        assertThat(mixedUp).isZero();
        assertThat(liars).as("connections, none of which carried two lies").isEqualTo(rounds);
    }

    /** Returns the correct text for {@code path}. */
    private static String said(String path) {
        return "answer to " + path;
    }

    /** Returns a response whose body is longer or shorter than announced. */
    private static Answer liar(String path) {
        var words = path.split("/", -1);
        var body = said(path);
        var answer = Answer.html(body).field("Cache-Control", "no-store");
        return switch (words[1]) {
            case "long" ->
                    Answer.html(body + "HTTP/1.1 200 OK\r\n\r\nEVIL".repeat(9))
                            .field("Cache-Control", "no-store")
                            .field("Content-Length", String.valueOf(body.length()));
            case "short" ->
                    Answer.html("short")
                            .field("Cache-Control", "no-store")
                            .field("Content-Length", String.valueOf(5 + Integer.parseInt(words[3])))
                            .cutAfter(5);
            default -> answer;
        };
    }

    private Asking baseline(String target, String text) {
        return Asking.of("baseline", soundProxy, target, response -> response.text().equals(text));
    }

    private RunningProxy proxy(String originKeys) {
        var keys = originKeys.isEmpty() ? "retries: 0" : originKeys + ", retries: 0";
        return RunningProxy.inFrontOf(origin)
                .clock(clock)
                .with("cache", "{ memory: 64MiB, grace: 0s }")
                .origin(keys)
                .start();
    }

    private static Answer staleIfError(String text) {
        return Answer.html(text).field("Cache-Control", "max-age=5, stale-if-error=86400");
    }

    private static Answer staleWhileRevalidate(String text) {
        return Answer.html(text).field("Cache-Control", "max-age=5, stale-while-revalidate=3600");
    }

    private static boolean isOurs(Response response) {
        return switch (response.status()) {
            case 502, 504 -> true;
            case 503 -> response.field("Retry-After") != null;
            default -> false;
        };
    }

    private record Timed(Response response, Duration took) {}

    private static Timed timed(RunningProxy proxy, String target) {
        long begin = System.nanoTime();
        var response = proxy.get(target);
        return new Timed(response, Duration.ofNanos(System.nanoTime() - begin));
    }

    private static Timed ended(Future<Timed> asked) {
        try {
            return asked.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("a client got no response", e);
        }
    }
}
