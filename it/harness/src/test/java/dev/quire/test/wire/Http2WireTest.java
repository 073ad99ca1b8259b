package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.Http2Setup;
import dev.quire.test.wire.internal.TestCertificate;
import dev.quire.test.wire.internal.WireFrame;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http2WireTest {

    private static Http2Setup setup(BareHttp2Server server, boolean isSecure) {
        return Http2Setup.to(server.address())
                .over(isSecure ? TestCertificate.shared().trusting() : null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void requestsAndResponsesHaveBodiesOfAnySize(boolean isSecure) throws IOException {
        try (var server = new BareHttp2Server(isSecure);
                var wire = setup(server, isSecure).open()) {
            var large = wire.get("/large");
            var upload = wire.begin("POST", "/up", "x-a", "1");
            upload.send("a".repeat(100_000).getBytes(UTF_8), false).send(new byte[0], true);

            assertThat(upload.status()).isEqualTo(200);
            assertThat(upload.text()).contains("x-a=1\n").endsWith("a".repeat(100_000));
            assertThat(large.body()).hasSizeGreaterThan(199_999);
            assertThat(large.field("X-Path")).isEqualTo("/large");
            assertThat(wire.get("/trailers").text()).contains(":path=/trailers\n");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void resetsGoAwayAndPingsAreSeen(boolean isSecure) throws IOException {
        try (var server = new BareHttp2Server(isSecure);
                var wire = setup(server, isSecure).open()) {
            var broken = wire.get("/broken");
            assertThatThrownBy(broken::body)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset with INTERNAL_ERROR");
            assertThat(broken.awaitReset()).isEqualTo(ErrorCode.INTERNAL_ERROR);
            wire.ping();

            wire.send(WireFrame.of(WireFrame.PING, 0, 1, new byte[8]));

            assertThat(wire.awaitGoAway()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
            wire.awaitEnded();
            assertThat(wire.resets()).containsValue(ErrorCode.INTERNAL_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-A", "x a", "x\0", "", "connection"})
    void anyFieldCanBeSent(String name) throws IOException {
        try (var server = new BareHttp2Server(false);
                var wire = setup(server, false).open()) {
            var stream =
                    wire.open(
                            new FieldBlock()
                                    .literal(":method", "GET")
                                    .literal(":scheme", "http")
                                    .literal(":path", "/")
                                    .literal(name, "close")
                                    .bytes(),
                            true);

            assertThat(stream.outcome()).isEqualTo("PROTOCOL_ERROR");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void windowsAreTheTests(boolean isSecure) throws IOException {
        try (var server = new BareHttp2Server(isSecure);
                var wire = setup(server, isSecure).withoutWindowUpdates().settings(4, 10).open()) {
            var stream = wire.get("/large");

            assertThat(stream.next()).hasSize(10);
            wire.ping();
            assertThat(wire.received()).isEqualTo(10);
            stream.grant(5);
            assertThat(stream.next()).hasSize(5);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bridgeTranslatesBothWays(boolean isSecure) throws IOException {
        try (var server = new BareHttp2Server(isSecure);
                var bridge =
                        Http2Bridge.to(
                                server.address(),
                                isSecure ? TestCertificate.shared().trusting() : null);
                var client = HttpWire.to(bridge.address()).behind(bridge::portAtServer)) {
            var page = client.get("/a?b", "Host", "site.example", "X-A", "1", "Cookie", "a=1; b=2");

            assertThat(page.text())
                    .isEqualTo(
                            """
                            :method=GET
                            :scheme=%s
                            :authority=site.example
                            :path=/a?b
                            x-a=1
                            cookie=a=1
                            cookie=b=2
                            """
                                    .formatted(isSecure ? "https" : "http"));
            assertThat(page.keepAlive()).isTrue();
            assertThat(client.get("http://other.example?x").text())
                    .contains(isSecure ? ":scheme=https\n" : ":scheme=http\n")
                    .contains(":authority=other.example\n:path=/?x\n");
            assertThat(client.request("HEAD", "/").response().status()).isEqualTo(200);
            assertThat(client.request("POST", "/", new byte[70_000]).response().body().length())
                    .isGreaterThan(70_000);
            assertThat(client.get("/interim").interims()).hasSize(1);
            assertThat(client.localPort()).isNotZero();
            client.request("GET", "/broken").begin().awaitCut();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0\r\n", "HTTP/1.1\r\nConnection: close\r\n"})
    void bridgeClosesWhereTheClientSaysSo(String end) throws IOException {
        try (var server = new BareHttp2Server(false);
                var bridge = Http2Bridge.to(server.address(), null);
                var client = HttpWire.to(bridge.address())) {
            client.send("GET / " + end + "Host: site.example\r\n\r\n");

            assertThat(client.response().keepAlive()).isFalse();
            client.awaitClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsOfConnectionsPassTheBridge(boolean isOfTheServer) throws IOException {
        var server = new BareHttp2Server(false);
        try (var bridge = Http2Bridge.to(server.address(), null);
                var client = HttpWire.to(bridge.address())) {
            client.get("/");
            if (isOfTheServer) {
                server.close();
            } else {
                client.halfClose();
            }

            client.awaitClosed();
        } finally {
            server.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void floodTellsWhetherItWasAccepted(int times) throws IOException {
        try (var server = new BareHttp2Server(false);
                var wire = Http2Setup.to(server.address()).open()) {
            assertThat(wire.flood(times, i -> WireFrame.ping(i).bytes())).isTrue();
            wire.send(WireFrame.of(WireFrame.SETTINGS, 0, 0, (byte) 1));
            wire.awaitEnded();

            assertThat(wire.flood(1000, i -> WireFrame.ping(i).bytes())).isFalse();
            assertThat(wire.goAway()).isEqualTo(ErrorCode.FRAME_SIZE_ERROR);
        }
    }
}
