package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.FreePort;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS with clients, on the wire. */
class TlsIT {
    private static final int TRICKLING = 200;
    private static final long MOST_TRICKLED = 16 << 20;

    @TempDir private Path directory;
    private Certificates certificates;
    private Origin origin;

    @BeforeEach
    void start() throws Exception {
        certificates = new Certificates(directory);
        origin = Origin.start();
        origin.otherwise(request ->
                answer("scheme " + request.field("X-Forwarded-Proto"))
                        .field("Cache-Control", "max-age=60"));
    }

    @AfterEach
    void stop() {
        origin.close();
    }

    private static Answer answer(String text) {
        return Answer.status(200).body(text);
    }

    private ReloadableProxy proxy(String tls) throws Exception {
        return ReloadableProxy.start(directory, yaml("", tls, ""));
    }

    private String yaml(String listen, String tls, String route) {
        return """
        listen: { http: "127.0.0.1:0", https: "127.0.0.1:0"%s }
        admin: { address: "127.0.0.1:0" }
        tls: { check-every: 1s, %s }
        cache: { memory: 64MiB }
        origins: { o: { urls: ["%s"] } }
        routes: [ { path: "/**", origin: o%s } ]
        """
                .formatted(listen, tls, origin.url(), route);
    }

    private Response get(ReloadableProxy proxy, Certificates.Client client, String host)
            throws IOException {
        try (var wire = wire(proxy, client.connect(proxy.addresses.https(), host))) {
            return wire.request("GET", "/", "Host", host).response();
        }
    }

    private static HttpWire wire(ReloadableProxy proxy, SSLSocket socket) {
        return HttpWire.to(proxy.addresses.https(), socket);
    }

    @Test
    void aClientGetsTheCertificateForTheHostThatItNames() throws Exception {
        certificates.write("a", certificates.server(false, "a.test", "*.wild.test"));
        certificates.write("b", certificates.server(true, "b.test"));
        try (var proxy =
                proxy(
                        "certificates: [%s, %s]"
                                .formatted(Certificates.entry("a"), Certificates.entry("b")))) {

            for (var host : new String[] {"a.test", "one.wild.test", "b.test"}) {
                // A client that resumes a session names the host of that session.
                var client = certificates.trusting();
                try (var socket = client.connect(proxy.addresses.https(), host)) {
                    assertThat(Certificates.received(socket).getSubjectX500Principal().getName())
                            .isEqualTo(host.equals("b.test") ? "CN=b.test" : "CN=a.test");
                    assertThat(
                                    wire(proxy, socket)
                                            .request("GET", "/", "Host", host)
                                            .response()
                                            .text())
                            .isEqualTo("scheme https");
                }
            }
            for (var unknown : new String[] {"c.test", "two.one.wild.test", ""}) {
                var client = certificates.trusting();
                assertThatThrownBy(() -> client.connect(proxy.addresses.https(), unknown))
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("unrecognized_name");
            }
            assertThat(metric(proxy, "result=\"unknown-name\"")).isEqualTo(3);
        }
    }

