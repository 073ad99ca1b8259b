package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A restarted proxy has what it had, and never what was purged. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoredOnDiskIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String SETTINGS = "cache: { memory: 16MiB }\ndisk: { path: ./tier }\n";

    private final Origin origin = Origin.start();
    @TempDir private Path directory;

    @AfterEach
    void stop() {
        origin.close();
    }

    /** A way to invalidate the response that is stored under {@code /story}. */
    record Invalidation(String name, Consumer<ReloadableProxy> action) {

        static Stream<Invalidation> all() {
            return Stream.of(
                    new Invalidation(
                            "url", proxy -> purge(proxy, "\"urls\":[\"" + url(proxy) + "\"]")),
                    new Invalidation("tag", proxy -> purge(proxy, "\"tags\":[\"news\"]")),
                    new Invalidation(
                            "host",
                            proxy -> purge(proxy, "\"hosts\":[\"" + authority(proxy) + "\"]")),
                    new Invalidation("path", proxy -> purge(proxy, "\"paths\":[\"/st*\"]")),
                    new Invalidation(
                            "ban", proxy -> admin(proxy, "/v1/bans", "{\"path\":\"/story\"}")),
                    new Invalidation("unsafe request", Invalidation::post));
        }

        private static void post(ReloadableProxy proxy) {
            try (var client = proxy.connect()) {
                client.request("POST", "/story", "x".getBytes(ISO_8859_1)).response();
            }
        }

        @Override
        public String toString() {
            return name;
        }

        private static String authority(ReloadableProxy proxy) {
            var http = proxy.addresses.http();
            return http.getHostString() + ":" + http.getPort();
        }

        private static String url(ReloadableProxy proxy) {
            return "http://" + authority(proxy) + "/story";
        }

        private static void purge(ReloadableProxy proxy, String named) {
            admin(proxy, "/v1/purge", "{" + named + "}");
        }

        /** Again while the answer is 202: a slow disk does not have it yet. */
        private static void admin(ReloadableProxy proxy, String target, String body) {
            var admin = proxy.addresses.admin();
            long end = System.nanoTime() + PATIENCE.toNanos();
            var answer = ReloadableProxy.post(admin, target, "application/json", body);
            while (answer.status() == 202 && System.nanoTime() - end < 0) {
                answer = ReloadableProxy.post(admin, target, "application/json", body);
            }
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        }
    }

    @Test
    void pagesAndFragmentsAreServedAfterARestart() throws Exception {
        origin.on("/page", page("<p>" + include("/a") + include("/b") + "</p>"));
        origin.on("/a", fragment("a")).on("/b", fragment("b"));
        origin.on(
                "/picture", Answer.html("x".repeat(300_000)).field("Cache-Control", "max-age=60"));
        int port = FreePort.next();
        try (var proxy = start(port)) {
            assertThat(proxy.get("/page").text()).isEqualTo("<p>ab</p>");
            proxy.get("/picture");
        }
        int asked = origin.paths().size();

        try (var proxy = start(port)) {
            assertThat(proxy.get("/page").text()).isEqualTo("<p>ab</p>");
            assertThat(proxy.get("/picture").text()).hasSize(300_000);
        }
        assertThat(origin.paths()).hasSize(asked);
    }

    @Test
    void whatRulesHaveStoredUnderAnotherUrlIsShownByTheUrlOfTheClient() throws Exception {
        story("text");
        int port = FreePort.next();
        var settings =
                SETTINGS
                        + "rules: { request: [ { match: { path: /old/** }, path: /story },"
                        + " { query: { drop: 'utm_*', sort: true } } ] }\n";
        var target = "/old/1?b=2&utm_source=x&a=1";
        var shown = "/v1/cache?url=http://127.0.0.1:" + port;
        try (var proxy = start(port, settings)) {
            assertThat(proxy.get(target).text()).isEqualTo("text");

            assertThat(proxy.ask(shown + target).text())
                    .contains("\"url\":\"http://127.0.0.1:" + port + "/old/1?b=2&")
                    .contains("\"tier\":\"memory\"")
                    .doesNotContain("\"tier\":\"disk\"");
            assertThat(proxy.ask(shown + "/story?a=1&b=2").text()).contains("\"status\":200");
            assertThat(proxy.ask(shown + "/old/1?a=1").status()).isEqualTo(404);
        }
        try (var proxy = start(port, settings)) {
            assertThat(proxy.ask(shown + target).text()).contains("\"tier\":\"disk\"");
        }
    }

    static Stream<Invalidation> invalidations() {
        return Invalidation.all();
    }

    @ParameterizedTest
    @MethodSource("invalidations")
    void invalidatedResponseIsNotServedAfterARestart(Invalidation way) throws Exception {
        story("old");
        int port = FreePort.next();
        try (var proxy = start(port)) {
            assertThat(proxy.get("/story").text()).isEqualTo("old");
        }
        story("new");
        try (var proxy = start(port)) {
            assertThat(proxy.get("/story").text()).isEqualTo("old");
            way.action().accept(proxy);
        }

        try (var proxy = start(port)) {
            assertThat(proxy.get("/story").text()).isEqualTo("new");
        }
    }

    private void story(String text) {
        origin.on(
                "/story",
                Answer.html(text).field("Cache-Control", "max-age=60").field("Cache-Tag", "news"));
    }

    @Test
    void tierWithoutItsJournalIsEmpty() throws Exception {
        story("old");
        int port = FreePort.next();
        try (var proxy = start(port)) {
            proxy.get("/story");
        }
        story("new");
        Files.delete(tier().resolve("journal.log"));

        try (var proxy = start(port)) {
            assertThat(proxy.get("/story").text()).isEqualTo("new");
        }
    }

    /** The origin might answer the other request with something else. */
    @Test
    void responseIsNotFoundUnderOtherRulesForRequests() throws Exception {
        story("old");
        int port = FreePort.next();
        try (var proxy = start(port, edition("de"))) {
            assertThat(proxy.get("/story").text()).isEqualTo("old");
        }
        story("new");

        try (var proxy = start(port, edition("fr"))) {
            assertThat(proxy.get("/story").text()).isEqualTo("new");
        }
        try (var proxy = start(port, edition("de"))) {
            assertThat(proxy.get("/story").text()).isEqualTo("old");
        }
        assertThat(origin.requests("/story"))
                .extracting(request -> request.field("X-Edition"))
                .containsExactly("de", "fr");
    }

    private static String edition(String name) {
        return SETTINGS
                + "rules: { request: [ { name: edition, set: { X-Edition: %s } } ] }\n"
                        .formatted(name);
    }

    @Test
    void secondProxyWithTheDirectoryServesFromMemory() throws Exception {
        story("text");
        try (var one = start(FreePort.next())) {
            one.get("/story");
            try (var other = start(FreePort.next())) {
                assertThat(other.get("/story").text()).isEqualTo("text");
                assertThat(other.get("/story").text()).isEqualTo("text");
            }
        }
        assertThat(origin.requests("/story")).hasSize(2);
    }

    @Test
    void secretsAreInNoFile() throws Exception {
        origin.on("/private", privately("secret-body"));
        origin.on("/mine", Answer.html("shared").field("Cache-Control", "max-age=60"));
        origin.on(
                "/varied",
                Answer.html("varied")
                        .field("Cache-Control", "max-age=60")
                        .field("Vary", "Accept-Language"));
        origin.on(
                "/cookie",
                Answer.html("text")
                        .field("Cache-Control", "max-age=60")
                        .field("Set-Cookie", "id=secret-set"));
        try (var proxy = start(FreePort.next())) {
            for (var target : List.of("/private", "/mine", "/varied", "/cookie")) {
                try (var client = proxy.connect()) {
                    client.get(
                            target,
                            "Cookie",
                            "session=secret-cookie",
                            "Accept-Language",
                            "secret-language");
                }
            }
        }

        assertThat(files()).anyMatch(text -> text.contains("varied"));
        assertThat(files()).noneMatch(text -> text.contains("secret"));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(tier())) {
            return files.map(StoredOnDiskIT::text).toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void staleResponseStandsInAfterARestartThoughThereIsNoMemory() throws Exception {
        origin.on(
                "/story",
                Answer.html("old")
                        .field("Cache-Control", "max-age=0, stale-if-error=60")
                        .field("ETag", "\"1\""),
                Answer.status(503));
        int port = FreePort.next();
        var settings = "cache: { memory: 0 }\ndisk: { path: ./tier, min-lifetime: 0s }\n";
        try (var proxy = start(port, settings)) {
            proxy.get("/story");
        }

        try (var proxy = start(port, settings)) {
            Response answer = proxy.get("/story");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("old");
        }
    }

    /** Each process has a store that does not answer. */
    @Test
    void longResponsesAreValidatedWhileTheFleetIsAway() throws Exception {
        origin.on("/picture", picture("old"), Answer.status(304), picture("new"));
        int port = FreePort.next();
        var settings =
                "cache: { memory: 16MiB }\ndisk: { path: ./tier }\n"
                        + "shared: { servers: [\"127.0.0.1:%d\"] }\n".formatted(FreePort.next())
                        + "fleet: { name: cut-off, partition: revalidate }\n";
        try (var proxy = start(port, settings)) {
            assertThat(isPicture(proxy, "old")).isTrue();
        }

        try (var proxy = start(port, settings)) {
            assertThat(isPicture(proxy, "old")).isTrue();
            assertThat(origin.requests("/picture").getLast().field("If-None-Match"))
                    .isEqualTo("\"old\"");
        }
        try (var proxy = start(port, settings)) {
            assertThat(isPicture(proxy, "new")).isTrue();
        }
        assertThat(origin.requests("/picture")).hasSize(3);
    }

    private static boolean isPicture(ReloadableProxy proxy, String text) {
        return proxy.get("/picture").text().equals(text.repeat(100_000));
    }

    private static Answer picture(String text) {
        return Answer.status(200)
                .field("Content-Type", "image/png")
                .body(text.repeat(100_000))
                .field("Cache-Control", "max-age=60")
                .field("ETag", "\"" + text + "\"");
    }

    private Path tier() {
        return directory.resolve("tier");
    }

    private ReloadableProxy start(int port) throws Exception {
        return start(port, SETTINGS);
    }

    /** Starts it, and waits for the index. */
    private ReloadableProxy start(int port, String settings) throws Exception {
        var proxy =
                ReloadableProxy.start(
                        directory,
                        """
                        listen: { http: "127.0.0.1:%d" }
                        admin: { address: "127.0.0.1:0" }
                        origins: { app: { urls: ["%s"] } }
                        routes: [ { origin: app } ]
                        log: { access: off }
                        """
                                        .formatted(port, origin.url())
                                + settings);
        ReloadableProxy.await(() -> isReady(proxy), "a proxy that is ready");
        return proxy;
    }

    private static boolean isReady(ReloadableProxy proxy) {
        try (var balancer = HttpWire.to(proxy.addresses.admin())) {
            return balancer.get("/readyz").status() == 200;
        }
    }
}
