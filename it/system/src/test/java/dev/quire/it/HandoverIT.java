package dev.quire.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FreePort;
import dev.quire.test.wire.internal.Http2Setup;
import dev.quire.test.wire.internal.Http2Wire;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that replace one another on the same ports. The system property {@code
 * quire.handover.replacements} sets their number.
 */
// A thread that reads a pipe cannot be interrupted: it ends with the process.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandoverIT {
    private static final int REPLACEMENTS = Integer.getInteger("quire.handover.replacements", 20);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String WITHOUT_EPOLL = "-Dio.netty.transport.noNative=true";

    private final Origin origin =
            Origin.start()
                    .on("/page", page("page", "max-age=600"))
                    .on("/own", page("own", "no-store"));
    private final WebSocketOrigin sockets = new WebSocketOrigin();
    private final EventOrigin events = new EventOrigin("data: 1\n\n");
    private final InetSocketAddress http = FreePort.address();
    private final InetSocketAddress admin = FreePort.address();
    private final InetSocketAddress probes = FreePort.address();
    private final List<Running> started = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir private Path folder;

    /** A process that has been started. */
    private record Running(Process process, BufferedReader out, Path errors) {

        /** Waits until it is ready. */
        Running awaitReady(InetSocketAddress http, InetSocketAddress admin) throws IOException {
            return awaitReady(http, admin, "");
        }

        Running awaitReady(InetSocketAddress http, InetSocketAddress admin, String also)
                throws IOException {
            return awaitLine(
                    "ready http=127.0.0.1:%d admin=127.0.0.1:%d%s"
                            .formatted(http.getPort(), admin.getPort(), also));
        }

        /** As {@link #awaitReady}, with {@code https} between both addresses. */
        Running awaitReadyWith(String https, InetSocketAddress http, InetSocketAddress admin)
                throws IOException {
            return awaitLine(
                    "ready http=127.0.0.1:%d%s admin=127.0.0.1:%d"
                            .formatted(http.getPort(), https, admin.getPort()));
        }

        private Running awaitLine(String expected) throws IOException {
            assertThat(out.readLine()).as(this::said).isEqualTo(expected);
            return this;
        }

        int awaitExit() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue();
        }

        String said() {
            try {
                return Files.readString(errors);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (var each : started) {
            each.process().destroyForcibly().waitFor();
        }
        origin.close();
        sockets.close();
        events.close();
        // Its close would wait for the WebSocket of a test that has failed.
        client.shutdownNow();
    }

    private static Answer page(String text, String cacheControl) {
        return Answer.html(text).field("Cache-Control", cacheControl);
    }

    /** A grace that no test waits for. */
    private String yaml() {
        return """
        listen: { http: "127.0.0.1:%d" }
        admin: { address: "127.0.0.1:%d", probes: "127.0.0.1:%d" }
        drain: { grace: 10m, timeout: 5m }
        cache: { memory: 16MiB }
        log: { access: off }
        origins:
          news: { urls: ["%s"] }
          sockets: { urls: ["%s"] }
          events: { urls: ["%s"] }
        routes:
          - { path: /echo, origin: sockets }
          - { path: /events, origin: events }
          - { origin: news }
        """
                .formatted(
                        http.getPort(),
                        admin.getPort(),
                        probes.getPort(),
                        origin.url(),
                        sockets.url(),
                        events.url());
    }

    private Running start(String yaml, List<String> jvm, String... options) throws IOException {
        var file = folder.resolve("quire" + started.size() + ".yml");
        Files.writeString(file, yaml);
        var errors = folder.resolve("stderr" + started.size());
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx128m"));
        command.addAll(jvm);
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.quire.proxy.Main",
                        "run",
                        "--quiet",
                        "--config",
                        file.toString()));
        command.addAll(List.of(options));
        var process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        var running = new Running(process, process.inputReader(UTF_8), errors);
        started.add(running);
        return running;
    }

    private Running startOld(String... jvm) throws IOException {
        return start(yaml(), List.of(jvm)).awaitReady(http, admin);
    }

    private Running replace(String yaml, String... jvm) throws IOException {
        return start(yaml, List.of(jvm), "--replace");
    }

    private static Response get(InetSocketAddress address, String target) {
        try (var client = HttpWire.to(address)) {
            return client.get(target);
        }
    }

    private Response postHandover() {
        return ReloadableProxy.post(admin, "/v1/handover", "application/json", "");
    }

    private void assertServes(Running process) {
        assertThat(process.process().isAlive()).as(process::said).isTrue();
        assertThat(get(http, "/own").text()).isEqualTo("own");
        assertThat(get(probes, "/readyz").status()).isEqualTo(200);
    }

    private void awaitFailed(String count) {
        ReloadableProxy.await(
                () -> handovers("failed").equals(count), "failed handovers: " + count);
    }

    private String handovers(String result) {
        var name = "quire_handovers_total{result=\"" + result + "\"} ";
        return get(probes, "/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElse("absent");
    }

    private Load.Asking asking(String name, String target, String text, String... fields) {
        return new Load.Asking(
                name,
                http,
                target,
                response -> response.status() == 200 && response.text().equals(text),
                List.of(fields));
    }

    @Test
    @SuppressWarnings("try") // Closed in the order of the steps.
    void clientsNoticeNothingOfManyReplacements() throws Exception {
        var first = startOld();
        try (var kept =
                        Load.start(
                                6,
                                Duration.ofMillis(20),
                                asking("stored", "/page", "page"),
                                asking("own", "/own", "own"));
                var fresh =
                        Load.start(
                                4,
                                Duration.ofMillis(20),
                                asking("new connection", "/page", "page", "Connection", "close"));
                var balancer =
                        Load.start(
                                1,
                                Duration.ofMillis(20),
                                new Load.Asking(
                                        "probe",
                                        probes,
                                        "/readyz",
                                        response -> response.status() == 200,
                                        List.of("Connection", "close")))) {
            var echoes = new Echoes();
            var socket =
                    client.newWebSocketBuilder()
                            .buildAsync(
                                    URI.create("ws://127.0.0.1:" + http.getPort() + "/echo"),
                                    echoes)
                            .get(10, TimeUnit.SECONDS);

            var current = first;
            for (int i = 1; i <= REPLACEMENTS; i++) {
                current = replacedDuringAStream(current, i);
                assertThat(handovers("taken")).isEqualTo("1.0");
            }

            kept.close();
            fresh.close();
            balancer.close();
            Load.assertRight(kept.visits());
            Load.assertRight(fresh.visits());
            Load.assertRight(balancer.visits());
            Figure.print(
                    "19.3",
                    "failed requests of %d during %d replacements"
                            .formatted(
                                    kept.visits().size()
                                            + fresh.visits().size()
                                            + balancer.visits().size(),
                                    REPLACEMENTS),
                    0,
                    0);
            assertThat(first.process().isAlive()).isTrue();
            socket.sendText("still there", true).get(10, TimeUnit.SECONDS);
            assertThat(echoes.texts.poll(10, TimeUnit.SECONDS)).isEqualTo("still there");
            socket.abort();
            assertThat(first.awaitExit()).as(first::said).isZero();
            assertServes(current);
        }
    }

    @Test
    @SuppressWarnings("try") // Closed in the order of the steps.
    void clientsWithTlsNoticeNothingOfReplacements() throws Exception {
        var https = FreePort.address();
        var yaml =
                yaml().replaceFirst(
                                "\" \\}",
                                "\", https: \"127.0.0.1:%d\" }\ntls: %s"
                                        .formatted(
                                                https.getPort(),
                                                TestCertificate.shared().section()));
        var both = " https=127.0.0.1:" + https.getPort();
        var old = start(yaml, List.of()).awaitReadyWith(both, http, admin);
        try (var kept =
                        Load.start(
                                4,
                                Duration.ofMillis(20),
                                secure(https, "stored", "/page", "page"),
                                secure(https, "own", "/own", "own"));
                var fresh =
                        Load.start(
                                4,
                                Duration.ofMillis(20),
                                secure(https, "new", "/page", "page", "Connection", "close"));
                var reader = http2(https)) {
            var stream = reader.get("/events");
            assertThat(stream.status()).isEqualTo(200);
            var current = old;
            for (int i = 0; i < REPLACEMENTS / 4; i++) {
                current = replace(yaml).awaitReadyWith(both, http, admin);
                kept.runFor(Duration.ofMillis(200));
            }

            assertThat(reader.awaitGoAway()).isEqualTo(ErrorCode.NO_ERROR);
            events.release("data: 2\n\n");
            assertThat(stream.text()).isEqualTo("data: 1\n\ndata: 2\n\n");
            reader.awaitEnded();
            kept.close();
            fresh.close();
            Load.assertRight(kept.visits());
            Load.assertRight(fresh.visits());
            assertThat(old.awaitExit()).as(old::said).isZero();
            try (var last = http2(https)) {
                assertThat(last.get("/own").text()).isEqualTo("own");
            }
            assertServes(current);
        }
    }

    private static Http2Wire http2(InetSocketAddress https) throws IOException {
        return Http2Setup.to(https).over(TestCertificate.shared().trusting()).open();
    }

    private static Load.Asking secure(
            InetSocketAddress https, String name, String target, String text, String... fields) {
        return new Load.Asking(
                name,
                https,
                target,
                response -> response.status() == 200 && response.text().equals(text),
                List.of(fields),
                TestCertificate.shared().trusting());
    }

    private Running replacedDuringAStream(Running current, int number) throws Exception {
        try (var reader = HttpWire.to(http)) {
            var stream = reader.request("GET", "/events").begin();
            stream.awaitText("data: 1");

            // Each has its own number of event loops.
            var next =
                    replace(yaml(), "-XX:ActiveProcessorCount=" + (1 + number % 3))
                            .awaitReady(http, admin);

            assertThat(current.process().isAlive()).as(current::said).isTrue();
            events.release("data: 2\n\n");
            assertThat(stream.finish().text()).endsWith("data: 2\n\n");
            if (number > 1) {
                assertThat(current.awaitExit()).as(current::said).isZero();
            }
            return next;
        }
    }

    /** Receives the messages of a WebSocket. */
    private static final class Echoes implements WebSocket.Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean isLast) {
            texts.add(data.toString());
            return WebSocket.Listener.super.onText(socket, data, isLast);
        }
    }

    @Test
    void furtherListenersAreTakenOver() throws Exception {
        var socket = folder.resolve("unix");
        var further = FreePort.address();
        var yaml =
                yaml().replaceFirst(
                                "\" \\}",
                                "\", also: [ { address: \"unix:%s\" }, { address: \"127.0.0.1:%d\" } ] }"
                                        .formatted(socket, further.getPort()));
        var also = " also=unix:" + socket + ",127.0.0.1:" + further.getPort();
        var old = start(yaml, List.of()).awaitReady(http, admin, also);
        var unbound = start(yaml, List.of());
        assertThat(unbound.awaitExit()).isEqualTo(2);
        assertThat(unbound.said())
                .contains("listen.also: unix:" + socket + " is in use (expected a path on which");
        try (var waiting = connectedTo(socket)) {
            var obstructed =
                    replace(
                            yaml.replace(
                                    "probes: \"127.0.0.1:" + probes.getPort(),
                                    "probes: \"127.0.0.1:" + origin.url().getPort()));
            assertThat(obstructed.awaitExit()).isEqualTo(2);
            assertThat(ownOver(waiting)).startsWith("HTTP/1.1 200");
        }

        var next = replace(yaml.replace("grace: 10m", "grace: 0s")).awaitReady(http, admin, also);

        assertThat(old.awaitExit()).as(old::said).isZero();
        try (var fresh = connectedTo(socket)) {
            assertThat(ownOver(fresh)).startsWith("HTTP/1.1 200");
        }
        assertThat(get(further, "/own").text()).isEqualTo("own");
        next.process().destroy();
        ReloadableProxy.await(() -> !Files.exists(socket), "no file of a closed socket");
    }

    private static SocketChannel connectedTo(Path socket) throws IOException {
        var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    private static String ownOver(SocketChannel channel) throws IOException {
        channel.write(ByteBuffer.wrap("GET /own HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII)));
        var bytes = ByteBuffer.allocate(4096);
        channel.read(bytes);
        return new String(bytes.array(), 0, bytes.position(), US_ASCII);
    }

    @Test
    void failedStartChangesNothing() throws Exception {
        var old = startOld();

        var unreadable = replace(yaml().replace("16MiB", "much"));
        assertThat(unreadable.awaitExit()).isEqualTo(2);
        assertThat(unreadable.said()).contains("cache.memory: invalid value 'much'");
        assertServes(old);

        var obstructed =
                yaml().replace(
                                "probes: \"127.0.0.1:" + probes.getPort(),
                                "probes: \"127.0.0.1:" + origin.url().getPort());
        var unbound = replace(obstructed);
        assertThat(unbound.awaitExit()).isEqualTo(2);
        assertThat(unbound.said()).contains("admin.probes: ", " is in use (expected a free port)");
        awaitFailed("1.0");
        assertServes(old);
        assertThat(old.said()).contains("handover-failed");

        var tooLarge = replace(yaml().replace("16MiB", "64GiB"));
        assertThat(tooLarge.awaitExit()).isEqualTo(2);
        awaitFailed("2.0");
        assertServes(old);

        replace(yaml()).awaitReady(http, admin);
        assertThat(old.awaitExit()).as(old::said).isZero();
    }

    @Test
    void newProcessThatIsKilledChangesNothingAndAnotherOneIsDeclinedMeanwhile() throws Exception {
        var old = startOld();
        var offered = postHandover();
        assertThat(offered.status()).isEqualTo(200);
        var path = offered.text().replaceAll("^\\{\"socket\":\"(.*)\"}$", "$1");
        try (var killed = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.connect(UnixDomainSocketAddress.of(path));
            var announced = ByteBuffer.allocate(512);
            while (!new String(announced.array(), 0, announced.position(), US_ASCII)
                    .endsWith("\n\n")) {
                assertThat(killed.read(announced)).isPositive();
            }
            killed.write(ByteBuffer.wrap("send\n".getBytes(US_ASCII)));
            assertThat(killed.read(ByteBuffer.allocate(1))).isEqualTo(1);

            assertThat(postHandover().status()).isEqualTo(409);
            var second = replace(yaml());
            assertThat(second.awaitExit()).isEqualTo(1);
            assertThat(second.said()).contains("another process takes over (expected one");
            var reload = ReloadableProxy.post(admin, "/v1/config/reload", "application/json", "");
            assertThat(reload.status()).as(reload.text()).isEqualTo(200);
            Files.writeString(folder.resolve("quire0.yml"), yaml().replace("16MiB", "17MiB"));
            reload = ReloadableProxy.post(admin, "/v1/config/reload", "application/json", "");
            assertThat(reload.status()).isEqualTo(409);
            assertThat(reload.text()).contains("another process takes over");
            assertServes(old);
        }

        awaitFailed("1.0");
        assertThat(Path.of(path).getParent()).doesNotExist();
        assertServes(old);
        replace(yaml()).awaitReady(http, admin);
        assertThat(old.awaitExit()).as(old::said).isZero();
    }

    @Test
    void unconfirmedConfigurationIsTakenBackOnceAHandoverHasFailed() throws Exception {
        var old = startOld();
        Files.writeString(folder.resolve("quire0.yml"), yaml().replace("16MiB", "17MiB"));
        var reload =
                ReloadableProxy.post(admin, "/v1/config/reload?confirm=8s", "application/json", "");
        assertThat(reload.status()).as(reload.text()).isEqualTo(200);
        var path = postHandover().text().replaceAll("^\\{\"socket\":\"(.*)\"}$", "$1");
        ReloadableProxy.await(
                () -> old.said().contains(" configuration-not-rolled-back "), "a line in the log");

        connectedTo(Path.of(path)).close();

        awaitFailed("1.0");
        ReloadableProxy.await(
                () -> old.said().contains(" configuration-rolled-back "), "generation 1");
        assertThat(old.said().lines())
                .filteredOn(line -> line.contains(" configuration-not-rolled-back "))
                .singleElement()
                .asString()
                .contains("generation 2", "another process takes over");
        assertServes(old);
    }

    @Test
    void withoutEpollItEndsWithTwo() throws Exception {
        var old = startOld();
        var portable = replace(yaml(), WITHOUT_EPOLL);
        assertThat(portable.awaitExit()).isEqualTo(2);
        assertThat(portable.said())
                .contains(
                        "--replace: native epoll is not available: ", "(expected Linux with epoll");
        assertServes(old);
    }

    @Test
    void runningProxyWithoutEpollHandsNothingOver() throws Exception {
        var old = startOld(WITHOUT_EPOLL);
        var next = replace(yaml());
        assertThat(next.awaitExit()).isEqualTo(2);
        assertThat(next.said()).contains(" answers 501: native epoll is not available: ");
        assertServes(old);
    }

    @Test
    void otherAddressesAreOpenedAndMissingOnesClosed() throws Exception {
        var old = startOld();
        var other = FreePort.address();
        var yaml =
                yaml().replace(
                                "http: \"127.0.0.1:" + http.getPort(),
                                "http: \"127.0.0.1:" + other.getPort())
                        .replace(", probes: \"127.0.0.1:" + probes.getPort() + "\"", "");

        replace(yaml).awaitReady(other, admin);

        assertThat(old.awaitExit()).as(old::said).isZero();
        assertThat(get(other, "/own").text()).isEqualTo("own");
        assertThat(get(admin, "/readyz").status()).isEqualTo(200);
        assertThat(RestartIT.isOpen(http)).isFalse();
        assertThat(RestartIT.isOpen(probes)).isFalse();
    }

    @Test
    void tokenIsThatOfTheOtherCommands() throws Exception {
        var token = folder.resolve("token");
        Files.writeString(token, "0123456789abcdef0123456789abcdef\n");
        var guarded = yaml().replace("admin: {", "admin: { token-file: \"" + token + "\",");
        var old = start(guarded, List.of()).awaitReady(http, admin);

        var stranger = replace(yaml());
        assertThat(stranger.awaitExit()).isEqualTo(2);
        assertThat(stranger.said()).contains(" answers 401: expected the admin token");
        assertServes(old);

        replace(guarded).awaitReady(http, admin);
        assertThat(old.awaitExit()).as(old::said).isZero();
    }

    @Test
    void itStartsAsUsualIfNothingAnswers() throws Exception {
        var first = replace(yaml()).awaitReady(http, admin);

        assertThat(first.said()).contains("this process starts without a takeover");
        assertServes(first);
    }
}
