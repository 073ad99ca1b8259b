package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.Main;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process: what it says at the start, and one that takes over the ports of another. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestartIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Origin origin = Origin.start();
    private final List<Process> started = new ArrayList<>();
    private final InetSocketAddress http = FreePort.address();
    private final InetSocketAddress admin = FreePort.address();
    private final InetSocketAddress probes = FreePort.address();

    @TempDir Path folder;

    private String disk = "disk: { path: ./tier }";

    @AfterEach
    void stop() throws InterruptedException {
        for (var process : started) {
            process.destroyForcibly().waitFor();
        }
        origin.close();
    }

    @Test
    void startDescribesTheProxyUnlessItIsQuiet() throws Exception {
        origin.on("/", fragment("hello"));

        start();
        awaitSaid(0, "origin app: " + origin.url() + " up\n");
        assertThat(said(0))
                .contains(
                        "configuration: " + folder.resolve("quire.yml") + "\n",
                        "clients: 127.0.0.1:" + http.getPort() + "\n",
                        "probes: 127.0.0.1:" + probes.getPort() + "\n",
                        "memory: 16 MiB for stored responses",
                        "route: */** to app\n");
        end(started.getFirst());

        var quiet = start("--quiet");
        origin.awaitRequests("/", 2);
        end(quiet);
        assertThat(said(1)).doesNotContain("clients: ", "origin app: ");
    }

    private String said(int process) {
        return read(folder.resolve("stderr" + process));
    }

    private void awaitSaid(int process, String text) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!said(process).contains(text)) {
            assertThat(System.nanoTime()).as(() -> said(process)).isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static void end(Process process) throws InterruptedException {
        assertThat(process.toHandle().destroy()).isTrue();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void newProcessServesWhileTheStreamOfTheOldOneRunsOut() throws Exception {
        origin.on("/", fragment("hello"));
        origin.on(
                "/events", Answer.html("first last").field("Cache-Control", "no-store").chunked());
        var held = origin.holdAfter("/events", 6);
        var old = start();
        try (var reader = HttpWire.to(http)) {
            var stream = reader.request("GET", "/events").begin();
            stream.awaitText("first ");

            // Process.destroy() would also close its stdout.
            assertThat(old.toHandle().destroy()).isTrue();
            awaitClosed(http);
            awaitClosed(admin);
            awaitClosed(probes);
            start();

            assertThat(old.isAlive()).isTrue();
            try (var client = HttpWire.to(http);
                    var balancer = HttpWire.to(probes)) {
                assertThat(client.get("/").text()).isEqualTo("hello");
                assertThat(balancer.get("/readyz").status()).isEqualTo(200);
            }
            held.release();
            assertThat(stream.finish().text()).isEqualTo("first last");
        }
        assertThat(old.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(old.exitValue()).isZero();
    }

    @Test
    void newProcessHasWhatTheReplacedOneStoredOnDisk() throws Exception {
        origin.on("/", fragment("hello")).on("/story", fragment("story"));
        start();
        try (var client = HttpWire.to(http)) {
            assertThat(client.get("/story").text()).isEqualTo("story");
        }
        int most = 5;
        for (int i = 0; i < most && !hasStoryAfterHandover(); i++) {
            // A slow disk may not have it in time: then the next one has what this one stored.
        }

        assertThat(origin.requests("/story")).hasSizeLessThan(1 + most);
    }

    private boolean hasStoryAfterHandover() throws IOException {
        int asked = origin.requests("/story").size();
        start("--replace");
        try (var client = HttpWire.to(http)) {
            assertThat(client.get("/story").text()).isEqualTo("story");
        }
        return origin.requests("/story").size() == asked;
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk: { path: ./tier }", ""})
    void newProcessKnowsTheInvalidationsOfTheReplacedOne(String tier) throws Exception {
        disk = tier;
        var paths = List.of("/posted", "/purged", "/banned");
        origin.on("/", fragment("hello"));
        for (var path : paths) {
            origin.on(path, fragment(path));
        }
        var invalidations =
                List.of(
                        "POST /posted HTTP/1.1\r\nContent-Length: 0\r\n",
                        "PURGE /purged HTTP/1.1\r\n",
                        "BAN / HTTP/1.1\r\nX-Url: ^/banned\r\n");
        var old = start();
        var connections = new ArrayList<HttpWire>();
        for (var head : invalidations) {
            var connection = HttpWire.to(http);
            connections.add(connection);
            for (var path : paths) {
                connection.get(path);
            }
            // A connection on which a head arrives stays open.
            connection.send(head);
        }

        start("--replace");

        try (var client = HttpWire.to(http)) {
            for (var path : paths) {
                client.get(path);
            }
            for (int i = 0; i < paths.size(); i++) {
                var path = paths.get(i);
                int asked = origin.requests(path).size();
                assertThat(client.get(path).text()).isEqualTo(path);
                assertThat(origin.requests(path)).hasSize(asked);
                var connection = connections.get(i);
                connection.send(
                        "Host: %s:%d\r\n\r\n".formatted(http.getHostString(), http.getPort()));

                // 202 if the disk is slow; then it is invalidated a moment later.
                assertThat(connection.response().status()).isIn(200, 202);
                connection.close();

                int alsoPosted = i == 0 ? 1 : 0;
                awaitAskedAgain(client, path, asked + alsoPosted);
            }
        }
        assertThat(old.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private void awaitAskedAgain(HttpWire client, String path, int asked) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (client.get(path).status() == 200 && origin.requests(path).size() == asked) {
            assertThat(System.nanoTime()).as(path).isLessThan(end);
        }
    }

    private Process start(String... options) throws IOException {
        var file = folder.resolve("quire.yml");
        Files.writeString(
                file,
                """
                listen: { http: "127.0.0.1:%d" }
                admin: { address: "127.0.0.1:%d", probes: "127.0.0.1:%d" }
                origins: { app: { urls: ["%s"], health: { path: / } } }
                routes: [ { origin: app } ]
                cache: { memory: 16MiB }
                invalidation: { methods: [PURGE, BAN], from: [127.0.0.0/8] }
                log: { access: off }
                %s
                """
                        .formatted(
                                http.getPort(),
                                admin.getPort(),
                                probes.getPort(),
                                origin.url(),
                                disk));
        var errors = folder.resolve("stderr" + started.size());
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "run",
                                "--config",
                                file.toString()));
        command.addAll(List.of(options));
        var process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        started.add(process);
        var ready = process.inputReader(UTF_8).readLine();
        assertThat(ready)
                .as(() -> read(errors))
                .isEqualTo(
                        "ready http=127.0.0.1:%d admin=127.0.0.1:%d"
                                .formatted(http.getPort(), admin.getPort()));
        return process;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitClosed(InetSocketAddress address) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (isOpen(address)) {
            assertThat(System.nanoTime()).as("%s is closed", address).isLessThan(end);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    static boolean isOpen(InetSocketAddress address) {
        try {
            HttpWire.to(address).close();
            return true;
        } catch (UncheckedIOException refused) {
            return false;
        }
    }
}
