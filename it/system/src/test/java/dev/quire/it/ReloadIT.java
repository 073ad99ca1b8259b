package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.config.Options;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of a running proxy is read again, tried and taken back. */
class ReloadIT {
    private final Origin before = origin("before");
    private final Origin after = origin("after");
    @TempDir private Path directory;

    @AfterEach
    void stop() {
        before.close();
        after.close();
    }

    @Test
    void changedFileIsUsedFromTheNextRequestOn() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            assertThat(proxy.get("/own").text()).isEqualTo("before");
            proxy.write(to(after, ""));
            assertThat(proxy.get("/own").text()).isEqualTo("before");

            assertThat(proxy.post("/v1/config/reload").text())
                    .isEqualTo(
                            "{\"generation\":2,\"changed\":true,\"confirmWithin\":null,"
                                    + "\"warnings\":[]}");

            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.generation()).isEqualTo("2.0");
        }
    }

    @Test
    void sameFileIsNoNewGeneration() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            assertThat(proxy.post("/v1/config/reload").text())
                    .startsWith("{\"generation\":1,\"changed\":false,");

            assertThat(proxy.metric("quire_config_reloads_total{result=\"unchanged\"}"))
                    .isEqualTo("1.0");
            assertThat(proxy.generation()).isEqualTo("1.0");
        }
    }

    @Test
    void filesThatRulesNameCountAsParts() throws Exception {
        var text = directory.resolve("closed.html");
        Files.writeString(text, "closed");
        var rules =
                """
                rules:
                  request:
                    - { match: { path: /closed }, respond: { status: 503, file: closed.html } }
                    - { match: { path: /open }, set: { X-Open: "{path}" } }
                  response: [ { match: { path: /open }, ttl: 1m } ]
                  deliver: [ { set: { X-Frame-Options: DENY } } ]
                """;
        try (var proxy = ReloadableProxy.start(directory, to(before, rules))) {
            assertThat(proxy.get("/closed").text()).isEqualTo("closed");
            assertThat(proxy.post("/v1/config/reload").text())
                    .startsWith("{\"generation\":1,\"changed\":false,");

            Files.writeString(text, "closed until noon");
            assertThat(proxy.post("/v1/config/reload").text())
                    .startsWith("{\"generation\":2,\"changed\":true,");

            assertThat(proxy.get("/closed").text()).isEqualTo("closed until noon");
        }
    }

    @Test
    void tokenFileIsReadAgain() throws Exception {
        var token = directory.resolve("token");
        Files.writeString(token, "first-token-of-the-test");
        var invalidation =
                "invalidation: { methods: [PURGE], from: [127.0.0.0/8], token-file: '%s' }\n"
                        .formatted(token);
        try (var proxy = ReloadableProxy.start(directory, to(before, invalidation))) {
            assertThat(purge(proxy, "first")).isEqualTo(200);

            Files.writeString(token, "other-token-of-the-test");
            proxy.reload();

            assertThat(purge(proxy, "first")).isEqualTo(403);
            assertThat(purge(proxy, "other")).isEqualTo(200);
        }
    }

    private static int purge(ReloadableProxy proxy, String token) {
        try (var client = proxy.connect()) {
            return client.request(
                            "PURGE",
                            "/own",
                            "Authorization",
                            "Bearer " + token + "-token-of-the-test")
                    .response()
                    .status();
        }
    }

    @Test
    void badFileChangesNothingAndEachProblemIsALine() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(
                    to(after, "nonsense: 1\n").replace("memory: 16MiB", "memory: much, grace: 1"));

            var answer = proxy.post("/v1/config/reload");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text().lines())
                    .hasSize(3)
                    .anyMatch(line -> line.contains("cache.memory: invalid value 'much'"))
                    .anyMatch(line -> line.contains("cache.grace: invalid value '1'"))
                    .anyMatch(line -> line.contains("nonsense: is an unknown key"));
            assertThat(proxy.get("/own").text()).isEqualTo("before");
            assertThat(proxy.generation()).isEqualTo("1.0");
            assertThat(proxy.metric("quire_config_reloads_total{result=\"refused\"}"))
                    .isEqualTo("1.0");
        }
    }

    @Test
    void dryRunChangesNothing() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(to(after, ""));

            assertThat(proxy.post("/v1/config/reload?dryRun").text())
                    .startsWith("{\"generation\":1,\"dryRun\":true,");

            assertThat(proxy.get("/own").text()).isEqualTo("before");
        }
    }

    @Test
    void optionsOfTheCommandLineKeepWinning() throws Exception {
        int port = FreePort.next();
        var options = Options.NONE.withListen("127.0.0.1:" + port);
        try (var proxy = ReloadableProxy.start(directory, to(before, ""), options)) {
            proxy.write(to(after, "").replace("http: \"127.0.0.1:0", "http: \"127.0.0.1:1"));

            proxy.reload();

            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.ask("/v1/config?effective").text())
                    .contains("http: 127.0.0.1:" + port);
        }
    }

    @Test
    void unconfirmedGenerationIsTakenBackByItself() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(to(after, ""));
            proxy.post("/v1/config/reload?confirm=300ms");
            assertThat(proxy.get("/own").text()).isEqualTo("after");

            ReloadableProxy.await(() -> proxy.generation().equals("1.0"), "generation 1");

            assertThat(proxy.get("/own").text()).isEqualTo("before");
            assertThat(proxy.metric("quire_config_rollbacks_total{by=\"unconfirmed\"}"))
                    .isEqualTo("1.0");
            assertThat(Files.readString(proxy.file())).contains(after.url().toString());
        }
    }

    @Test
    void drainingProxyDeclinesAChange() throws Exception {
        var drain = "drain: { grace: 10m }\n";
        try (var proxy = ReloadableProxy.start(directory, to(before, drain))) {
            proxy.write(to(after, drain));
            proxy.reload();
            var draining = Thread.ofVirtual().start(proxy.proxy::drainAndStop);
            ReloadableProxy.await(() -> proxy.ask("/readyz").status() == 503, "a drain");
            proxy.write(to(before, drain));

            for (var change : List.of("reload", "rollback")) {
                var answer = proxy.post("/v1/config/" + change);
                assertThat(answer.status()).as(answer.text()).isEqualTo(409);
                assertThat(answer.text()).startsWith("409 the proxy is draining");
            }
            draining.interrupt();
            draining.join();
        }
    }

    @Test
    void confirmedGenerationStays() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(to(after, ""));
            proxy.post("/v1/config/reload?confirm=1h");

            assertThat(proxy.post("/v1/config/reload").status()).isEqualTo(409);
            assertThat(proxy.ask("/v1/config/generations").text()).contains("\"confirmWithin\":35");
            assertThat(proxy.post("/v1/config/confirm").status()).isEqualTo(200);
            assertThat(proxy.post("/v1/config/confirm").status()).isEqualTo(409);

            assertThat(proxy.post("/v1/config/reload").status()).isEqualTo(200);
            assertThat(proxy.get("/own").text()).isEqualTo("after");
        }
    }

    @Test
    void guardTakesAGenerationWithErrorsBack() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            after.otherwise(request -> Answer.status(500).field("Cache-Control", "no-store"));
            proxy.write(to(after, ""));
            proxy.post("/v1/config/reload?guard=errors%3C1%25");

            for (int i = 0; i < 19; i++) {
                assertThat(proxy.get("/own").status()).isEqualTo(500);
            }
            assertThat(proxy.generation()).isEqualTo("2.0");
            proxy.get("/own");

            ReloadableProxy.await(() -> proxy.generation().equals("1.0"), "generation 1");
            assertThat(proxy.get("/own").text()).isEqualTo("before");
            assertThat(proxy.metric("quire_config_rollbacks_total{by=\"errors\"}"))
                    .isEqualTo("1.0");
        }
    }

    @Test
    void brokenResponsesAreErrorsForTheGuard() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            after.otherwise(request ->
                    Answer.html("x".repeat(200_000))
                            .field("Cache-Control", "no-store")
                            .cutAfter(100_000));
            proxy.write(to(after, ""));
            proxy.post("/v1/config/reload?guard=errors%3C1%25");

            for (int i = 0; i < 20; i++) {
                try (var client = proxy.connect()) {
                    client.request("GET", "/own").awaitEnded();
                }
            }

            ReloadableProxy.await(() -> proxy.generation().equals("1.0"), "generation 1");
        }
    }

    @Test
    void errorsOfTheTimeBeforeDoNotTripTheGuard() throws Exception {
        before.otherwise(request -> Answer.status(500).field("Cache-Control", "no-store"));
        after.otherwise(request -> Answer.status(500).field("Cache-Control", "no-store"));
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            for (int i = 0; i < 20; i++) {
                proxy.get("/own");
            }
            proxy.write(to(after, ""));
            proxy.post("/v1/config/reload?guard=errors%3C1%25&confirm=1h");

            for (int i = 0; i < 40; i++) {
                proxy.get("/own");
            }

            assertThat(proxy.post("/v1/config/confirm").status()).isEqualTo(200);
            assertThat(proxy.generation()).isEqualTo("2.0");
        }
    }

    @Test
    void operatorGoesBackToAnyKeptGeneration() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            for (int i = 2; i <= 12; i++) {
                proxy.write(to(after, "# " + i + "\n"));
                proxy.reload();
            }

            assertThat(proxy.post("/v1/config/rollback?generation=1").text())
                    .isEqualTo(
                            "409 generation 1 is not kept (expected one of 12, 11, 10, 9, 8, 7, 6,"
                                    + " 5, 4, 3)\n");
            proxy.write(to(before, ""));
            proxy.reload();
            assertThat(proxy.get("/own").text()).isEqualTo("before");
            assertThat(proxy.post("/v1/config/rollback").text()).startsWith("{\"generation\":12,");
            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.post("/v1/config/rollback?generation=13").status()).isEqualTo(200);
            assertThat(proxy.get("/own").text()).isEqualTo("before");
        }
    }

    @Test
    void changeOfAnIncludedFileIsAGenerationOfItsOwn() throws Exception {
        var part = directory.resolve("part.yml");
        Files.writeString(part, part("one"));
        var include = "include: part.yml\n";
        try (var proxy = ReloadableProxy.start(directory, to(before, include))) {
            assertThat(proxy.get("/own").field("X-Part")).isEqualTo("one");
            proxy.write(to(after, include));
            proxy.reload();
            Files.writeString(part, part("two"));
            proxy.reload();
            assertThat(proxy.get("/own").field("X-Part")).isEqualTo("two");

            assertThat(proxy.post("/v1/config/rollback").text()).startsWith("{\"generation\":2,");

            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.get("/own").field("X-Part")).isEqualTo("one");
            assertThat(numbers(proxy)).containsExactly("3", "2", "1");
            assertThat(proxy.post("/v1/config/rollback?generation=3").status()).isEqualTo(200);
            assertThat(proxy.get("/own").field("X-Part")).isEqualTo("two");

            Files.writeString(part, "# Without an effect\n" + part("two"));
            assertThat(proxy.post("/v1/config/reload").text())
                    .startsWith("{\"generation\":4,\"changed\":true,");
            assertThat(proxy.post("/v1/config/reload").text())
                    .startsWith("{\"generation\":4,\"changed\":false,");
        }
    }

    private static String part(String name) {
        return "rules: { deliver: [ { set: { X-Part: " + name + " } } ] }\n";
    }

    /** The numbers of the kept generations, newest first. */
    private static List<String> numbers(ReloadableProxy proxy) {
        return Pattern.compile("\"number\":(\\d+)")
                .matcher(proxy.ask("/v1/config/generations").text())
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void changeOfANamedFileKeepsTheGenerationBefore() throws Exception {
        var closed = directory.resolve("closed.html");
        Files.writeString(closed, "one");
        var rules =
                "rules: { request: [ { match: { path: /closed }, respond: { status: 503,"
                        + " file: closed.html } } ] }\n";
        try (var proxy = ReloadableProxy.start(directory, to(before, rules))) {
            proxy.write(to(after, rules));
            proxy.reload();
            Files.writeString(closed, "two");
            proxy.reload();

            assertThat(proxy.post("/v1/config/rollback").text()).startsWith("{\"generation\":2,");
            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.get("/closed").text()).isEqualTo("two");

            Files.writeString(closed, "three");
            proxy.post("/v1/config/reload?confirm=300ms");
            ReloadableProxy.await(() -> proxy.generation().equals("2.0"), "generation 2");
            assertThat(proxy.get("/closed").text()).isEqualTo("two");
            assertThat(numbers(proxy)).containsExactly("4", "3", "2", "1");
            assertThat(proxy.ask("/v1/config/generations").text())
                    .containsOnlyOnce("\"current\":true");
        }
    }

    @Test
    void postedConfigurationNeedsATokenEvenOnLoopback() throws Exception {
        var token = directory.resolve("token");
        Files.writeString(token, "0123456789abcdef0123456789abcdef");
        var authorized = new String[] {"Authorization", "Bearer 0123456789abcdef0123456789abcdef"};
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            var admin = proxy.addresses.admin();
            assertThat(
                            ReloadableProxy.post(
                                            admin, "/v1/config", "application/yaml", to(after, ""))
                                    .status())
                    .isEqualTo(403);
        }
        var yaml = to(before, "").replace("admin: {", "admin: { token-file: '" + token + "',");
        try (var proxy = ReloadableProxy.start(directory, yaml)) {
            var admin = proxy.addresses.admin();
            var next = yaml.replace(before.url().toString(), after.url().toString());
            assertThat(ReloadableProxy.post(admin, "/v1/config", "application/yaml", next).status())
                    .isEqualTo(401);
            assertThat(
                            ReloadableProxy.post(
                                            admin,
                                            "/v1/config",
                                            "application/yaml",
                                            next,
                                            "Authorization",
                                            authorized[1],
                                            "If-Match",
                                            "\"7\"")
                                    .status())
                    .isEqualTo(412);

            assertThat(
                            ReloadableProxy.post(
                                            admin,
                                            "/v1/config",
                                            "application/yaml",
                                            next,
                                            "Authorization",
                                            authorized[1],
                                            "If-Match",
                                            "\"1\"")
                                    .text())
                    .startsWith("{\"generation\":2,");

            assertThat(proxy.get("/own").text()).isEqualTo("after");
            assertThat(proxy.ask("/v1/config", authorized).text()).isEqualTo(next);
        }
    }

    @Test
    void secretsAreNotShown() throws Exception {
        var yaml =
                to(before, "# canary-0123456789abcdef0123456789\n")
                        + "variants: { cookie: who, secret: canary-0123456789abcdef0123456789 }\n";
        try (var proxy = ReloadableProxy.start(directory, yaml)) {
            assertThat(proxy.ask("/v1/config").text())
                    .contains("cookie: who, secret: \"***\"", "# ***")
                    .doesNotContain("canary");
            assertThat(proxy.ask("/v1/config?effective").text())
                    .contains("secret: '***'", "stale-if-unreachable: 1m")
                    .doesNotContain("canary");
        }
    }

    @Test
    void effectiveConfigurationIsOneThatGivesTheSame() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            var effective = proxy.ask("/v1/config?effective").text();

            proxy.write(effective);

            var answer = proxy.post("/v1/config/reload?dryRun");
            assertThat(answer.status()).describedAs(answer.text()).isEqualTo(200);
        }
    }

    @Test
    void newAddressIsOpenBeforeTheOldOneIsDrained() throws Exception {
        int port = FreePort.next();
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            var held = before.hold("/held");
            try (var slow = proxy.connect();
                    var idle = proxy.connect()) {
                assertThat(idle.get("/own").text()).isEqualTo("before");
                slow.request("GET", "/held");
                before.awaitRequest("/held");
                proxy.write(
                        to(before, "").replace("http: \"127.0.0.1:0", "http: \"127.0.0.1:" + port));

                proxy.reload();

                try (var client =
                        HttpWire.to(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                    assertThat(client.get("/own").text()).isEqualTo("before");
                }
                assertThatThrownBy(() -> proxy.get("/own")).isNotNull();
                held.release();
                var last = slow.response();
                assertThat(last.text()).isEqualTo("before");
                assertThat(last.field("Connection")).isEqualTo("close");
                idle.awaitClosed();
            }
        }
    }

    @Test
    void listenerThatCannotOpenRefusesTheReloadWhole() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(
                    to(after, "")
                            .replace(
                                    "http: \"127.0.0.1:0",
                                    "http: \"127.0.0.1:" + taken.getLocalPort()));

            var answer = proxy.post("/v1/config/reload");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text())
                    .contains("listen.http")
                    .contains("127.0.0.1:" + taken.getLocalPort() + " is in use")
                    .contains("a free port");

            proxy.write(
                    to(after, "")
                            .replace(
                                    "address: \"127.0.0.1:0",
                                    "address: \"127.0.0.1:" + taken.getLocalPort()));
            assertThat(proxy.post("/v1/config/reload").text())
                    .contains("admin.address")
                    .contains("127.0.0.1:" + taken.getLocalPort() + " is in use");
            assertThat(proxy.get("/own").text()).isEqualTo("before");
        }
    }

    @Test
    void adminPortMovesWithTheRequestThatMovesItAnswered() throws Exception {
        int port = FreePort.next();
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(
                    to(before, "")
                            .replace("address: \"127.0.0.1:0", "address: \"127.0.0.1:" + port));

            assertThat(proxy.post("/v1/config/reload").status()).isEqualTo(200);

            try (var operator =
                    HttpWire.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                assertThat(operator.get("/readyz").status()).isEqualTo(200);
            }
            ReloadableProxy.await(() -> isClosed(proxy), "the old admin port to be closed");
        }
    }

    private static boolean isClosed(ReloadableProxy proxy) {
        try {
            proxy.ask("/readyz");
            return false;
        } catch (RuntimeException | AssertionError closed) {
            return true;
        }
    }

    @Test
    void memoryThatDoesNotFitRefusesTheReload() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            proxy.write(to(after, "").replace("16MiB", "1000GiB"));

            var answer = proxy.post("/v1/config/reload");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).startsWith("cache.memory: ");
            assertThat(proxy.get("/own").text()).isEqualTo("before");
        }
    }

    @Test
    void lessMemoryEvictsAndMoreIsUsed() throws Exception {
        var object = Answer.html("x".repeat(400_000)).field("Cache-Control", "max-age=600");
        for (int i = 0; i < 10; i++) {
            before.on("/big/" + i, object);
        }
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            for (int i = 0; i < 10; i++) {
                proxy.get("/big/" + i);
            }
            assertThat(proxy.metric("quire_cache_objects")).isEqualTo("10.0");

            proxy.write(to(before, "").replace("16MiB", "1MiB"));
            proxy.reload();
            assertThat(Double.parseDouble(proxy.metric("quire_cache_objects"))).isLessThan(3);
            assertThat(proxy.metric("quire_cache_max_bytes")).isEqualTo("1048576.0");

            proxy.write(to(before, ""));
            proxy.reload();
            for (int i = 0; i < 10; i++) {
                proxy.get("/big/" + i);
            }
            assertThat(proxy.metric("quire_cache_objects")).isEqualTo("10.0");
        }
    }

    @Test
    void memoryIsTakenFromTheCacheAndGivenBack() throws Exception {
        var disk = "disk: { path: '" + directory.resolve("disk") + "' }\n";
        before.on("/kept", Answer.html("kept").field("Cache-Control", "max-age=600"));
        try (var proxy = ReloadableProxy.start(directory, to(before, disk))) {
            assertThat(proxy.get("/kept").text()).isEqualTo("kept");
            assertThat(proxy.metric("quire_cache_objects")).isEqualTo("1.0");

            proxy.write(to(before, disk).replace("memory: 16MiB", "memory: 0"));
            proxy.reload();
            assertThat(proxy.metric("quire_cache_max_bytes")).isEqualTo("0.0");
            assertThat(proxy.metric("quire_cache_objects")).isEqualTo("0.0");
            assertThat(proxy.get("/kept").text()).isEqualTo("kept");
            assertThat(proxy.metric("quire_cache_objects")).isEqualTo("0.0");

            proxy.write(to(before, disk));
            proxy.reload();
            ReloadableProxy.await(
                    () ->
                            proxy.get("/kept").text().equals("kept")
                                    && proxy.metric("quire_cache_objects").equals("1.0"),
                    "the response in memory again");
        }
    }

    @Test
    void changesOfTheDiskTierThatNeedARestartAreRefused() throws Exception {
        var path = "disk: { path: '" + directory.resolve("disk") + "'";
        try (var proxy = ReloadableProxy.start(directory, to(before, path + " }\n"))) {
            proxy.write(to(after, path + ", size: 1GiB, io-threads: 2 }\n"));

            var checked = proxy.post("/v1/config/reload?dryRun");
            var answer = proxy.post("/v1/config/reload");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text())
                    .isEqualTo(
                            "disk.size: cannot be changed by a reload (expected 20GiB, or a"
                                    + " restart)\n"
                                    + "disk.io-threads: cannot be changed by a reload (expected 4,"
                                    + " or a restart)\n");
            assertThat(checked.status()).isEqualTo(400);
            assertThat(checked.text()).isEqualTo(answer.text());
            assertThat(proxy.get("/own").text()).isEqualTo("before");

            proxy.write(
                    to(
                            after,
                            path
                                    + ", min-lifetime: 1s, write-limit: 1MiB/s, io-timeout: 9ms,"
                                    + " sendfile-from: 1MiB }\n"));
            proxy.reload();
            assertThat(proxy.get("/own").text()).isEqualTo("after");
        }
    }

    @Test
    void connectionsToAnUnchangedOriginStay() throws Exception {
        try (var proxy = ReloadableProxy.start(directory, to(before, ""));
                var client = proxy.connect()) {
            client.get("/own");

            proxy.write(to(before, "drain: { timeout: 3s }\n"));
            proxy.reload();
            client.get("/own");
            assertThat(before.requests("/own"))
                    .extracting(ReceivedRequest::connection)
                    .hasSize(2)
                    .containsOnly(before.requests("/own").getFirst().connection());

            proxy.write(to(before, "").replace("news: { ", "news: { max-connections: 9, "));
            proxy.reload();
            ReloadableProxy.await(
                    () -> before.openConnections() == 0, "a changed origin's connections to close");
        }
    }

    @Test
    void hangUpReadsTheFileAgain() throws Exception {
        var yaml = to(before, "").replaceAll("(?m)^(listen|admin): .*\n", "");
        try (var process = ProxyProcess.start(directory, yaml);
                var client = process.connect()) {
            assertThat(client.get("/own").text()).isEqualTo("before");
            var file = directory.resolve("quire.yml");
            Files.writeString(
                    file,
                    Files.readString(file)
                            .replace(before.url().toString(), after.url().toString()));

            process.signal("HUP");
            ReloadableProxy.await(
                    () -> client.get("/own").text().equals("after"), "the changed file to be used");

            Files.writeString(file, "nonsense: 1\n");
            process.signal("HUP");
            ReloadableProxy.await(
                    () -> hasLine(process, "configuration-refused"), "a line in the log");
            assertThat(client.get("/own").text()).isEqualTo("after");
        }
    }

    private static boolean hasLine(ProxyProcess process, String text) {
        try {
            return process.errorLines().stream().anyMatch(line -> line.contains(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void responseThatWasParsedUnderOtherSettingsIsAMiss() throws Exception {
        var page =
                Answer.html("<p><esi:vars>$(HTTP_HOST)</esi:vars>")
                        .field("Surrogate-Control", "max-age=600, content=\"ESI/1.0\"");
        before.on("/page", page).on("/other", page);
        var on = to(before, "esi: { process-html-comments: true }\n");
        try (var proxy = ReloadableProxy.start(directory, to(before, ""))) {
            assertThat(proxy.get("/page").text()).startsWith("<p>127.0.0.1");
            proxy.get("/page");
            assertThat(before.requests("/page")).hasSize(1);

            proxy.write(on);
            proxy.reload();
            proxy.get("/page");
            proxy.get("/page");
            assertThat(before.requests("/page")).hasSize(2);

            proxy.write(to(before, "").replace("origin: news }", "origin: news, esi: off }"));
            proxy.reload();
            assertThat(proxy.get("/page").text()).contains("<esi:vars>");
            assertThat(before.requests("/page")).hasSize(3);
        }
    }

    @Test
    void lateResponseOfAReplacedOriginIsNotStored() throws Exception {
        var stored = "max-age=600";
        after.on("/page", Answer.html("new").field("Cache-Control", stored));
        try (var proxy = ReloadableProxy.start(directory, to(before, ""));
                var slow = proxy.connect()) {
            var held = before.hold("/page");
            before.on("/page", Answer.html("old").field("Cache-Control", stored));
            slow.request("GET", "/page");
            before.awaitRequest("/page");
            proxy.write(to(after, ""));
            proxy.reload();
            assertThat(proxy.get("/page").text()).isEqualTo("new");

            held.release();

            assertThat(slow.response().text()).isEqualTo("old");
            assertThat(proxy.get("/page").text()).isEqualTo("new");
            assertThat(after.requests("/page")).hasSize(1);
        }
    }

    @Test
    void lateResponseOfAnUnchangedOriginIsStored() throws Exception {
        before.on("/page", Answer.html("old").field("Cache-Control", "max-age=600"));
        try (var proxy = ReloadableProxy.start(directory, to(before, ""));
                var slow = proxy.connect()) {
            var held = before.hold("/page");
            slow.request("GET", "/page");
            before.awaitRequest("/page");
            proxy.write(to(before, "drain: { timeout: 3s }\n"));
            proxy.reload();

            held.release();

            assertThat(slow.response().text()).isEqualTo("old");
            assertThat(proxy.get("/page").text()).isEqualTo("old");
            assertThat(before.requests("/page")).hasSize(1);
        }
    }

    @Test
    void accessLogChangesWithTheFile() throws Exception {
        var first = directory.resolve("first.log");
        var second = directory.resolve("second.log");
        var yaml = to(before, "").replace("access: off", "access: '" + first + "'");
        try (var proxy = ReloadableProxy.start(directory, yaml)) {
            proxy.get("/one");
            ReloadableProxy.await(() -> first.toFile().length() > 0, "a line in " + first);
            proxy.write(yaml.replace(first.toString(), second.toString()));
            proxy.reload();
            proxy.get("/two");
        }

        assertThat(Files.readString(first)).contains("/one").doesNotContain("/two");
        assertThat(Files.readString(second)).contains("/two").doesNotContain("/one");
    }

    @Test
    void trustedPeersChangeForOpenConnections() throws Exception {
        before.on(
                "/who",
                request ->
                        Answer.html(String.valueOf(request.field("X-Forwarded-For")))
                                .field("Cache-Control", "no-store"));
        try (var proxy = ReloadableProxy.start(directory, to(before, ""));
                var client = proxy.connect()) {
            assertThat(client.get("/who", "X-Forwarded-For", "192.0.2.1").text())
                    .doesNotContain("192.0.2.1");

            proxy.write(to(before, "trusted: [\"127.0.0.1\"]\n"));
            proxy.reload();

            assertThat(client.get("/who", "X-Forwarded-For", "192.0.2.1").text())
                    .contains("192.0.2.1");
        }
    }

    private static Origin origin(String text) {
        return Origin.start()
                .otherwise(request -> Answer.html(text).field("Cache-Control", "no-store"));
    }

    private static String to(Origin origin, String more) {
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        log: { access: off }
        cache: { memory: 16MiB, max-object: 1MiB }
        origins: { news: { urls: ["%s"] } }
        routes: [ { origin: news } ]
        %s\
        """
                .formatted(origin.url(), more);
    }
}
