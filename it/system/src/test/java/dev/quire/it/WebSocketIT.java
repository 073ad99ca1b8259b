package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.Proxy;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets through the proxy, over sockets. */
class WebSocketIT {
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final String HANDSHAKE =
            "GET %s HTTP/1.1\r\nHost: site.example\r\nConnection: keep-alive, Upgrade\r\n"
                    + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                    + KEY
                    + "\r\n%s\r\n";

    private final WebSocketOrigin origin = new WebSocketOrigin();
    private final RunningProxy.Setup setup = RunningProxy.inFrontOf(origin.url());
    private @Nullable RunningProxy started;
    @TempDir private Path directory;

    @AfterEach
    void stop() {
        if (started != null) {
            started.close();
        }
        origin.close();
    }

    private RunningProxy proxy() {
        var running = started;
        if (running == null) {
            running = setup.start();
            started = running;
        }
        return running;
    }

    @Test
    void libraryOfTheJdkExchangesMessagesAndClosesProperly() throws Exception {
        var received = new LinkedBlockingQueue<String>();
        try (var http = HttpClient.newHttpClient()) {
            var socket =
                    http.newWebSocketBuilder()
                            .buildAsync(webSocket("/echo"), new Collecting(received))
                            .get(10, TimeUnit.SECONDS);

            socket.sendText("hello", true).get(10, TimeUnit.SECONDS);
            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("hello");
            var large = "x".repeat(1 << 20);
            socket.sendText(large, true).get(10, TimeUnit.SECONDS);
            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo(large);
            socket.sendPing(ByteBuffer.wrap(new byte[] {1})).get(10, TimeUnit.SECONDS);
            socket.sendClose(4001, "bye").get(10, TimeUnit.SECONDS);

            assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("closed 4001 bye");
        }

        awaitNoTunnel();
        assertThat(proxy().metric("quire_tunnel_bytes_total{direction=\"to-client\"}"))
                .isGreaterThan(1 << 20);
        assertThat(proxy().metric("quire_tunnel_bytes_total{direction=\"to-origin\"}"))
                .isGreaterThan(1 << 20);
    }

    @Test
    void handshakeKeepsCredentialsAndGetsTheFieldsOfAProxy() throws Exception {
        try (var client =
                open("/echo", "Cookie: a=1\r\nAuthorization: x\r\nOrigin: http://o\r\n")) {
            assertThat(client.head())
                    .startsWith("HTTP/1.1 101 ")
                    .contains("Connection: Upgrade\r\n", "Upgrade: websocket\r\n")
                    .contains("Sec-WebSocket-Accept: " + WebSocketOrigin.accept(KEY) + "\r\n")
                    .contains("Set-Cookie: s=1\r\n")
                    .doesNotContain("keep-alive", "Transfer-Encoding", "Content-Length");
        }

        assertThat(origin.heads).hasSize(1);
        assertThat(origin.heads.getFirst().toLowerCase(Locale.ROOT))
                .contains("connection: upgrade\r\n", "upgrade: websocket\r\n")
                .contains("sec-websocket-key: " + KEY.toLowerCase(Locale.ROOT))
                .contains("cookie: a=1\r\n", "authorization: x\r\n", "origin: http://o\r\n")
                .contains("x-forwarded-for: 127.0.0.1\r\n")
                .doesNotContain("keep-alive");
    }

