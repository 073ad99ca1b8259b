package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Valid and invalid requests of all kinds leave no direct memory allocated. Sends up to 100,000
 * requests in at most 8 seconds, or the number in the system property {@code quire.leaks.requests}
 * without a time limit.
 */
class LeaksIT {
    private static final boolean IS_TIMED = System.getProperty("quire.leaks.requests") == null;
    private static final int REQUESTS = Integer.getInteger("quire.leaks.requests", 100_000);
    private static final Duration TIME = Duration.ofSeconds(8);
    private static final int ONE_OF_EACH = 1_000;
    private static final int CLIENTS = 4;
    private static final int PURGE_EVERY = 500;
    private static final long DEADLINE_MINUTES = 30;

    /** Requests that are refused with their connection closed. */
    private static final List<String> UNSOUND =
            List.of(
                    "GET / HTTP/1.1\r\n\r\n",
                    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\n X: folded\r\n\r\n",
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\nab",
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
                    "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
                    "\u0000\u0001\u0002\r\n\r\n");

    @Test
    void nothingIsLeftOfRequestsOfAllKinds() throws Exception {
        // Constants are allocated on first use and stay.
        ask(ONE_OF_EACH);
        long before = Memory.unpooled();

        ask(REQUESTS);

        assertThat(Memory.unpooled()).isEqualTo(before);
    }

    private void ask(int requests) throws Exception {
        try (var origin = script();
                var proxy =
                        RunningProxy.inFrontOf(origin).with("cache", "{ memory: 4MiB }").start();
                var clients = Executors.newFixedThreadPool(CLIENTS)) {
            var running = new ArrayList<Future<Integer>>();
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                running.add(
                        clients.submit(
                                (Callable<Integer>) () -> ask(proxy, origin, first, requests)));
            }
            long asked = 0;
            for (var client : running) {
                asked += client.get(DEADLINE_MINUTES, TimeUnit.MINUTES);
            }
            assertThat(asked).isBetween(IS_TIMED ? ONE_OF_EACH : (long) requests, (long) requests);
        }
    }

    private static Origin script() {
        var origin = Origin.start();
        origin.on(
                "/hit",
                Answer.html("hit").field("Cache-Control", "max-age=60").field("ETag", "\"1\""));
        origin.on(
                "/page", page("<" + include("/part") + include("/own") + include("/broken") + ">"));
        origin.on("/part", fragment("max-age=60+0", "part"));
        origin.on("/own", privately("own"));
        origin.on("/broken", Answer.html("broken off").cutAfter(4));
        origin.on("/chunked", Answer.html("chunked").field("Cache-Control", "no-store").chunked());
        origin.on("/large", Answer.status(200).repeating("large", 300_000));
        origin.on("/echo", request -> Answer.html(request.body().text()));
        origin.on("/fault", Answer.raw("nonsense\r\n\r\n"));
        origin.otherwise(request -> Answer.html("any").field("Cache-Control", "max-age=1"));
        return origin;
    }

    /** Sends every fourth request, on the connection of this client unless it was closed. */
    private static int ask(RunningProxy proxy, Origin origin, int first, int requests) {
        int asked = 0;
        long end = System.nanoTime() + TIME.toNanos();
        try (var client = proxy.connect()) {
            for (int i = first; i < requests; i += CLIENTS) {
                if (IS_TIMED && asked >= ONE_OF_EACH && System.nanoTime() > end) {
                    return asked;
                }
                ask(proxy, client, i / CLIENTS);
                asked++;
                if (asked % PURGE_EVERY == 0) {
                    proxy.purge("/hit", "/part", "/page");
                    // The origin records its requests, too much heap for a million.
                    origin.forget();
                }
            }
        }
        return asked;
    }

    private static void ask(RunningProxy proxy, HttpWire client, int number) {
        switch (number % 16) {
            case 0 -> assertThat(client.get("/miss/" + number).text()).isEqualTo("any");
            case 1 -> assertThat(client.get("/page").text()).isEqualTo("<partown>");
            case 2 ->
                    assertThat(client.get("/page", "Accept-Encoding", "gzip").status())
                            .isEqualTo(200);
            case 3 -> assertThat(client.request("HEAD", "/hit").response().status()).isEqualTo(200);
            case 4 ->
                    assertThat(client.get("/hit", "If-None-Match", "\"1\"").status())
                            .isIn(304, 200);
            case 5 -> assertThat(client.get("/chunked").text()).isEqualTo("chunked");
            case 6 ->
                    assertThat(
                                    client.request("POST", "/echo", "echo".getBytes(US_ASCII))
                                            .response()
                                            .text())
                            .isEqualTo("echo");
            case 7 -> unsound(proxy, UNSOUND.get(number / 16 % UNSOUND.size()));
            case 8 -> leaves(proxy);
            case 9 -> assertThat(client.get("/fault").status()).isEqualTo(502);
            case 10 -> cutOff(proxy);
            default -> assertThat(client.get("/hit").text()).isEqualTo("hit");
        }
    }

    private static void unsound(RunningProxy proxy, String raw) {
        try (var client = proxy.connect()) {
            assertThat(client.send(raw).response().status()).isBetween(400, 599);
            client.awaitClosed();
        }
    }

    private static void leaves(RunningProxy proxy) {
        try (var client = proxy.connect()) {
            client.request("GET", "/large").begin().awaitBytes(1);
            client.reset();
        }
    }

    private static void cutOff(RunningProxy proxy) {
        try (var client = proxy.connect()) {
            client.request("GET", "/broken").begin().awaitCut();
        }
    }
}
