package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.Proxy;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replacing the configuration of a running proxy. */
class ReplacedConfigurationIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Pattern EXCHANGES = Pattern.compile("\"exchanges\":(\\d+),");

    private final Origin before = origin("before");
    private final Origin after = origin("after");
    @TempDir private Path directory;
    private Proxy proxy;
    private ListenAddresses addresses;

    @BeforeEach
    void start() throws Exception {
        proxy = new Proxy(at(before), Time.system());
        addresses = proxy.start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        before.close();
        after.close();
    }

    @Test
    void requestUnderWayEndsAtItsOriginWhileTheNextGoesToTheNewOne() throws Exception {
        var held = before.hold("/held");
        try (var slow = HttpWire.to(addresses.http())) {
            slow.request("GET", "/held");
            before.awaitRequest("/held");
            assertThat(get("/stored")).isEqualTo("before");

            proxy.replace(at(after));

            assertThat(get("/x")).isEqualTo("after");
            assertThat(get("/stored")).isEqualTo("before");
            awaitExchanges(1);
            assertThat(before.openConnections()).isPositive();
            held.release();
            assertThat(slow.response().text()).isEqualTo("before");
        }

        await(before::openConnections, 0);
        awaitExchanges(0);
        assertThat(get("/y")).isEqualTo("after");
    }

    @Test
    void serversAreCheckedAndShownOnceAndThoseBeforeNoMore() throws Exception {
        before.awaitRequests("/up", 2);

        proxy.replace(at(after));
        after.awaitRequests("/up", 2);
        before.settle();
        before.forget();
        after.awaitRequests("/up", 5);

        assertThat(before.requests("/up")).isEmpty();
        assertThat(metrics().lines().filter(line -> line.startsWith("quire_origin_up{")))
                .containsExactly(
                        "quire_origin_up{origin=\"news\",url=\"" + after.url() + "\"} 1.0");
        assertThat(metrics().lines().filter(line -> line.startsWith("quire_origin_connections{")))
                .hasSize(1);
        assertThat(stats()).contains(after.url().toString()).doesNotContain(before.url() + "\"");
    }

    @Test
    void nothingIsLostWhileConfigurationsAreReplacedAgainAndAgain() throws Exception {
        var isOver = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 4; i++) {
                clients.add(threads.submit(() -> ask(isOver)));
            }
            for (int i = 0; i < 60; i++) {
                proxy.replace(at(i % 2 == 0 ? after : before));
                get("/between");
            }
            proxy.replace(at(after));
            isOver.set(true);
            for (var client : clients) {
                assertThat(client.get(60, TimeUnit.SECONDS)).isPositive();
            }
        }

        await(before::openConnections, 0);
        awaitExchanges(0);
    }

    private int ask(AtomicBoolean isOver) {
        int answered = 0;
        try (var client = HttpWire.to(addresses.http())) {
            while (!isOver.get() || answered == 0) {
                assertThat(client.get("/own").text()).isIn("before", "after");
                answered++;
            }
        }
        return answered;
    }

    private static Origin origin(String text) {
        return Origin.start()
                .on("/up", request -> Answer.status(204))
                .on("/stored", request -> Answer.html(text).field("Cache-Control", "max-age=600"))
                .otherwise(request -> Answer.html(text).field("Cache-Control", "no-store"));
    }

    private Configuration at(Origin origin) throws Exception {
        var file = directory.resolve("quire.yml");
        Files.writeString(
                file,
                """
                listen: { http: "127.0.0.1:0" }
                admin: { address: "127.0.0.1:0" }
                log: { access: off }
                cache: { memory: 16MiB }
                origins:
                  news:
                    urls: ["%s"]
                    health: { path: /up, interval: 100ms, timeout: 100ms, threshold: 16 }
                routes: [ { origin: news } ]
                """
                        .formatted(origin.url()),
                UTF_8);
        return Configuration.of(Options.NONE.withFile(file));
    }

    private String get(String target) {
        try (var client = HttpWire.to(addresses.http())) {
            return client.get(target).text();
        }
    }

    /** A client has its response a moment before its exchange is counted as ended. */
    private void awaitExchanges(int number) {
        await(this::exchanges, number);
    }

    private int exchanges() {
        var number = EXCHANGES.matcher(stats());
        assertThat(number.find()).isTrue();
        return Integer.parseInt(number.group(1));
    }

    private String stats() {
        return admin("/v1/stats");
    }

    private String metrics() {
        return admin("/metrics");
    }

    private String admin(String target) {
        try (var operator = HttpWire.to(addresses.admin())) {
            return operator.get(target).text();
        }
    }

    private static void await(IntSupplier number, int expected) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (number.getAsInt() != expected && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(number.getAsInt()).isEqualTo(expected);
    }
}
