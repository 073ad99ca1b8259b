package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cli.Cli;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The disk tier as operators see and change it: admin port, commands, metrics, log and fields. */
class DiskTierToolsIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Origin origin = Origin.start();
    @TempDir private Path directory;
    private int port;
    private @Nullable ReloadableProxy proxy;

    @BeforeEach
    void choosePort() throws IOException {
        port = FreePort.next();
        origin.on("/page", page("max-age=600", "<p>" + include("/fragment") + "</p>"));
        origin.on("/fragment", fragment("max-age=600", "text"));
        origin.on("/stale", fragment("max-age=1+600", "old"));
        origin.on("/language", fragment("max-age=600", "de").field("Vary", "Accept-Language"));
    }

    @AfterEach
    void stop() {
        if (proxy != null) {
            proxy.close();
        }
        origin.close();
    }

    @Test
    void hitSaysFromWhichTierItIs() throws Exception {
        start("");
        get("/page");
        restart();

        var fromDisk = get("/page");
        var again = get("/page");

        assertThat(fromDisk.text()).isEqualTo("<p>text</p>");
        assertThat(fromDisk.field("Cache-Status")).matches("quire; hit; ttl=\\d+; detail=disk");
        assertThat(again.field("Cache-Status")).matches("quire; hit; ttl=\\d+");
        var first = line(1);
        assertThat(first.get("outcome").stringValue()).isEqualTo("hit");
        assertThat(first.get("tier").stringValue()).isEqualTo("disk");
        assertThat(first.get("tier_ms").doubleValue()).isPositive();
        var inside = first.get("fragments").get(0);
        assertThat(inside.get("url").stringValue()).endsWith("/fragment");
        assertThat(inside.get("tier").stringValue()).isEqualTo("disk");
        assertThat(inside.get("tier_ms").doubleValue()).isPositive();
        var second = line(2);
        assertThat(second.get("tier").stringValue()).isEqualTo("memory");
        assertThat(second.has("tier_ms")).isFalse();
        assertThat(origin.requests("/page")).hasSize(1);
    }

    @Test
    void debuggedHitHasOneDetail() throws Exception {
        start("");
        get("/fragment");
        restart();

        assertThat(get("/fragment", "Quire-Debug", "1").field("Cache-Status"))
                .matches("quire; hit; ttl=\\d+; key=\"[^\"]+\"; detail=\"disk, fresh\"");
    }

    @Test
    void staleHitSaysItTooAndAMissHasNoTier() throws Exception {
        start("");
        get("/stale");
        long stale = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        restart();
        ReloadableProxy.await(() -> System.nanoTime() - stale > 0, "a stale response");

        assertThat(get("/stale").field("Cache-Status"))
                .matches("quire; hit; ttl=-?\\d+; detail=disk");
        get("/unknown");

        assertThat(line(1).get("outcome").stringValue()).isEqualTo("stale-hit");
        assertThat(line(1).get("tier").stringValue()).isEqualTo("disk");
        assertThat(line(2).get("outcome").stringValue()).isEqualTo("miss");
        assertThat(line(2).has("tier")).isFalse();
    }

    @Test
    void variantsAreListedByTier() throws Exception {
        start("");
        get("/language", "Accept-Language", "de-secret");
        assertThat(stored("/language").get(0).get("tier").stringValue()).isEqualTo("memory");
        restart();

        var listed = stored("/language");

        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).get("tier").stringValue()).isEqualTo("disk");
        assertThat(listed.get(0).get("status").intValue()).isEqualTo(200);
        assertThat(listed.get(0).get("vary").get(0).stringValue()).isEqualTo("accept-language");
        assertThat(listed.get(0).get("lifetime").doubleValue()).isEqualTo(600);
        assertThat(listed.toString()).doesNotContain("secret");
        get("/language", "Accept-Language", "de-secret");
        assertThat(stored("/language")).hasSize(1);
        assertThat(stored("/language").get(0).get("tier").stringValue()).isEqualTo("memory");
    }

    @Test
    void stateAndFiguresAreShown() throws Exception {
        start("");
        get("/page");
        restart();
        get("/page");
        get("/unknown");

        var tiers = JSON.readTree(running().ask("/v1/tiers").text());

        assertThat(tiers.get("memory").get("state").stringValue()).isEqualTo("on");
        assertThat(tiers.get("memory").get("objects").longValue()).isEqualTo(2);
        var disk = tiers.get("disk");
        assertThat(disk.get("state").stringValue()).isEqualTo("on");
        assertThat(disk.get("path").stringValue()).isEqualTo(disk().toString());
        assertThat(disk.get("objects").longValue()).isEqualTo(2);
        assertThat(disk.get("bytes").longValue()).isPositive();
        assertThat(disk.get("maxBytes").longValue()).isEqualTo(16 << 20);
        assertThat(disk.get("requests").get("hit").longValue()).isEqualTo(2);
        assertThat(disk.get("requests").get("miss").longValue()).isEqualTo(1);
        assertThat(disk.get("segments").longValue()).isEqualTo(1);
        assertThat(disk.get("startSeconds").doubleValue()).isPositive();
        assertThat(running().metric("quire_tier_state{tier=\"disk\"}")).isEqualTo("0.0");
        assertThat(running().metric("quire_tier_objects{tier=\"disk\"}")).isEqualTo("2.0");
        assertThat(running().metric("quire_tier_requests_total{outcome=\"hit\",tier=\"disk\"}"))
                .isEqualTo("2.0");
        assertThat(running().metric("quire_tier_seconds_count{tier=\"disk\"}")).isEqualTo("2");
        assertThat(running().metric("quire_disk_segments")).isEqualTo("1.0");
        assertThat(Double.parseDouble(running().metric("quire_disk_journal_bytes"))).isPositive();
        assertThat(quire("tiers"))
                .startsWith("0 TIER    STATE ")
                .containsPattern("\nmemory  on +2 ")
                .containsPattern("\ndisk    on +2 +\\d+ +16777216\n")
                .contains("path: " + disk() + "\n", "searches: hit 2, miss 1, ");
        assertThat(quire("tiers", "--json")).startsWith("0 {\"memory\":{");
    }

    @Test
    void diskIsEmptiedSwitchedOffAndOn() throws Exception {
        start("cache: { memory: 0 }\n");
        assertThat(get("/fragment").text()).isEqualTo("text");
        awaitObjects(1);

        assertThat(quire("tiers", "drop")).startsWith("0 ").containsPattern("\ndisk    on +0 ");
        get("/fragment");
        assertThat(origin.requests("/fragment")).hasSize(2);
        awaitObjects(1);

        assertThat(quire("tiers", "off")).startsWith("0 ").containsPattern("\ndisk    off +0 ");
        assertThat(running().metric("quire_tier_state{tier=\"disk\"}")).isEqualTo("2.0");
        get("/fragment");
        get("/fragment");
        assertThat(origin.requests("/fragment")).hasSize(4);
        assertThat(quire("tiers", "off")).startsWith("0 ");

        assertThat(quire("tiers", "on")).startsWith("0 ").containsPattern("\ndisk    on +0 ");
        get("/fragment");
        awaitObjects(1);
        get("/fragment");
        assertThat(origin.requests("/fragment")).hasSize(5);
    }

    @Test
    void wrongStateAndMissingTierAreRefused() throws Exception {
        start("");
        assertThat(quire("tiers", "away"))
                .isEqualTo("2 state: invalid value 'away' (expected on, off or drop)\n");
        running().close();

        proxy = ReloadableProxy.start(directory, origins());
        assertThat(running().ask("/v1/tiers").text()).doesNotContain("disk");
        assertThat(running().ask("/metrics").text()).doesNotContain("quire_tier_", "quire_disk_");
        assertThat(quire("tiers", "off"))
                .isEqualTo("1 there is no disk tier (expected disk.path in the configuration)\n");
    }

    @Test
    void tierThatCannotBeOpenedSaysWhy() throws Exception {
        start("");
        var other = running();
        try {
            port = FreePort.next();
            start("");

            var shown = JSON.readTree(running().ask("/v1/tiers").text()).get("disk");

            assertThat(shown.get("state").stringValue()).isEqualTo("failed");
            var reason = disk() + ": another disk tier of this process uses it";
            assertThat(shown.get("reason").stringValue()).isEqualTo(reason);
            assertThat(running().metric("quire_tier_state{tier=\"disk\"}")).isEqualTo("2.0");
            assertThat(quire("tiers", "on"))
                    .isEqualTo(
                            "1 the disk tier has failed: %s (expected a disk that works; it is tried again)\n"
                                    .formatted(reason));
            assertThat(quire("tiers"))
                    .containsPattern("\ndisk    failed +0 ")
                    .contains("failed: " + reason + "\n");
        } finally {
            other.close();
        }
    }

    private void start(String more) throws Exception {
        var yaml =
                """
                %slog: { access: '%s', fragments: all }
                disk: { path: '%s', size: 16MiB, min-lifetime: 0s }
                %s\
                """
                        .formatted(origins(), log(), disk(), more);
        proxy = ReloadableProxy.start(directory, yaml);
        awaitReady();
    }

    private String origins() {
        return """
        listen: { http: '127.0.0.1:%d' }
        admin: { address: '127.0.0.1:0' }
        origins: { app: { urls: ['%s'] } }
        routes: [ { origin: app } ]
        """
                .formatted(port, origin.url());
    }

    /** Begins a new log, too. */
    private void restart() throws Exception {
        running().close();
        Files.delete(log());
        var file = running().file();
        var yaml = Files.readString(file);
        proxy = ReloadableProxy.start(directory, yaml);
        awaitReady();
    }

    private void awaitReady() {
        ReloadableProxy.await(() -> running().ask("/readyz").status() == 200, "a loaded index");
    }

    private ReloadableProxy running() {
        var now = proxy;
        if (now == null) {
            throw new IllegalStateException("not started");
        }
        return now;
    }

    private Path disk() {
        return directory.resolve("disk");
    }

    private Path log() {
        return directory.resolve("access.log");
    }

    private Response get(String target, String... fields) {
        try (var client = running().connect()) {
            return client.get(target, fields);
        }
    }

    private JsonNode stored(String target) {
        return JSON.readTree(
                        running().ask("/v1/cache?url=http://127.0.0.1:" + port + target).text())
                .get("variants");
    }

    /** Waits until nothing else waits either: requests find that without the disk. */
    private void awaitObjects(int count) {
        ReloadableProxy.await(
                () ->
                        running().metric("quire_tier_objects{tier=\"disk\"}").equals(count + ".0")
                                && running()
                                        .ask("/v1/tiers")
                                        .text()
                                        .contains("\"waitingBytes\":0,"),
                count + " objects on the disk");
    }

    /** The line {@code number} of the access log, from 1 on. */
    private JsonNode line(int number) {
        ReloadableProxy.await(() -> lines().size() >= number, number + " lines");
        return JSON.readTree(lines().get(number - 1));
    }

    private List<String> lines() {
        try {
            return Files.exists(log()) ? Files.readAllLines(log()) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the exit status and all that the command has printed. */
    private String quire(String... arguments) throws InterruptedException {
        var output = new StringWriter();
        var printer = new PrintWriter(output);
        int status =
                new Cli(
                                loaded -> {
                                    throw new AssertionError("expected no start");
                                },
                                () -> {},
                                new Cli.Machine(
                                        (key, address) -> Optional.empty(),
                                        configuration -> Optional.empty(),
                                        Map.of(
                                                        "QUIRE_ADMIN",
                                                        "127.0.0.1:"
                                                                + running()
                                                                        .addresses
                                                                        .admin()
                                                                        .getPort())
                                                ::get),
                                printer,
                                printer)
                        .execute(arguments);
        printer.flush();
        return status + " " + output.toString().replace(System.lineSeparator(), "\n");
    }
}