    @Test
    void oneCertificateIsTheDefaultAndRequestsForOtherHostsAreMisdirected() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket =
                        certificates.trusting().connect(proxy.addresses.https(), "other.test");
                var wire = wire(proxy, socket)) {
            var misdirected = wire.request("GET", "/", "Host", "other.test").response();
            var answered = wire.request("GET", "/", "Host", "A.test:443").response();

            assertThat(misdirected.status()).isEqualTo(421);
            assertThat(misdirected.text()).contains("certificate");
            assertThat(answered.status()).isEqualTo(200);
            assertThat(origin.requests()).hasSize(1);
        }
    }

    @Test
    void clientsGetTheKindOfKeyThatTheySupport() throws Exception {
        certificates.write("ec", certificates.server(false, "a.test"));
        certificates.write("rsa", certificates.server(true, "a.test"));
        try (var proxy =
                proxy(
                        "certificates: [%s, %s]"
                                .formatted(Certificates.entry("rsa"), Certificates.entry("ec")))) {
            var https = proxy.addresses.https();
            try (var modern = certificates.trusting().connect(https, "a.test")) {
                assertThat(Certificates.received(modern).getPublicKey().getAlgorithm())
                        .isEqualTo("EC");
            }
            var old = certificates.trusting().speaking("TLSv1.2");
            try (var socket = old.connect(https, "a.test", new String[0])) {
                assertThat(socket.getSession().getCipherSuite()).contains("ECDSA");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionsAreResumedAlsoAfterTheCertificateWasRenewed(String version) throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var client = certificates.trusting().speaking(version);
            long first = session(proxy, client);
            long second = session(proxy, client);
            certificates.write("a", certificates.server(false, "a.test"));
            ReloadableProxy.await(
                    () -> metric(proxy, "quire_tls_reloads_total{result=\"applied\"") == 1,
                    "the new certificate");

            assertThat(second).isEqualTo(first);
            assertThat(session(proxy, client)).isEqualTo(first);
        }
    }

    /** The creation of the session, which is that of the session that was resumed. */
    private static long session(ReloadableProxy proxy, Certificates.Client client)
            throws IOException {
        try (var socket = client.connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            assertThat(wire.request("GET", "/", "Host", "a.test").response().status())
                    .isEqualTo(200);
            return Certificates.received(socket).getSerialNumber().longValue();
        }
    }

    @Test
    void aRequestWithoutTlsGetsAReadableAnswer() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var wire = HttpWire.to(proxy.addresses.https())) {
            var answer = wire.request("GET", "/", "Host", "a.test").response();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("https");
            wire.awaitClosed();
            ReloadableProxy.await(
                    () -> metric(proxy, "result=\"no-tls\"") == 1, "a counted handshake");
            assertThat(metric(proxy, "result=\"failed\"")).isZero();
        }
    }

    /** Its head is longer than one read: the connection ends once the client has read why. */
    @Test
    void aLongRequestWithoutTlsGetsAReadableAnswer() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket = connected(proxy)) {
            var cookie = "c=" + "x".repeat(8 << 10);
            var head = "GET / HTTP/1.1\r\nHost: a.test\r\nCookie: %s\r\n\r\n".formatted(cookie);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));

            var answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 400 ").contains("https");
            socket.getOutputStream().write(new byte[1_000]);
            socket.getOutputStream().write(new byte[1_000]);
        }
    }

    @Test
    void filesAreReadAgainWhenAsked() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        var tls = "check-every: 1h, certificates: [%s]".formatted(Certificates.entry("a"));
        try (var proxy =
                ReloadableProxy.start(
                        directory, yaml("", tls, "").replace("check-every: 1s, ", ""))) {
            var before = serial(proxy, certificates.trusting());
            certificates.write("a", certificates.server(false, "a.test", "b.test"));

            assertThat(proxy.post("/v1/tls/reload").text())
                    .contains("\"names\":[\"a.test\",\"b.test\"],\"kind\":\"EC\"");

            assertThat(serial(proxy, certificates.trusting())).isNotEqualTo(before);
            Certificates.replace(
                    directory.resolve("a.key"), certificates.server(false, "c").getPrivateKeyPEM());
            for (int i = 0; i < 2; i++) {
                var refused = proxy.post("/v1/tls/reload");
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused.text())
                        .contains("a.key is not the key of the certificate in")
                        .contains("the one before stays in use");
            }
            assertThat(proxy.ask("/v1/tls").text()).contains("b.test");
        }
    }

    @Test
    void theDefaultIsAHostOfACertificate() throws Exception {
        certificates.write("a", certificates.server(false, "a.test", "*.b.test"));
        var terms = "certificates: [%s], default: ".formatted(Certificates.entry("a"));

        assertThatThrownBy(() -> proxy(terms + "c.test"))
                .hasMessageContaining(
                        "tls.default: no certificate is for c.test (expected a host of a"
                                + " certificate)");
        try (var proxy = proxy(terms + "www.b.test")) {
            assertThat(get(proxy, certificates.trusting(), "www.b.test").status()).isEqualTo(200);
        }
    }

    /** The root's dot is not a part of the names in certificates (RFC 6066 §3). */
    @Test
    void aHostWithTheDotOfTheRootIsCovered() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var wire =
                        wire(
                                proxy,
                                certificates
                                        .trusting()
                                        .connect(proxy.addresses.https(), "a.test"))) {
            assertThat(wire.request("GET", "/", "Host", "a.test.").response().status())
                    .isEqualTo(200);
            assertThat(wire.request("GET", "/", "Host", "b.test.").response().status())
                    .isEqualTo(421);
        }
    }

    @Test
    void aConnectionThatHasNotBegunItsHandshakeDoesNotDelayTheDrain() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var running =
                        RunningProxy.inFrontOf(origin)
                                .with("listen", "{ http: \"127.0.0.1:0\", https: \"127.0.0.1:0\" }")
                                .with(
                                        "tls",
                                        "{ certificates: [ { cert: \"%1$s.pem\", key: \"%1$s.key\" } ] }"
                                                .formatted(directory.resolve("a")))
                                .start();
                var silent = new Socket(running.https().getAddress(), running.https().getPort())) {
            running.awaitMetric("quire_connections", 1);
            long began = System.nanoTime();

            running.drain();

            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(9));
            assertThat(silent.getInputStream().read()).isNegative();
        }
    }

    /** close_notify within a request is its end: the origin gets no body that looks complete. */
    @Test
    void aClientThatEndsItsTlsWithinABodyEndsItsRequest() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
            try (socket) {
                socket.getOutputStream()
                        .write(
                                "POST /upload HTTP/1.1\r\nHost: a.test\r\nContent-Length: 200000\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(new byte[100_000]);
                origin.awaitRequest("/upload");
                socket.shutdownOutput();
            }
            assertThat(origin.awaitRequest("/upload").awaitBroken().isWhole()).isFalse();
        }
    }

    /** The proxy's own close_notify answers it, after which TLS carries no response. */
    @Test
    void aClientThatEndsItsTlsCancelsItsRequest() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        origin.on(
                "/events",
                Answer.status(200)
                        .repeating("event\n", 4 << 20)
                        .through(SlowLine.of(100_000, 1_000)));
        var held = origin.hold("/events");
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            wire.request("GET", "/events", "Host", "a.test");
            held.awaitWaiting(1);

            // Without a FIN: only close_notify tells the proxy.
            socket.shutdownOutput();
            wire.awaitClosed();
            held.release();

            origin.awaitRequest("/events").awaitAbandoned();
        }
    }

    /** It sends while it reads: if that reset the connection, it would lose the response. */
    @Test
    void aRefusedClientMayStillSend() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            wire.send("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: x\r\n\r\n");
            assertRefusedWhileItSends(wire);
        }
    }

    /** As {@link #aRefusedClientMayStillSend}, with a body that cannot be read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientWithAMalformedBodyMayStillSend(boolean isPlain) throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var wire =
                        isPlain
                                ? proxy.connect()
                                : wire(
                                        proxy,
                                        certificates
                                                .trusting()
                                                .connect(proxy.addresses.https(), "a.test"))) {
            wire.send("POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
            wire.send("zz\r\n");
            assertRefusedWhileItSends(wire);
        }
    }

    private static void assertRefusedWhileItSends(HttpWire wire) {
        for (int i = 0; i < 200; i++) {
            wire.send("x".repeat(1000));
        }
        assertThat(wire.response().status()).isEqualTo(400);
        wire.awaitClosed();
        for (int i = 0; i < 10; i++) {
            wire.send("x".repeat(1000));
        }
    }

    /** 1,000 of each loop may be in progress; the oldest give way. */
    @Test
    void silentConnectionsDoNotKeepTheOthersOut() throws Exception {
        int most = 1_000 * Runtime.getRuntime().availableProcessors();
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var silent = new ArrayList<Socket>();
            try {
                var https = proxy.addresses.https();
                for (int i = 0; i < most + 100; i++) {
                    silent.add(new Socket(https.getAddress(), https.getPort()));
                }
                for (int i = 0; i < 20; i++) {
                    assertThat(get(proxy, certificates.trusting(), "a.test").status())
                            .isEqualTo(200);
                }
                assertThat(proxy.ask("/metrics").text())
                        .containsPattern("reason=\"too-many-handshakes\"[^}]*} [1-9]");
            } finally {
                for (var each : silent) {
                    each.close();
                }
            }
        }
    }

    @Test
    void aHelloThatDoesNotComeIsCountedAsTooLate() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var https = proxy.addresses.https();
            try (var slow = new Socket(https.getAddress(), https.getPort())) {
                slow.setSoTimeout(20_000);
                slow.getOutputStream().write(new byte[] {22, 3, 1, 2});

                assertThat(slow.getInputStream().read()).isNegative();
            }
            ReloadableProxy.await(
                    () -> metric(proxy, "result=\"timeout\"") == 1, "a counted handshake");
            assertThat(metric(proxy, "result=\"failed\"")).isZero();
        }
    }

    @Test
    void aClientWithoutACommonProtocolIsRefused() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var https = proxy.addresses.https();
            var client = certificates.trusting();

            assertThatThrownBy(() -> client.connect(https, "a.test", "spdy/3"))
                    .hasMessageContaining("no_application_protocol");
            try (var agreed = client.connect(https, "a.test", "spdy/3", "http/1.1")) {
                assertThat(agreed.getApplicationProtocol()).isEqualTo("http/1.1");
            }
        }
    }

    /** The TLS of the JDK offers no such version, so the ClientHello is written here. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aClientOfAnOlderVersionGetsAnAlert(int minor) throws Exception {
        certificates.write("a", certificates.server(true, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket = connected(proxy)) {
            socket.getOutputStream().write(hello(minor));

            var alert = socket.getInputStream().readAllBytes();

            // RFC 8446 §6: a record of type alert, fatal, protocol_version.
            assertThat(alert).hasSize(7);
            assertThat(alert[0]).isEqualTo((byte) 21);
            assertThat(alert).endsWith(2, 70);
            ReloadableProxy.await(
                    () -> metric(proxy, "result=\"failed\"") == 1, "a counted handshake");
        }
    }

    private static Socket connected(ReloadableProxy proxy) throws IOException {
        var https = proxy.addresses.https();
        var socket = new Socket(https.getAddress(), https.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** The ClientHello of a client whose newest version is 3.{@code minor}, in one record. */
    private static byte[] hello(int minor) {
        var random = "r".repeat(32);
        // TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA and TLS_RSA_WITH_AES_128_CBC_SHA.
        var suites = "\0\4\300\23\0\57";
        // server_name, supported_groups (secp256r1) and ec_point_formats.
        var name = "\0\0\0\13\0\11\0\0\6a.test";
        var extensions = name + "\0\12\0\4\0\2\0\27" + "\0\13\0\2\1\0";
        var body =
                "\3%c%s\0%s\1\0\0%c%s"
                        .formatted(minor, random, suites, extensions.length(), extensions);
        var message = "\1\0\0%c%s".formatted(body.length(), body);
        return "\26\3\1\0%c%s"
                .formatted(message.length(), message)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void helloThatClaimsMuchEndsAtOnce() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")));
                var socket = connected(proxy)) {
            // Less than the 10 s of the handshake.
            socket.setSoTimeout(9_000);
            var claim = new byte[] {22, 3, 1, 0, 4, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff};
            socket.getOutputStream().write(claim);

            // An alert, then the end.
            var answer = socket.getInputStream().readAllBytes();
            assertThat(answer.length).isLessThan(32);
        }
    }

    /** A byte from time to time does not extend the 10 s of the handshake. */
    @Test
    void hellosThatTrickleHoldLittleAndEndAtTheLimit() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            assertThat(get(proxy, certificates.trusting(), "a.test").status()).isEqualTo(200);
            long before = Memory.used();
            var clients = new ArrayList<Socket>();
            try {
                for (int i = 0; i < TRICKLING; i++) {
                    clients.add(connected(proxy));
                }
                long began = System.nanoTime();
                // A ClientHello of 16,000 bytes, as long as a record may be.
                byte[] claim = {22, 3, 1, 0x3e, (byte) 0x84, 1, 0, 0x3e, (byte) 0x80};
                long more = 0;
                int accepted = 0;
                for (;
                        trickle(clients, accepted < claim.length ? claim[accepted] : 0);
                        accepted++) {
                    if (accepted == 100) {
                        more = Memory.used() - before;
                    }
                }
                var ended = Duration.ofNanos(System.nanoTime() - began);

                Figure.print(
                        "trickle",
                        "memory of %d clients after 100 bytes of each ClientHello"
                                .formatted(TRICKLING),
                        more / 1024 + " KiB",
                        MOST_TRICKLED / 1024 + " KiB");
                assertThat(accepted).isGreaterThan(100);
                assertThat(more).isLessThan(MOST_TRICKLED);
                assertThat(ended).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(15));
                ReloadableProxy.await(
                        () -> metric(proxy, "result=\"timeout\"") == TRICKLING,
                        "counted handshakes");
                assertThat(get(proxy, certificates.trusting(), "a.test").status()).isEqualTo(200);
            } finally {
                for (var client : clients) {
                    client.close();
                }
            }
        }
    }

    /** Sends one byte of each client, in 50 ms. Returns whether all connections are open. */
    private static boolean trickle(List<Socket> clients, byte next) throws IOException {
        long due = System.nanoTime() + 50_000_000;
        try {
            for (var client : clients) {
                client.getOutputStream().write(next);
            }
        } catch (SocketException ended) {
            return false;
        }
        while (due - System.nanoTime() > 0) {
            LockSupport.parkNanos(due - System.nanoTime());
        }
        return true;
    }

    @Test
    void aCertificateThatCannotBeUsedReplacesNothing() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        try (var proxy = proxy("certificates: [%s]".formatted(Certificates.entry("a")))) {
            var client = certificates.trusting();
            var before = serial(proxy, client);
            var other = certificates.server(false, "a.test");
            Files.writeString(directory.resolve("a.key"), other.getPrivateKeyPEM());
            ReloadableProxy.await(() -> refused(proxy) == 1, "a refused key");
            assertThat(serial(proxy, client)).isEqualTo(before);

            certificates.write("a", certificates.expired("a.test"));
            // The files may also be read between both writes, which is another refusal.
            ReloadableProxy.await(() -> refused(proxy) >= 2, "a refused certificate");
            assertThat(proxy.post("/v1/tls/reload").text()).contains("a.pem has expired on");
            assertThat(serial(proxy, client)).isEqualTo(before);

            certificates.write("a", other);
            ReloadableProxy.await(
                    () -> metric(proxy, "quire_tls_reloads_total{result=\"applied\"") == 1,
                    "the other certificate");
            assertThat(serial(proxy, client))
                    .isEqualTo(other.getCertificate().getSerialNumber().toString());
        }
    }

    private static double refused(ReloadableProxy proxy) {
        return metric(proxy, "quire_tls_reloads_total{result=\"refused\"");
    }

    /** Kubernetes replaces a link to the folder of all files. */
    @Test
    void aSwappedLinkIsNoticed() throws Exception {
        var versions = Files.createDirectories(directory.resolve("v1"));
        var first = certificates.server(false, "a.test");
        var second = certificates.server(false, "a.test");
        write(versions, first);
        write(Files.createDirectories(directory.resolve("v2")), second);
        var data = directory.resolve("..data");
        Files.createSymbolicLink(data, versions);
        Files.createSymbolicLink(directory.resolve("tls.crt"), data.resolve("tls.crt"));
        Files.createSymbolicLink(directory.resolve("tls.key"), data.resolve("tls.key"));
        try (var proxy = proxy("certificates: [{ cert: tls.crt, key: tls.key }]")) {
            var client = certificates.trusting();
            assertThat(serial(proxy, client))
                    .isEqualTo(first.getCertificate().getSerialNumber().toString());

            var next =
                    Files.createSymbolicLink(directory.resolve("..next"), directory.resolve("v2"));
            Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
            ReloadableProxy.await(
                    () -> metric(proxy, "quire_tls_reloads_total{result=\"applied\"") == 1,
                    "the second certificate");

            assertThat(serial(proxy, client))
                    .isEqualTo(second.getCertificate().getSerialNumber().toString());
        }
    }

    private static void write(Path folder, X509Bundle bundle) throws IOException {
        Files.writeString(folder.resolve("tls.crt"), bundle.getCertificatePathPEM());
        Files.writeString(folder.resolve("tls.key"), bundle.getPrivateKeyPEM());
    }

    private static String serial(ReloadableProxy proxy, Certificates.Client client)
            throws Exception {
        // Another session each time: a resumed one has the certificate of its beginning.
        try (var socket = client.speaking("TLSv1.3").connect(proxy.addresses.https(), "a.test")) {
            return Certificates.received(socket).getSerialNumber().toString();
        }
    }

    @Test
    void requestsWithoutTlsAreRedirected() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        int port = FreePort.next();
        var yaml =
                yaml(", redirect: https", "certificates: [" + Certificates.entry("a") + "]", "")
                        .replace("https: \"127.0.0.1:0\"", "https: \"127.0.0.1:" + port + "\"");
        try (var proxy = ReloadableProxy.start(directory, yaml);
                var wire = proxy.connect()) {
            var redirected = wire.request("POST", "/a?b", "Host", "a.test").response();
            var challenge =
                    wire.request("GET", "/.well-known/acme-challenge/x", "Host", "a.test")
                            .response();

            assertThat(redirected.status()).isEqualTo(308);
            assertThat(redirected.field("Location")).isEqualTo("https://a.test:" + port + "/a?b");
            assertThat(challenge.status()).isEqualTo(200);
        }
    }

    @Test
    void certificatesOfClientsGoUpWhereTheRouteSaysSo() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        origin.otherwise(request ->
                answer("cert " + request.field("Client-Cert"))
                        .field("Cache-Control", "max-age=60"));
        origin.on(
                "/varying",
                request ->
                        answer("cert " + request.field("Client-Cert"))
                                .field("Cache-Control", "max-age=60")
                                .field("Vary", "Client-Cert"));
        var clients =
                "clients: { ask: request, trust: ca.pem }, certificates: ["
                        + Certificates.entry("a")
                        + "]";
        var ann = certificates.client("ann");
        var bob = certificates.client("bob");
        try (var proxy =
                ReloadableProxy.start(directory, yaml("", clients, ", client-cert: true"))) {
            for (var target : new String[] {"/", "/varying"}) {
                for (var user : new X509Bundle[] {ann, bob, ann}) {
                    assertThat(as(proxy, certificates.with(user), target))
                            .isEqualTo("cert :" + base64(user) + ":");
                }
                assertThat(as(proxy, certificates.trusting(), target)).isEqualTo("cert null");
            }
            assertThat(origin.requests("/")).hasSize(4);
            assertThat(origin.requests("/varying")).hasSize(3);
        }
        try (var proxy = ReloadableProxy.start(directory, yaml("", clients, ""))) {
            assertThat(as(proxy, certificates.with(ann), "/")).isEqualTo("cert null");
        }
    }

    @Test
    void aClientWithoutTheRequiredCertificateIsRefused() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        var required =
                "clients: { ask: require, trust: ca.pem }, certificates: ["
                        + Certificates.entry("a")
                        + "]";
        try (var proxy = proxy(required)) {
            assertThat(as(proxy, certificates.with(certificates.client("ann")), "/"))
                    .isEqualTo("scheme https");
            assertThatThrownBy(() -> as(proxy, certificates.trusting(), "/"))
                    .isInstanceOf(Throwable.class);
            assertThat(origin.requests()).hasSize(1);
        }
    }

    /** A client's own field with a certificate must not reach the origin. */
    @Test
    void aForgedCertificateDoesNotGoUp() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        origin.otherwise(request -> answer("cert " + request.field("Client-Cert")));
        var yaml =
                yaml("", "certificates: [" + Certificates.entry("a") + "]", ", client-cert: true");
        try (var proxy = ReloadableProxy.start(directory, yaml);
                var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            var answer =
                    wire.request("GET", "/", "Host", "a.test", "Client-Cert", ":Zm9yZ2Vk:")
                            .response();

            assertThat(answer.text()).isEqualTo("cert null");
        }
    }

    /** A trusted peer may claim a certificate, but not in place of its own. */
    @Test
    void theCertificateOfTheConnectionReplacesAClaimedOne() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        origin.otherwise(request -> answer("cert " + request.fields().all("Client-Cert")));
        var tls =
                "clients: { ask: request, trust: ca.pem }, certificates: ["
                        + Certificates.entry("a")
                        + "]";
        var yaml =
                yaml("", tls, ", client-cert: true, ttl: 0s")
                        + "trusted: [127.0.0.1]\ntrusted-fields: [Client-Cert]\n";
        var ann = certificates.client("ann");
        var seen = new ArrayList<String>();
        try (var proxy = ReloadableProxy.start(directory, yaml)) {
            for (var client : List.of(certificates.with(ann), certificates.trusting())) {
                try (var wire = wire(proxy, client.connect(proxy.addresses.https(), "a.test"))) {
                    var answer =
                            wire.request("GET", "/", "Host", "a.test", "Client-Cert", ":eA==:")
                                    .response();
                    seen.add(answer.text());
                }
            }
        }
        assertThat(seen).containsExactly("cert [:" + base64(ann) + ":]", "cert [:eA==:]");
    }

    @Test
    void connectionsEndWhenMoreIsAskedOfClients() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        var lax = "certificates: [" + Certificates.entry("a") + "]";
        try (var proxy = proxy(lax);
                var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            assertThat(wire.request("GET", "/", "Host", "a.test").response().status())
                    .isEqualTo(200);

            proxy.write(yaml("", lax + ", clients: { ask: require, trust: ca.pem }", ""));
            proxy.reload();

            wire.awaitClosed();
        }
    }

    @Test
    void aReloadKeepsConnectionsWithTls() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        var tls = "certificates: [" + Certificates.entry("a") + "]";
        try (var proxy = proxy(tls);
                var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            assertThat(wire.request("GET", "/", "Host", "a.test").response().status())
                    .isEqualTo(200);
            proxy.write(yaml("", tls, ", ttl: 1s"));
            proxy.reload();

            assertThat(wire.request("GET", "/", "Host", "a.test").response().status())
                    .isEqualTo(200);
        }
    }

    /** A slow reader holds little more than the socket takes. */
    @Test
    void aLargeBodyIsEncryptedOnlyAsTheClientReads() throws Exception {
        certificates.write("a", certificates.server(false, "a.test"));
        var large = "0123456789abcdef".repeat(1 << 19);
        origin.otherwise(request -> answer(large).field("Cache-Control", "max-age=60"));
        try (var proxy = proxy("certificates: [" + Certificates.entry("a") + "]")) {
            assertThat(get(proxy, certificates.trusting(), "a.test").text()).isEqualTo(large);
            long before = used();
            try (var socket = certificates.trusting().connect(proxy.addresses.https(), "a.test")) {
                socket.getOutputStream()
                        .write(
                                "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
                var in = socket.getInputStream();
                // The whole body is written by the loop before the first byte arrives.
                assertThat(in.read()).isEqualTo('H');
                assertThat(used() - before).isLessThan(6 << 20);
                assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII))
                        .endsWith(large);
            }
        }
    }

    private static long used() {
        return PlatformDependent.usedDirectMemory();
    }

    private String as(ReloadableProxy proxy, Certificates.Client client, String target)
            throws IOException {
        try (var socket = client.connect(proxy.addresses.https(), "a.test");
                var wire = wire(proxy, socket)) {
            return wire.request("GET", target, "Host", "a.test").response().text();
        }
    }

    private static String base64(X509Bundle bundle) throws Exception {
        return Base64.getEncoder().encodeToString(bundle.getCertificate().getEncoded());
    }

    private static double metric(ReloadableProxy proxy, String part) {
        return proxy.ask("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("quire_tls") && line.contains(part))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
