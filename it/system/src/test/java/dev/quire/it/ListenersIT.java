package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.test.programs.RunningProgram;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Further listeners, Unix sockets and the PROXY protocol, on the wire. */
class ListenersIT {
    private static final String NAMED = "PROXY TCP4 192.0.2.7 192.0.2.1 5000 443\r\n";
    private static final String GET = "GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n";

    @TempDir private Path directory;
    private Origin origin;

    @BeforeEach
    void start() {
        origin = Origin.start();
        origin.otherwise(request ->
                Answer.status(200)
                        .body(
                                request.field("X-Forwarded-For")
                                        + " "
                                        + request.field("X-Forwarded-Proto"))
                        .field("Cache-Control", "no-store"));
    }

    @AfterEach
    void stop() {
        origin.close();
    }

    private String yaml(String listen, String rest) {
        return """
        listen: { http: "127.0.0.1:0"%s }
        admin: { address: "127.0.0.1:0" }
        cache: { memory: 64MiB }
        log: { access: "%s" }
        origins: { o: { urls: ["%s"] } }
        routes: [ { path: "/**", origin: o } ]
        %s
        """
                .formatted(listen, directory.resolve("access.log"), origin.url(), rest);
    }

    private ReloadableProxy proxy(String listen, String rest) throws Exception {
        return ReloadableProxy.start(directory, yaml(listen, rest));
    }

    private ReloadableProxy listed() throws Exception {
        return proxy(", proxy-protocol: [127.0.0.0/8]", "");
    }

