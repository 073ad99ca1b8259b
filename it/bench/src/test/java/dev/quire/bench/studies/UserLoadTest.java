package dev.quire.bench.studies;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.quire.bench.studies.UserLoad.End;
import dev.quire.bench.studies.UserLoad.Outcome;
import dev.quire.bench.studies.UserLoad.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UserLoadTest {
    private static final List<Step.Body> PAGES = List.of(page("/a"), page("/b"), page("/c"));

    private final Map<Integer, Queue<String>> requested = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void usersArriveWhileTheServerAnswersNoOne() {
        int users = 40;
        var arrived = new CountDownLatch(users);
        serve(exchange -> {
            arrived.countDown();
            await(arrived);
            answer(exchange, 200, exchange.getRequestURI().getPath());
        });

        var outcome = load(users, 400, Duration.ofSeconds(30)).run(PAGES, user -> port());

        assertThat(outcome.replies()).hasSize(2 * users);
        assertThat(outcome.errors()).isZero();
        // The first users waited for the last.
        assertThat(outcome.percentileMillis(100)).isGreaterThan(100);
    }

    @Test
    void eachUserRequestsTheSamePagesAgainOneAfterTheOther() {
        serve(exchange -> answer(exchange, 200, exchange.getRequestURI().getPath()));
        var load = load(30, 2000, Duration.ofSeconds(30));

        load.run(PAGES, user -> port());
        var first = paths();
        requested.clear();
        load.run(PAGES, user -> port());

        assertThat(paths()).isEqualTo(first).hasSize(60).contains("/a", "/b", "/c");
        // A connection for each.
        assertThat(requested).hasSize(30).allSatisfy((user, pages) -> assertThat(pages).hasSize(2));
    }

    @Test
    void errorsAreCountedByKind() {
        serve(exchange -> {
            switch (exchange.getRequestURI().getPath()) {
                case "/a" -> answer(exchange, 503, "/a");
                case "/b" -> answer(exchange, 200, "/another");
                default -> {
                    await(new CountDownLatch(1), 1500);
                    exchange.close();
                }
            }
        });

        var outcome = load(30, 2000, Duration.ofMillis(500)).run(PAGES, user -> port());

        assertThat(outcome.errors()).isEqualTo(60);
        assertThat(outcome.errorPercent()).isEqualTo(100);
        assertThat(outcome.count(End.REFUSED)).isPositive();
        assertThat(outcome.count(End.WRONG_BODY)).isPositive();
        assertThat(outcome.count(End.LATE)).isPositive();
        assertThat(outcome.replies())
                .filteredOn(reply -> reply.end() == End.LATE)
                .allSatisfy(reply -> assertThat(reply.millis()).isGreaterThan(450));
    }

    @Test
    void serverThatRefusesConnectionsIsAnErrorForEachRequest() {
        int port = port();
        server.start();
        server.stop(0);

        var outcome = load(5, 500, Duration.ofSeconds(2)).run(PAGES, user -> port);

        assertThat(outcome.count(End.FAILED)).isEqualTo(10);
    }

    @Test
    void percentilesAreThoseOfAllRequests() {
        var outcome =
                new Outcome(
                        IntStream.rangeClosed(1, 200)
                                .mapToObj(i -> new Reply(i / 10.0, i, End.RIGHT))
                                .toList());

        assertThat(outcome.meanMillis()).isEqualTo(100.5);
        assertThat(outcome.percentileMillis(50)).isEqualTo(100);
        assertThat(outcome.percentileMillis(99)).isEqualTo(198);
        assertThat(outcome.percentileMillis(100)).isEqualTo(200);
        assertThat(outcome.endedBetween(5, 10)).isEqualTo(50);
        assertThat(outcome.seconds()).isEqualTo(20);
    }

    @Test
    void faultHasTheNumberOfErrorsOfEachKind() {
        var right = new Reply(1, 1, End.RIGHT);
        var refused = new Reply(2, 1, End.REFUSED);
        var failed = new Reply(1, 1, End.FAILED);
        var late = new Reply(31, 30_000, End.LATE);

        assertThat(new Outcome(List.of(right)).fault()).isEmpty();
        assertThat(new Outcome(List.of(right, refused, failed, failed, late)).fault())
                .hasValue(
                        "4 errors of 5 requests: 1 with another status, 2 failed, 1 late, 0 wrong"
                                + " bodies, from 1.0 to 31.0 s");
    }

    private static Step.Body page(String path) {
        return new Step.Body(path, path.getBytes(UTF_8));
    }

    private static UserLoad load(int users, double rate, Duration timeout) {
        return new UserLoad("blog.example", users, 2, rate, timeout, 7);
    }

    private int port() {
        return server.getAddress().getPort();
    }

    private List<String> paths() {
        return requested.values().stream().flatMap(Queue::stream).sorted().toList();
    }

    private interface Answering {
        void answer(HttpExchange exchange) throws IOException;
    }

    private void serve(Answering answering) {
        server.createContext(
                "/",
                exchange -> {
                    requested
                            .computeIfAbsent(
                                    exchange.getRemoteAddress().getPort(),
                                    user -> new ConcurrentLinkedQueue<>())
                            .add(exchange.getRequestURI().getPath());
                    answering.answer(exchange);
                });
        server.start();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        var bytes = body.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static void await(CountDownLatch latch) {
        await(latch, 20_000);
    }

    private static void await(CountDownLatch latch, long millis) {
        try {
            var unused = latch.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
