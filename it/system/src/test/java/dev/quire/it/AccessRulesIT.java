package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rate limits and passwords of rules in a running proxy. */
class AccessRulesIT {
    /** Hashes of {@code open sesame}: the second takes a quarter of a second or so. */
    private static final String QUICK =
            "$2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy";

    private static final String SLOW =
            "$2y$12$abcdefghijklmnopqrstuuq2uHH4t8IjTa8PV9VUUF1vssBH6WaR2";

    /** Of {@code changed}. */
    private static final String CHANGED =
            "$2y$04$abcdefghijklmnopqrstuu5XQl64I3WPWSJw.ftK7xXCrRn1r6QJi";

    private static final String PROTECTED =
            "rules: { request: [ { name: members, match: { path: /members/** },"
                    + " auth: { file: users } } ] }";

    private final Origin origin =
            Origin.start()
                    .otherwise(request ->
                            Answer.html(request.target()).field("Cache-Control", "max-age=60"));

    @TempDir private Path directory;

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void bucketsSurviveAReload() throws Exception {
        var limit = "rules: { request: [ { name: all, limit: { rate: 2/h } } ] }\n";
        try (var proxy = start(limit)) {
            assertThat(proxy.get("/a").status()).isEqualTo(200);
            assertThat(proxy.get("/a").status()).isEqualTo(200);
            var refused = proxy.get("/a");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.fields().first("Retry-After")).matches("1[78]\\d\\d");

            proxy.write(configuration(limit + "log: { access: off, slow: 5s }\n"));
            proxy.reload();
            assertThat(proxy.get("/a").status()).isEqualTo(429);

            proxy.write(configuration(limit.replace("2/h", "3/h")));
            proxy.reload();
            assertThat(proxy.get("/a").status()).isEqualTo(200);
            assertThat(proxy.metric("quire_limit_buckets")).isEqualTo("2.0");
        }
    }

    @Test
    void onlyMissesCountIfTheRuleSaysSo() throws Exception {
        var limit = "rules: { request: [ { limit: { rate: 1/h, only: misses } } ] }\n";
        try (var proxy = start(limit)) {
            for (int i = 0; i < 10; i++) {
                assertThat(proxy.get("/a").text()).isEqualTo("/a");
            }

            assertThat(proxy.get("/b").status()).isEqualTo(429);
            assertThat(origin.paths()).containsExactly("/a");
        }
    }

    @Test
    void requestsOfManyThreadsAreCountedExactly() throws Exception {
        var limit = "rules: { request: [ { limit: { rate: 1/h, burst: 500 } } ] }\n";
        try (var proxy = start(limit)) {
            var admitted = new AtomicInteger();
            inParallel(
                    16,
                    thread -> {
                        try (var client = proxy.connect()) {
                            for (int i = 0; i < 100; i++) {
                                if (client.get("/a").status() == 200) {
                                    admitted.incrementAndGet();
                                }
                            }
                        }
                        return null;
                    });

            assertThat(admitted).hasValue(500);
        }
    }

    @Test
    void manyUsersAreCheckedAtTheSameTime() throws Exception {
        var users = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            users.append("user").append(i).append(':').append(QUICK).append('\n');
        }
        Files.writeString(directory.resolve("users"), users);
        try (var proxy = start(PROTECTED)) {
            for (int round = 0; round < 2; round++) {
                inParallel(
                        60,
                        user -> {
                            var line = basic("user" + user, "open sesame");
                            try (var client = proxy.connect()) {
                                var response = client.get("/members/a", "Authorization", line);
                                assertThat(response.text()).isEqualTo("/members/a");
                                assertThat(response.fields().first("Cache-Control"))
                                        .isEqualTo("private, no-cache");
                            }
                            return null;
                        });
            }

            assertThat(origin.requests("/members/a")).as("shared").hasSize(1);
            assertThat(origin.requests("/members/a").getFirst().fields().first("Authorization"))
                    .isNull();
        }
    }

    @Test
    void floodOfWrongPasswordsDoesNotDelayHits() throws Exception {
        Files.writeString(directory.resolve("users"), "anna:" + SLOW + "\n");
        try (var proxy = start(PROTECTED)) {
            proxy.get("/open");
            var isOver = new AtomicBoolean();
            var overloads = new AtomicInteger();
            var took = new ArrayList<Long>();
            inParallel(
                    151,
                    thread -> {
                        if (thread == 0) {
                            try (var client = proxy.connect()) {
                                ReloadableProxy.await(() -> overloads.get() > 0, "a full queue");
                                for (int i = 0; i < 500; i++) {
                                    long start = System.nanoTime();
                                    assertThat(client.get("/open").text()).isEqualTo("/open");
                                    took.add(System.nanoTime() - start);
                                }
                            } finally {
                                isOver.set(true);
                            }
                        } else {
                            flood(proxy, thread, isOver, overloads);
                        }
                        return null;
                    });

            took.sort(null);
            // Unhurried, since the checks use both processors of a small machine. Behind a check, a
            // hit would wait for a quarter of a second or longer.
            assertThat(Duration.ofNanos(took.get(took.size() / 2)))
                    .isLessThan(Duration.ofMillis(150));
            assertThat(Duration.ofNanos(took.getLast())).isLessThan(Duration.ofSeconds(5));
            ReloadableProxy.await(
                    () -> proxy.metric("quire_logins_pending").equals("0.0"), "no check left");
        }
    }

    /** Sends wrong passwords, for which it does not wait. */
    private static void flood(
            ReloadableProxy proxy, int thread, AtomicBoolean isOver, AtomicInteger overloads) {
        for (int i = 0; !isOver.get(); i++) {
            try (var client = proxy.connect()) {
                client.request(
                        "GET", "/members/a", "Authorization", basic("anna", thread + " " + i));
                if (thread > 110) {
                    // These come too late for a place in the queue.
                    var status = client.response().status();
                    assertThat(status).isIn(401, 503);
                    if (status == 503) {
                        overloads.incrementAndGet();
                    }
                } else {
                    ReloadableProxy.await(isOver::get, "the end");
                }
            }
        }
    }

    @Test
    void changedPasswordCountsFromTheReloadOn() throws Exception {
        var file = directory.resolve("users");
        Files.writeString(file, "anna:" + QUICK + "\n");
        try (var proxy = start(PROTECTED)) {
            assertThat(status(proxy, "open sesame")).isEqualTo(200);
            assertThat(status(proxy, "changed")).isEqualTo(401);
            proxy.reload();
            assertThat(proxy.generation()).isEqualTo("1.0");

            Files.writeString(file, "anna:" + CHANGED + "\n");
            proxy.reload();

            assertThat(status(proxy, "open sesame")).isEqualTo(401);
            assertThat(status(proxy, "changed")).isEqualTo(200);

            Files.writeString(file, "anna:plain\n");
            assertThat(proxy.post("/v1/config/reload").text())
                    .contains("rules.request[0].auth.file: line 1 has no bcrypt hash")
                    .doesNotContain("plain");
            assertThat(status(proxy, "changed")).isEqualTo(200);
        }
    }

    @Test
    void onlyANetworkIsAdmitted() throws Exception {
        var rules =
                "rules: { request: [ { match: { path: /admin/**, not: { client: [%s] } },"
                        + " deny: 403 } ] }";
        try (var proxy = start(rules.formatted("127.0.0.0/8, '::1'"))) {
            assertThat(proxy.get("/admin/a").status()).isEqualTo(200);
            proxy.write(configuration(rules.formatted("10.0.0.0/8")));
            proxy.reload();

            assertThat(proxy.get("/admin/a").status()).isEqualTo(403);
            assertThat(proxy.get("/a").status()).isEqualTo(200);
        }
    }

    private static int status(ReloadableProxy proxy, String password) {
        try (HttpWire client = proxy.connect()) {
            return client.get("/members/a", "Authorization", basic("anna", password)).status();
        }
    }

    private static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    }

    private ReloadableProxy start(String rules) throws Exception {
        return ReloadableProxy.start(directory, configuration(rules));
    }

    private String configuration(String more) {
        var log = more.contains("log:") ? "" : "log: { access: off }\n";
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        %scache: { memory: 16MiB, max-object: 1MiB }
        origins: { news: { urls: ["%s"] } }
        routes: [ { origin: news } ]
        %s
        """
                .formatted(log, origin.url(), more);
    }

    /** Calls {@code work} with 0, 1, and so on, at the same time. */
    private static void inParallel(int threads, Work work) throws Exception {
        try (var pool = Executors.newFixedThreadPool(threads)) {
            var calls =
                    IntStream.range(0, threads)
                            .<Callable<Void>>mapToObj(each -> () -> work.of(each))
                            .toList();
            for (var done : pool.invokeAll(calls)) {
                done.get();
            }
        }
    }

    private interface Work {
        Void of(int thread) throws Exception;
    }
}