    @Test
    void bytesThatFollowThe101InOneReadReachTheClient() throws Exception {
        try (var client = open("/greeting", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
            assertThat(client.read(8)).isEqualTo("greeting");
        }
    }

    @Test
    void storedResponseIsNeverTheAnswerToAHandshake() throws Exception {
        assertThat(proxy().get("/page").text()).isEqualTo("plain");
        assertThat(proxy().get("/page").text()).isEqualTo("plain");
        assertThat(origin.heads).hasSize(1);

        try (var client = open("/page", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 200 ");
            assertThat(client.read(5)).isEqualTo("plain");
            assertThat(origin.heads).hasSize(2);

            // The connection goes on as HTTP.
            client.send("GET /page HTTP/1.1\r\nHost: site.example\r\n\r\n");
            assertThat(client.head()).startsWith("HTTP/1.1 200 ");
            assertThat(client.read(5)).isEqualTo("plain");
        }
        awaitNoTunnel();
    }

    @Test
    void responseOtherThan101IsPassedAndTheConnectionGoesOn() throws Exception {
        try (var client = open("/declines", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 403 ");
            assertThat(client.read(2)).isEqualTo("no");
            client.send(HANDSHAKE.formatted("/echo", ""));
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        }
    }

    @Test
    void wrongKeyOfTheOriginIs502AndClosesItsConnection() throws Exception {
        try (var client = open("/wrong-key", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 502 ");
        }
        await(() -> origin.ended.get() == 1);
        assertThat(origin.heads).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, HTTP/1.1, keep-alive, websocket, " + KEY,
        "GET, HTTP/1.1, Upgrade, h2c, " + KEY,
        "GET, HTTP/1.1, Upgrade, websocket, short",
        "POST, HTTP/1.1, Upgrade, websocket, " + KEY,
        "HEAD, HTTP/1.1, Upgrade, websocket, " + KEY,
        "GET, HTTP/1.0, Upgrade, websocket, " + KEY
    })
    void only101ToAForwardedHandshakeBecomesATunnel(
            String method, String version, String connection, String upgrade, String key)
            throws Exception {
        var request =
                String.join(
                        "\r\n",
                        method + " /always-101 " + version,
                        "Host: a",
                        "Connection: " + connection,
                        "Upgrade: " + upgrade,
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: " + key,
                        "\r\n");
        try (var client = new Client(proxy())) {
            client.send(request);

            assertThat(client.head()).contains(" 502 ");
        }
        assertThat(origin.heads).isNotEmpty().noneMatch(head -> head.contains("pgrade"));
    }

    @Test
    void routeWithoutUpgradesForwardsNone() throws Exception {
        setup.with("routes", "[ { path: \"/**\", origin: tested, upgrade: [] } ]");

        try (var client = open("/page", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 200 ");
        }

        assertThat(origin.heads).hasSize(1).noneMatch(head -> head.contains("pgrade"));
        assertThat(proxy().metric("quire_upgrades_removed_total{protocol=\"websocket\"}"))
                .isEqualTo(1);
    }

    @Test
    void bytesBehindAHandshakeAreRefusedWithIt() throws Exception {
        try (var client = open("/echo", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        }
        origin.heads.clear();

        try (var client = new Client(proxy())) {
            client.send(
                    HANDSHAKE.formatted("/echo", "")
                            + "GET /smuggled HTTP/1.1\r\nHost: site.example\r\n\r\n");

            assertThat(client.head()).startsWith("HTTP/1.1 400 ");
            client.awaitEnd();
        }
        assertThat(origin.heads).isEmpty();
    }

    @Test
    void bytesBeforeThe101CloseBothConnections() throws Exception {
        try (var client = open("/silent", "")) {
            await(() -> origin.heads.size() == 1);

            client.send("GET /smuggled HTTP/1.1\r\nHost: site.example\r\n\r\n");

            client.awaitEnd();
        }
        await(() -> origin.ended.get() == 1);
        assertThat(origin.heads).hasSize(1);
        awaitNoTunnel();
    }

    @Test
    void clientThatReadsNothingStopsTheOrigin() throws Exception {
        try (var client = open("/flood", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
            long held = settled(origin.sent::get);

            // The kernel also buffers for both connections.
            assertThat(held).isLessThan(20 << 20);
            long passed =
                    (long) proxy().metric("quire_tunnel_bytes_total{direction=\"to-client\"}");
            assertThat(client.readAll()).isEqualTo(64L << 20);
            assertThat(passed).isLessThan(12 << 20);
        }
    }

    @Test
    void originThatReadsNothingStopsTheClient() throws Exception {
        try (var client = open("/late-reader", "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
            var piece = new byte[64 * 1024];
            var written = CompletableFuture.runAsync(() -> client.write(piece, 1024));
            long passed =
                    settled(() ->
                            (long)
                                    proxy().metric(
                                                    "quire_tunnel_bytes_total{direction=\"to-origin\"}"));
            assertThat(passed).isLessThan(12 << 20);

            origin.reading.countDown();
            written.get(30, TimeUnit.SECONDS);
            client.halfClose();

            // A half-close passes, and the origin may still answer.
            assertThat(client.read(14)).isEqualTo((64 << 20) + " bytes");
            client.awaitEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientThatDiesEndsTheConnectionToTheOrigin(boolean byReset) throws Exception {
        try (var client = open("/echo", "")) {
            client.head();
            if (byReset) {
                client.reset();
            }
        }

        await(Duration.ofSeconds(5), () -> origin.ended.get() == 1);
        awaitNoTunnel();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dies", "/resets"})
    void originThatDiesEndsTheConnectionToTheClient(String path) throws Exception {
        try (var client = open(path, "")) {
            assertThat(client.head()).startsWith("HTTP/1.1 101 ");
            if (path.equals("/dies")) {
                assertThat(client.read(10)).isEqualTo("last words");
            } else {
                client.send("x");
            }
            client.awaitEnd();
        }
        awaitNoTunnel();
    }

    @Test
    void tunnelOverTheLimitIs503AndTheOriginIsNotAsked() throws Exception {
        setup.with("listen", "{ http: \"127.0.0.1:0\", max-tunnels: 1 }");
        try (var first = open("/echo", "")) {
            assertThat(first.head()).startsWith("HTTP/1.1 101 ");
            try (var second = open("/echo", "")) {
                assertThat(second.head()).startsWith("HTTP/1.1 503 ");
            }
            assertThat(origin.heads).hasSize(1);
            assertThat(proxy().metric("quire_rejects_total{reason=\"too-many-tunnels\"}"))
                    .isEqualTo(1);
        }
        awaitNoTunnel();

        try (var third = open("/echo", "")) {
            assertThat(third.head()).startsWith("HTTP/1.1 101 ");
        }
    }

    @Test
    void tunnelsLeaveTheConnectionsOfTheOriginToRequests() throws Exception {
        setup.origin("max-connections: 1, max-queue: 0");
        try (var first = open("/echo", "")) {
            assertThat(first.head()).startsWith("HTTP/1.1 101 ");
            try (var second = open("/echo", "")) {
                assertThat(second.head()).startsWith("HTTP/1.1 101 ");
            }

            assertThat(proxy().get("/page").text()).isEqualTo("plain");
        }
    }

    @Test
    void silentTunnelIsClosedAndABusyOneIsNot() throws Exception {
        setup.with("routes", "[ { path: \"/**\", origin: tested, tunnel-idle: 2s } ]");
        try (var busy = open("/greeting", "");
                var silent = open("/echo", "")) {
            assertThat(busy.head() + busy.read(8)).startsWith("HTTP/1.1 101 ");
            assertThat(silent.head()).startsWith("HTTP/1.1 101 ");
            for (int i = 0; i < 12; i++) {
                // An empty ping with an empty mask, and its pong.
                busy.send("\u0089\u0080\0\0\0\0");
                assertThat(busy.read(2)).isEqualTo("\u008a\0");
                LockSupport.parkNanos(Duration.ofMillis(250).toNanos());
            }

            silent.awaitEnd();
            await(() -> proxy().metric("quire_tunnels") == 1);
            busy.send("\u0089\u0080\0\0\0\0");
            assertThat(busy.read(2)).isEqualTo("\u008a\0");
        }
    }

    @Test
    void drainLetsTunnelsLiveUntilItsEndAndClosesThem() throws Exception {
        setup.with("drain", "{ timeout: 2s }");
        try (var client = open("/greeting", "")) {
            client.head();
            client.read(8);
            long began = System.nanoTime();
            var drained = CompletableFuture.runAsync(() -> proxy().drain());
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());

            client.send("\u0089\u0080\0\0\0\0");
            assertThat(client.read(2)).isEqualTo("\u008a\0");

            client.awaitEnd();
            assertThat(System.nanoTime() - began).isGreaterThan(1_900_000_000L);
            drained.get(10, TimeUnit.SECONDS);
        }
        await(() -> origin.ended.get() == 1);
    }

    @Test
    void replacedConfigurationLeavesTunnelsOpen() throws Exception {
        var proxy = new Proxy(configuration("/**"), Time.system());
        try {
            var address = proxy.start().http();
            try (var client = new Client(address)) {
                client.send(HANDSHAKE.formatted("/greeting", ""));
                assertThat(client.head()).startsWith("HTTP/1.1 101 ");
                assertThat(client.read(8)).isEqualTo("greeting");

                proxy.replace(configuration("/other/**"));

                try (var later = new Client(address)) {
                    later.send(HANDSHAKE.formatted("/greeting", ""));
                    assertThat(later.head()).startsWith("HTTP/1.1 404 ");
                }
                client.send("\u0089\u0080\0\0\0\0");
                assertThat(client.read(2)).isEqualTo("\u008a\0");
            }
        } finally {
            proxy.close();
        }
    }

    private Configuration configuration(String path) throws Exception {
        var file =
                Files.writeString(
                        directory.resolve("quire.yaml"),
                        """
                        listen: { http: "127.0.0.1:0" }
                        admin: { address: "127.0.0.1:0" }
                        origins: { tested: { urls: ["%s"] } }
                        routes: [ { path: "%s", origin: tested } ]
                        cache: { memory: 16MiB }
                        log: { access: off }
                        """
                                .formatted(origin.url(), path));
        return Configuration.of(Options.NONE.withFile(file));
    }

    @Test
    void accessLogHasOneLineAtTheEndWithTheBytesOfBothDirections() throws Exception {
        var log = directory.resolve("access.log");
        setup.with("log", "{ access: \"" + log + "\" }");
        try (var client = open("/greeting", "")) {
            client.head();
            client.read(8);
            client.send("\u0089\u0080\0\0\0\0");
            client.read(2);
        }
        awaitNoTunnel();
        proxy().close();

        assertThat(Files.readAllLines(log))
                .singleElement()
                .asString()
                .contains("\"status\":101,\"bytes\":10,\"bytes_received\":6,")
                .contains("\"outcome\":\"pass\",\"reason\":\"upgrade\"");
    }

    @Test
    void handshakeIsNotSentAgainToAnotherServer() throws Exception {
        try (var other = new WebSocketOrigin();
                var dead = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            while (true) {
                                // Reads the handshake and closes without a response.
                                var socket = dead.accept();
                                socket.getInputStream().read(new byte[8192]);
                                socket.close();
                            }
                        } catch (IOException e) {
                            // The end of the test.
                        }
                    });
            setup.with(
                    "origins",
                    "{ tested: { urls: [ { url: \"http://127.0.0.1:%d\" }, { url: \"%s\", fallback: true } ] } }"
                            .formatted(dead.getLocalPort(), other.url()));

            try (var client = open("/echo", "")) {
                assertThat(client.head()).startsWith("HTTP/1.1 502 ");
            }
            assertThat(other.heads).isEmpty();
        }
    }

    @Test
    void originThatDeclinesIsReportedToTheLibrary() {
        try (var http = HttpClient.newHttpClient()) {
            var opening =
                    http.newWebSocketBuilder()
                            .buildAsync(webSocket("/declines"), new WebSocket.Listener() {});

            assertThat(opening)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(WebSocketHandshakeException.class);
        }
    }

    private void awaitNoTunnel() {
        await(() -> proxy().metric("quire_tunnels") == 0);
    }

    private URI webSocket(String path) {
        return URI.create(proxy().url(path).replace("http://", "ws://"));
    }

    private Client open(String path, String fields) throws IOException {
        return new Client(proxy()).send(HANDSHAKE.formatted(path, fields));
    }

    private static void await(BooleanSupplier condition) {
        await(Duration.ofSeconds(20), condition);
    }

    private static void await(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Returns {@code value} once it has not changed for half a second. */
    private static long settled(LongSupplier value) {
        long last = -1;
        long since = System.nanoTime();
        while (last <= 0 || System.nanoTime() - since < 500_000_000L) {
            long now = value.getAsLong();
            if (now != last) {
                last = now;
                since = System.nanoTime();
            }
            LockSupport.parkNanos(5_000_000);
        }
        return last;
    }

    /** A client on a plain socket. */
    private static final class Client implements AutoCloseable {
        private final Socket socket;

        Client(RunningProxy proxy) throws IOException {
            this(proxy.http());
        }

        Client(InetSocketAddress address) throws IOException {
            socket = new Socket(address.getAddress(), address.getPort());
            socket.setSoTimeout(20_000);
        }

        Client send(String bytes) throws IOException {
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            return this;
        }

        void write(byte[] piece, int times) {
            try {
                for (int i = 0; i < times; i++) {
                    socket.getOutputStream().write(piece);
                }
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }

        String head() throws IOException {
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).as("after " + head).isNotNegative();
                head.append((char) next);
            }
            return head.toString();
        }

        String read(int bytes) throws IOException {
            return new String(socket.getInputStream().readNBytes(bytes), ISO_8859_1);
        }

        long readAll() throws IOException {
            var buffer = new byte[64 * 1024];
            long all = 0;
            for (int n = 0; n >= 0; n = socket.getInputStream().read(buffer)) {
                all += n;
            }
            return all;
        }

        void halfClose() throws IOException {
            socket.shutdownOutput();
        }

        void reset() throws IOException {
            socket.setSoLinger(true, 0);
        }

        /** Waits until the connection ends, cleanly or by a reset. */
        void awaitEnd() throws IOException {
            try {
                assertThat(readAll()).isLessThan(1024);
            } catch (SocketException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private record Collecting(BlockingQueue<String> received, StringBuilder parts)
            implements WebSocket.Listener {
        Collecting(BlockingQueue<String> received) {
            this(received, new StringBuilder());
        }

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket socket, CharSequence data, boolean isLast) {
            parts.append(data);
            if (isLast) {
                received.add(parts.toString());
                parts.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            received.add("closed " + status + " " + reason);
            return null;
        }
    }
}