    private static List<InetSocketAddress> also(ReloadableProxy proxy) {
        return proxy.addresses.clients().stream()
                .filter(each -> each.configured().key().equals(ClientAddress.ALSO))
                .map(each -> (InetSocketAddress) each.bound())
                .toList();
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("access.log"));
    }

    private void awaitLogged(String part) {
        ReloadableProxy.await(
                () -> {
                    try {
                        return log().contains(part);
                    } catch (IOException e) {
                        return false;
                    }
                },
                "a log with " + part);
    }

    private static void awaitCounted(ReloadableProxy proxy, String result) {
        ReloadableProxy.await(
                () ->
                        proxy.metric("quire_proxy_protocol_total{result=\"" + result + "\"}")
                                .equals("1.0"),
                "one header: " + result);
    }

    @Test
    void theNamedClientIsLoggedAndForwarded() throws Exception {
        try (var proxy = listed();
                var wire = proxy.connect()) {
            assertThat(wire.send(NAMED + GET).response().text()).isEqualTo("192.0.2.7 http");
            assertThat(wire.send(GET).response().text()).isEqualTo("192.0.2.7 http");

            awaitLogged("192.0.2.7");
            awaitCounted(proxy, "named");
        }
    }

    @Test
    void limitsRulesAndTrustSeeTheNamedClient() throws Exception {
        try (var proxy =
                proxy(
                        ", proxy-protocol: [127.0.0.0/8], max-connections-per-client: 1",
                        """
                        trusted: [192.0.2.7]
                        rules:
                          request:
                            - { name: named, match: { path: /rule, client: [192.0.2.8] }, deny: 418 }
                        """)) {
            try (var one = proxy.connect();
                    var two = proxy.connect();
                    var other = proxy.connect()) {
                assertThat(
                                one.send(
                                                NAMED
                                                        + GET.replace(
                                                                "\r\n\r\n",
                                                                "\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n"))
                                        .response()
                                        .text())
                        .isEqualTo("198.51.100.1, 192.0.2.7 http");
                two.send(NAMED + GET).awaitClosed();
                assertThat(
                                other.send(NAMED.replace("2.7", "2.8") + GET.replace("/a", "/rule"))
                                        .response()
                                        .status())
                        .isEqualTo(418);
            }
        }
    }

    @Test
    void anUnlistedPeerIsServedButItsHeaderIsRefused() throws Exception {
        try (var proxy = proxy(", proxy-protocol: [192.0.2.0/24]", "");
                var plain = proxy.connect();
                var forging = proxy.connect();
                var binary = proxy.connect()) {
            assertThat(plain.send(GET).response().text()).isEqualTo("127.0.0.1 http");

            forging.send(NAMED.substring(0, 3));
            forging.send(NAMED.substring(3));
            forging.awaitClosed();
            binary.send("\r\n\r\n\0\r\nQUIT\n!\21\0\f");
            binary.awaitClosed();
            ReloadableProxy.await(
                    () ->
                            proxy.metric("quire_proxy_protocol_total{result=\"unlisted\"}")
                                    .equals("2.0"),
                    "two headers");
            assertThat(origin.requests()).hasSize(1);
        }
    }

    /** Neither with TLS nor without a header is what an unlisted peer says believed or lost. */
    @Test
    void anUnlistedPeerIsServedInTls() throws Exception {
        var certificates = new Certificates(directory);
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy =
                proxy(
                        ", also: [ { address: '127.0.0.1:0', tls: true,"
                                + " proxy-protocol: [192.0.2.0/24] } ]",
                        "tls: { certificates: [%s] }".formatted(Certificates.entry("a")))) {
            var address = also(proxy).getFirst();
            try (var wire =
                    HttpWire.to(address, certificates.trusting().connect(address, "a.test"))) {
                assertThat(wire.send(GET).response().text()).isEqualTo("127.0.0.1 https");
            }
            try (var forging = HttpWire.to(address)) {
                forging.send(NAMED);
                forging.awaitClosed();
            }
            awaitCounted(proxy, "unlisted");
        }
    }

    /** The socket stays the same one: a reload that fails must not take it away. */
    @Test
    void aReloadChangesTheTlsOfAnAddressOnlyIfItSucceeds() throws Exception {
        var certificates = new Certificates(directory);
        certificates.write("a", certificates.server(false, "a.test"));
        var socket = directory.resolve("q");
        int port = FreePort.next();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var plain =
                ", also: [ { address: 'unix:%s' }, { address: '127.0.0.1:%d' } ]"
                        .formatted(socket, port);
        var secure = plain.replace("' },", "', tls: true },").replace("' } ]", "', tls: true } ]");
        var tls = "tls: { certificates: [%s] }".formatted(Certificates.entry("a"));
        try (var proxy = proxy(plain, "");
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            proxy.write(
                    yaml(
                            secure.replace(
                                    "} ]",
                                    "}, { address: '127.0.0.1:%d' } ]"
                                            .formatted(taken.getLocalPort())),
                            tls));
            assertThat(proxy.post("/v1/config/reload").status()).isNotEqualTo(200);
            assertThat(ask(socket, closing(GET))).endsWith("0.0.0.0 http");

            try (var before = HttpWire.to(address)) {
                assertThat(before.send(GET).response().text()).isEqualTo("127.0.0.1 http");
                proxy.write(yaml(secure, tls));
                proxy.reload();
                before.awaitClosed();
            }
            assertThat(ask(socket, closing(GET))).contains("This port speaks TLS");
            try (var wire =
                    HttpWire.to(address, certificates.trusting().connect(address, "a.test"))) {
                assertThat(wire.send(GET).response().text()).isEqualTo("127.0.0.1 https");
            }
            proxy.write(yaml(plain, ""));
            proxy.reload();
            assertThat(ask(socket, closing(GET))).endsWith("0.0.0.0 http");
        }
    }

    @Test
    void aListedPeerWithoutAHeaderIsClosed() throws Exception {
        try (var proxy = listed();
                var wire = proxy.connect()) {
            wire.send(GET).awaitClosed();

            awaitCounted(proxy, "absent");
            assertThat(origin.requests()).isEmpty();
        }
    }

    @Test
    void junkAndSilenceAreClosedWithinThreeSeconds() throws Exception {
        try (var proxy = listed();
                var junk = proxy.connect();
                var cut = proxy.connect();
                var silent = proxy.connect()) {
            long since = System.nanoTime();
            junk.send(new byte[536]);
            cut.send("PROXY TCP4 192.0.2.7");

            junk.awaitClosed();
            cut.awaitClosed();
            silent.awaitClosed();

            assertThat(Duration.ofNanos(System.nanoTime() - since))
                    .isLessThan(Duration.ofSeconds(9));
            assertThat(proxy.metric("quire_proxy_protocol_total{result=\"late\"}"))
                    .isEqualTo("2.0");
        }
    }

    @Test
    void theHeaderComesBeforeTls() throws Exception {
        var certificates = new Certificates(directory);
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy =
                        proxy(
                                ", also: [ { address: '127.0.0.1:0', tls: true, protocols: [http1],"
                                        + " proxy-protocol: [127.0.0.1] } ]",
                                "tls: { certificates: [%s] }".formatted(Certificates.entry("a")));
                var socket = new Socket()) {
            var address = also(proxy).getFirst();
            socket.connect(address);
            socket.getOutputStream().write(NAMED.getBytes(UTF_8));
            var secure = certificates.trusting().over(socket, "a.test");
            try (var wire = HttpWire.to(address, secure)) {
                assertThat(wire.send(GET).response().text()).isEqualTo("192.0.2.7 https");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2", "send-proxy-v2-ssl"})
    void haproxyNamesItsClient(String option) throws Exception {
        var found = RunningProgram.find("haproxy");
        assumeTrue(found.isPresent(), "haproxy is not installed");
        var haproxy = found.get();
        try (var proxy = listed();
                var front =
                        RunningProgram.start(
                                "haproxy",
                                (folder, port) -> {
                                    var file = folder.resolve("haproxy.cfg");
                                    Files.writeString(
                                            file,
                                            """
                                            defaults
                                              mode tcp
                                              timeout connect 5s
                                              timeout client 10s
                                              timeout server 10s
                                            listen front
                                              bind 127.0.0.1:%d
                                              source 127.0.0.2
                                              server quire 127.0.0.1:%d %s
                                            """
                                                    .formatted(
                                                            port,
                                                            proxy.addresses.http().getPort(),
                                                            option));
                                    return new ProcessBuilder(
                                            haproxy.toString(), "-db", "-f", file.toString());
                                });
                var wire = HttpWire.to(front.address())) {
            assertThat(wire.send(GET).response().text()).isEqualTo("127.0.0.1 http");

            ReloadableProxy.await(
                    () ->
                            proxy.metric("quire_proxy_protocol_total{result=\"named\"}")
                                    .matches("[1-9].*"),
                    "a header that names the client");
        }
    }

    @Test
    void curlSendsAHeaderAndUsesAUnixSocket() throws Exception {
        var socket = directory.resolve("q");
        var found = RunningProgram.find("curl");
        assumeTrue(found.isPresent(), "curl is not installed");
        var curl = found.get();
        try (var proxy =
                proxy(
                        ", proxy-protocol: [127.0.0.1], also: [ { address: 'unix:%s' } ]"
                                .formatted(socket),
                        "")) {
            assertThat(
                            curl(
                                    curl,
                                    "--haproxy-protocol",
                                    "http://127.0.0.1:" + proxy.addresses.http().getPort() + "/"))
                    .isEqualTo("127.0.0.1 http");
            assertThat(curl(curl, "--unix-socket", socket.toString(), "http://a.test/"))
                    .isEqualTo("0.0.0.0 http");
        }
    }

    private static String curl(Path program, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(program.toString(), "-s", "-m", "10"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }

    private static String ask(Path socket, String bytes) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(bytes.getBytes(UTF_8)));
            return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
        }
    }

    private static String closing(String bytes) {
        return bytes.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    }

    @Test
    void clientsOfAUnixSocketAreNotLocalOnes() throws Exception {
        var socket = directory.resolve("q");
        try (var proxy =
                proxy(
                        ", max-connections-per-client: 1, also: [ { address: 'unix:%s' } ]"
                                .formatted(socket),
                        "trusted: [127.0.0.0/8]")) {
            assertThat(proxy.addresses.clients()).hasSize(2);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-rw----");
            try (var idle = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                assertThat(idle.isConnected()).isTrue();
                assertThat(
                                ask(
                                        socket,
                                        closing(GET)
                                                .replace(
                                                        "\r\n\r\n",
                                                        "\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n")))
                        .endsWith("0.0.0.0 http")
                        .doesNotContain("Cache-Status");
            }
            awaitLogged("0.0.0.0");
        }
        assertThat(socket).doesNotExist();
    }

    @Test
    void clientsOfAUnixSocketAreNamedAndTrustedByTheirAddress() throws Exception {
        var socket = directory.resolve("q");
        try (var proxy =
                proxy(
                        ", also: [ { address: 'unix:%s', proxy-protocol: [0.0.0.0] } ]"
                                .formatted(socket),
                        "trusted: [0.0.0.0]")) {
            assertThat(proxy.addresses.clients()).hasSize(2);
            assertThat(ask(socket, NAMED + closing(GET))).endsWith("192.0.2.7 http");
            assertThat(ask(socket, closing(GET))).isEmpty();
        }
    }

    @Test
    void aStaleSocketIsReplacedAndALiveOneIsInUse() throws Exception {
        var socket = directory.resolve("q");
        var listen = ", also: [ { address: 'unix:%s' } ]".formatted(socket);
        try (var other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> proxy(listen, ""))
                    .isInstanceOf(CannotStart.class)
                    .satisfies(thrown ->
                            assertThat(((CannotStart) thrown).problems().toString())
                                    .contains(
                                            "listen.also: unix:"
                                                    + socket
                                                    + " is in use (expected"));
        }
        assertThat(socket).exists();
        try (var proxy = proxy(listen, "")) {
            assertThat(proxy.addresses.clients()).hasSize(2);
            assertThat(ask(socket, closing(GET))).endsWith("0.0.0.0 http");
        }
        Files.writeString(socket, "");
        assertThatThrownBy(() -> proxy(listen, "")).isInstanceOf(CannotStart.class);
        assertThat(socket).exists();
    }

    @Test
    void aReloadAddsAndRemovesListenersWhileRequestsRun() throws Exception {
        var socket = directory.resolve("q");
        int port = FreePort.next();
        var more =
                ", also: [ { address: 'unix:%s' }, { address: '127.0.0.1:%d' } ]"
                        .formatted(socket, port);
        Load running;
        try (var proxy = proxy("", "");
                var load =
                        Load.start(
                                2,
                                Duration.ofMillis(2),
                                new Load.Asking(
                                        "http",
                                        proxy.addresses.http(),
                                        "/a",
                                        response -> response.status() == 200,
                                        List.of()))) {
            running = load;
            for (int i = 0; i < 5; i++) {
                proxy.write(yaml(more, ""));
                proxy.reload();
                assertThat(ask(socket, closing(GET))).endsWith("0.0.0.0 http");
                try (var wire =
                        HttpWire.to(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                    assertThat(wire.send(GET).response().text()).isEqualTo("127.0.0.1 http");

                    // The settings of an address change without a new socket.
                    proxy.write(
                            yaml(more.replace("' } ]", "', proxy-protocol: [127.0.0.1] } ]"), ""));
                    proxy.reload();
                    assertThat(wire.send(GET).response().text()).isEqualTo("127.0.0.1 http");
                }
                try (var wire =
                        HttpWire.to(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
                    assertThat(wire.send(NAMED + GET).response().text())
                            .isEqualTo("192.0.2.7 http");
                }
                proxy.write(yaml("", ""));
                proxy.reload();
                assertThat(socket).doesNotExist();
                assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                        .isInstanceOf(IOException.class);
            }
        }
        Load.assertRight(running.visits());
    }
}
