package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.Http2Stream;
import dev.quire.test.wire.internal.Http2Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** WebSockets over HTTP/2 by extended CONNECT (RFC 8441), as frames on the wire. */
class Http2TunnelsIT {
    private static final int ENABLE_CONNECT_PROTOCOL = 8;
    private static final String TO_ORIGIN = "quire_tunnel_bytes_total{direction=\"to-origin\"}";

    private final WebSocketOrigin origin = new WebSocketOrigin();
    private final RunningProxy.Setup setup =
            Http2Edge.listening(RunningProxy.inFrontOf(origin.url()));
    private @Nullable RunningProxy started;

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

    private Http2Wire connect(Transport transport) throws IOException {
        return Http2Edge.client(proxy(), transport).authority("site.example").open();
    }

    private static Http2Stream open(Http2Wire client, String path, String... fields)
            throws IOException {
        var block =
                new FieldBlock()
                        .literal(":method", "CONNECT")
                        .literal(":protocol", "websocket")
                        .literal(":scheme", client.scheme())
                        .literal(":authority", "site.example")
                        .literal(":path", path)
                        .literal("sec-websocket-version", "13");
        for (int i = 0; i < fields.length; i += 2) {
            block.literal(fields[i], fields[i + 1]);
        }
        return client.open(block.bytes(), false);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /** A frame of RFC 6455 §5.2 with an empty mask. */
    private static byte[] frame(int opcode, byte[] payload) {
        var frame = new ByteArrayOutputStream();
        frame.write(0x80 | opcode);
        frame.write(0x80 | 127);
        for (int shift = 56; shift >= 0; shift -= 8) {
            frame.write((int) ((long) payload.length >> shift));
        }
        frame.writeBytes(new byte[4]);
        frame.writeBytes(payload);
        return frame.toByteArray();
    }

    private static byte[] read(Http2Stream stream, int bytes) throws IOException {
        var read = new ByteArrayOutputStream();
        while (read.size() < bytes) {
            var piece = stream.next();
            assertThat(piece).as("after %s of %s bytes", read.size(), bytes).isNotNull();
            read.writeBytes(piece);
        }
        return read.toByteArray();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void askOnAnotherConnection() {
        assertThat(proxy().get("/page").text()).isEqualTo("plain");
    }

    private void awaitNoTunnel() {
        await(() -> proxy().metric("quire_tunnels") == 0);
    }

    @ParameterizedTest
    @EnumSource
    void messagesPassInBothDirections(Transport transport) throws Exception {
        try (var client = connect(transport)) {
            assertThat(client.setting(ENABLE_CONNECT_PROTOCOL)).isEqualTo(1);
            var stream = open(client, "/echo", "origin", "http://o", "cookie", "a=1");

            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.field("set-cookie")).isEqualTo("s=1");
            assertThat(stream.field("sec-websocket-accept")).isNull();
            assertThat(stream.field("upgrade")).isNull();

            stream.send(frame(1, bytes("hello")), false);
            assertThat(read(stream, 7)).isEqualTo(bytes("\u0081\u0005hello"));

            var large = new byte[1 << 20];
            large[large.length - 1] = 7;
            var sent = CompletableFuture.runAsync(() -> send(stream, frame(2, large)));
            var echo = read(stream, 10 + large.length);
            assertThat(echo[0]).isEqualTo((byte) 0x82);
            assertThat(echo[echo.length - 1]).isEqualTo((byte) 7);
            sent.get(10, TimeUnit.SECONDS);

            stream.send(frame(8, bytes("\u000f\u00a1bye")), true);
            assertThat(read(stream, 7)).isEqualTo(bytes("\u0088\u0005\u000f\u00a1bye"));
            assertThat(stream.text()).isEmpty();
        }
        awaitNoTunnel();

        assertThat(origin.heads.getFirst())
                .startsWith("GET /echo HTTP/1.1\r\n")
                .containsIgnoringCase("\r\nHost: site.example\r\n")
                .containsIgnoringCase("\r\nUpgrade: websocket\r\n")
                .containsIgnoringCase("\r\nConnection: Upgrade\r\n")
                .containsIgnoringCase("\r\nSec-WebSocket-Version: 13\r\n")
                .containsPattern("(?i)\r\nsec-websocket-key: [A-Za-z0-9+/]{22}==\r\n")
                .containsIgnoringCase("\r\nCookie: a=1\r\n")
                .containsIgnoringCase("\r\nOrigin: http://o\r\n")
                .contains("X-Forwarded-Proto: " + (transport == Transport.TLS ? "https" : "http"))
                .doesNotContain("protocol: ");
    }

    private static void send(Http2Stream stream, byte[] bytes) {
        try {
            stream.send(bytes, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyTunnelsAndRequestsShareAConnection(Transport transport) throws Exception {
        try (var client = connect(transport)) {
            var tunnels = new Http2Stream[20];
            for (int i = 0; i < tunnels.length; i++) {
                tunnels[i] = open(client, "/echo");
            }
            for (var tunnel : tunnels) {
                assertThat(tunnel.status()).isEqualTo(200);
            }
            for (int i = 0; i < tunnels.length; i++) {
                tunnels[i].send(frame(1, bytes("tunnel" + (char) ('a' + i))), false);
            }
            assertThat(client.get("/page").text()).isEqualTo("plain");
            for (int i = 0; i < tunnels.length; i++) {
                assertThat(read(tunnels[i], 9)).endsWith(bytes("tunnel" + (char) ('a' + i)));
            }
            assertThat(proxy().metric("quire_tunnels")).isEqualTo(20);
        }
        await(() -> origin.ended.get() >= 20);
        awaitNoTunnel();
    }

    /** The stored response to GET is not one to CONNECT. */
    @ParameterizedTest
    @EnumSource
    void tunnelOfAUrlWithAStoredResponseReachesTheOrigin(Transport transport) throws Exception {
        try (var client = connect(transport)) {
            assertThat(client.get("/either").text()).isEqualTo("plain");
            assertThat(client.get("/either").text()).isEqualTo("plain");
            assertThat(origin.heads).hasSize(1);

            var stream = open(client, "/either");

            assertThat(stream.status()).isEqualTo(200);
            stream.send(frame(1, bytes("hello")), false);
            assertThat(read(stream, 7)).isEqualTo(bytes("\u0081\u0005hello"));
            assertThat(origin.heads).hasSize(2);
            assertThat(client.get("/either").text()).isEqualTo("plain");
            assertThat(origin.heads).hasSize(2);
        }
        awaitNoTunnel();
    }

    @Test
    void originThatDeclinesIsAnsweredAsAnyResponse() throws Exception {
        try (var client = connect(Transport.H2C)) {
            var stream = open(client, "/declines");

            assertThat(stream.status()).isEqualTo(403);
            assertThat(stream.text()).isEqualTo("no");
        }
    }

    @ParameterizedTest
    @CsvSource({"/wrong-key, 502", "/always-101, 502", "/page, 502"})
    void originThatDoesNotSwitchHasNoTunnel(String path, int status) throws Exception {
        try (var client = connect(Transport.H2C)) {
            // A 2xx would tell the client that the tunnel is open (RFC 8441 §5).
            assertThat(open(client, path).status()).isEqualTo(status);
            assertThat(client.get("/page").text()).isEqualTo("plain");
        }
        awaitNoTunnel();
    }

    @ParameterizedTest
    @CsvSource({"websocket, 12, 400", "websocket, '', 400", "connect-udp, 13, 501"})
    void otherProtocolsAndVersionsAreRefused(String protocol, String version, int status)
            throws Exception {
        try (var client = connect(Transport.H2C)) {
            var block =
                    new FieldBlock()
                            .literal(":method", "CONNECT")
                            .literal(":protocol", protocol)
                            .literal(":scheme", "http")
                            .literal(":authority", "site.example")
                            .literal(":path", "/echo");
            if (!version.isEmpty()) {
                block.literal("sec-websocket-version", version);
            }

            assertThat(client.open(block.bytes(), false).status()).isEqualTo(status);
            assertThat(client.get("/page").text()).isEqualTo("plain");
        }
        assertThat(origin.heads).singleElement().asString().startsWith("GET /page ");
    }

    @ParameterizedTest
    @EnumSource
    void resetEndsTheConnectionToTheOriginAndNoOther(Transport transport) throws Exception {
        try (var client = connect(transport)) {
            var reset = open(client, "/echo");
            var other = open(client, "/echo");
            assertThat(reset.status() + other.status()).isEqualTo(400);

            reset.reset(ErrorCode.CANCEL);

            await(() -> origin.ended.get() == 1);
            await(() -> proxy().metric("quire_tunnels") == 1);
            other.send(frame(1, bytes("still")), false);
            assertThat(read(other, 7)).endsWith(bytes("still"));
        }
    }

    /** A reset of the origin is one of the stream (RFC 8441 §5). */
    @Test
    void originThatResetsResetsTheStreamAlone() throws Exception {
        try (var client = connect(Transport.TLS)) {
            var stream = open(client, "/resets");
            assertThat(stream.status()).isEqualTo(200);
            stream.send(bytes("x"), false);

            assertThat(stream.awaitReset()).isEqualTo(ErrorCode.CANCEL);
            assertThat(client.get("/page").text()).isEqualTo("plain");
        }
        awaitNoTunnel();
    }

    /** Without close_notify the end of its connection is not the end of what it says. */
    @Test
    void originWithTlsThatResetsResetsTheStream(@TempDir Path directory) throws Exception {
        var certificates = new Certificates(directory);
        try (var secure = new WebSocketOrigin(certificates.serving("127.0.0.1"));
                var running =
                        Http2Edge.listening(RunningProxy.inFrontOf(secure.url()))
                                .with(
                                        "origins",
                                        "{ tested: { urls: [\"%s\"], tls: { ca: \"%s\" } } }"
                                                .formatted(
                                                        secure.url(), directory.resolve("ca.pem")))
                                .start();
                var client =
                        Http2Edge.client(running, Transport.TLS).authority("site.example").open()) {
            var stream = open(client, "/resets");
            assertThat(stream.status()).isEqualTo(200);
            stream.send(bytes("x"), false);

            assertThat(stream.awaitReset()).isEqualTo(ErrorCode.CANCEL);
        }
    }

    @Test
    void originThatEndsEndsTheStreamAlone() throws Exception {
        try (var client = connect(Transport.TLS)) {
            var stream = open(client, "/dies");

            assertThat(stream.status()).isEqualTo(200);
            assertThat(stream.text()).isEqualTo("last words");
            assertThat(client.get("/page").text()).isEqualTo("plain");
        }
        awaitNoTunnel();
    }

    @ParameterizedTest
    @EnumSource
    void clientThatReadsNothingStopsTheOriginAndNoOtherStream(Transport transport)
            throws Exception {
        try (var client =
                Http2Edge.client(proxy(), transport)
                        .authority("site.example")
                        .withoutWindowUpdates()
                        .open()) {
            var flood = open(client, "/flood");
            assertThat(flood.status()).isEqualTo(200);

            // The kernel also buffers for the connection to the origin.
            assertThat(Steady.value(origin.sent::get, this::askOnAnotherConnection))
                    .isLessThan(20 << 20);
        }
        awaitNoTunnel();
    }

    @Test
    void originThatReadsNothingStopsTheClient() throws Exception {
        try (var client = connect(Transport.H2C)) {
            var stream = open(client, "/late-reader");
            assertThat(stream.status()).isEqualTo(200);
            var written = CompletableFuture.runAsync(() -> send(stream, new byte[32 << 20]));
            long passed =
                    Steady.value(
                            () -> (long) proxy().metric(TO_ORIGIN), this::askOnAnotherConnection);
            assertThat(passed).isLessThan(12 << 20);
            assertThat(client.get("/page").text()).isEqualTo("plain");

            origin.reading.countDown();
            written.get(30, TimeUnit.SECONDS);
            stream.send(new byte[0], true);

            // The end of the client's part passes, and the origin may still answer.
            assertThat(stream.text()).isEqualTo((32 << 20) + " bytes");
        }
        awaitNoTunnel();
    }

    /** A half-close passes, and the client may still send (RFC 9113 §5.1). */
    @ParameterizedTest
    @EnumSource
    void originThatSendsNoMoreStillReads(Transport transport) throws Exception {
        try (var client = connect(transport)) {
            var stream = open(client, "/ends-first");
            assertThat(stream.status()).isEqualTo(200);
            assertThat(read(stream, 10)).isEqualTo(bytes("last words"));
            stream.awaitComplete();

            stream.send(new byte[200_000], true);

            await(() -> origin.received.get() == 200_000);
        }
        awaitNoTunnel();
    }

    /** RFC 6455 §4.1: a client sends nothing before the server's handshake. */
    @Test
    void bytesBeforeTheResponseResetTheStreamAlone() throws Exception {
        try (var client = connect(Transport.TLS)) {
            var early = open(client, "/silent");
            await(() -> origin.heads.size() == 1);
            early.send(bytes("GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"), false);

            assertThat(early.awaitReset()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
            assertThat(client.get("/page").text()).isEqualTo("plain");
        }
        await(() -> origin.ended.get() >= 1);
        assertThat(String.join("", origin.heads)).doesNotContain("smuggled");
        awaitNoTunnel();
    }

    @Test
    void tunnelOverTheLimitIs503() throws Exception {
        setup.with(
                "listen",
                "{ http: \"127.0.0.1:0\", h2c: true, https: \"127.0.0.1:0\", max-tunnels: 1 }");
        try (var client = connect(Transport.H2C)) {
            assertThat(open(client, "/echo").status()).isEqualTo(200);
            assertThat(open(client, "/echo").status()).isEqualTo(503);
        }
        assertThat(origin.heads).hasSize(1);
    }

    @Test
    void drainLetsTunnelsLiveUntilItsEnd() throws Exception {
        setup.with("drain", "{ timeout: 3s }");
        try (var client = connect(Transport.TLS)) {
            var stream = open(client, "/echo");
            assertThat(stream.status()).isEqualTo(200);
            long began = System.nanoTime();
            var drained = CompletableFuture.runAsync(() -> proxy().drain());
            assertThat(client.awaitGoAway()).isEqualTo(ErrorCode.NO_ERROR);

            stream.send(frame(1, bytes("alive")), false);
            assertThat(read(stream, 7)).endsWith(bytes("alive"));

            client.awaitEnded();
            assertThat(System.nanoTime() - began).isGreaterThan(2_900_000_000L);
            drained.get(10, TimeUnit.SECONDS);
        }
        await(() -> origin.ended.get() == 1);
    }
}
