package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.UpgradeRequest.Protocol;
import dev.quire.core.policy.UpgradeRequest.Removed;
import dev.quire.core.policy.UpgradeRequest.WebSocket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening handshakes, and the responses that accept them. */
class Rfc6455Section4Test {
    private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";
    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    @Test
    void validHandshakeAsksForAWebSocket() {
        assertThat(asked("GET")).isEqualTo(new WebSocket(KEY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"WebSocket", "foo, websocket", "h2c,websocket"})
    void webSocketMayBeOneOfSeveralProtocolsInAnyCase(String upgrade) {
        assertThat(asked("GET", "Upgrade", upgrade)).isEqualTo(new WebSocket(KEY));
    }

    @ParameterizedTest
    @CsvSource({
        "h2c, H2C",
        "H2C, H2C",
        "HTTP/2.0, HTTP_2",
        "TLS/1.0, TLS",
        "TLS, TLS",
        "'TLS/1.2, HTTP/1.1', TLS",
        "websockets, OTHER",
        "websocket/13, OTHER",
        "IRC/6.9, OTHER"
    })
    void otherProtocolIsRemoved(String upgrade, Protocol protocol) {
        assertThat(asked("GET", "Upgrade", upgrade))
                .isEqualTo(new Removed(protocol, "only websocket is forwarded"));
    }

    @ParameterizedTest
    @CsvSource({
        "Connection, keep-alive",
        "Connection, 'Upgrade, close'",
        "Connection, 'Upgrade, Sec-WebSocket-Key'",
        "Sec-WebSocket-Version, 8",
        "Sec-WebSocket-Version, '13, 8'",
        "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25j",
        "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub25jZSE=",
        "Sec-WebSocket-Key, dGhlIHNhbXBsZSBub2!jZQ==",
        "Sec-WebSocket-Key, ''"
    })
    void invalidHandshakeIsRemoved(String name, String value) {
        assertThat(asked("GET", name, value)).isInstanceOf(Removed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "POST", "get"})
    void methodOtherThanGetIsRemoved(String method) {
        assertThat(asked(method)).isInstanceOf(Removed.class);
    }

    @Test
    void requestOfHttp10OrWithABodyIsRemoved() {
        var request = request("GET");

        assertThat(UpgradeRequest.of(request, true, false)).isInstanceOf(Removed.class);
        assertThat(UpgradeRequest.of(request, false, true)).isInstanceOf(Removed.class);
    }

    @Test
    void twoKeysAreNotAHandshake() {
        var fields =
                new Fields.Builder()
                        .addAll(request("GET").fields())
                        .add("Sec-WebSocket-Key", KEY)
                        .build();

        assertThat(UpgradeRequest.of(request("GET", fields), false, false))
                .isInstanceOf(Removed.class);
    }

    @Test
    void requestWithoutUpgradeAsksForNothing() {
        var plain = request("GET", Fields.of("Host", "h", "Connection", "Upgrade"));

        assertThat(UpgradeRequest.of(plain, false, false)).isNull();
    }

    @Test
    void rightAcceptIsAccepted() {
        assertThat(isAccepted(101, "upgrade", "WebSocket", ACCEPT)).isTrue();
        assertThat(isAccepted(101, "keep-alive, Upgrade", "websocket", ACCEPT)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "200, Upgrade, websocket, s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "101, keep-alive, websocket, s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "101, Upgrade, h2c, s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "101, Upgrade, 'websocket, h2c', s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "101, Upgrade, websocket, S3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "101, Upgrade, websocket, dGhlIHNhbXBsZSBub25jZQ==",
    })
    void anyOtherResponseIsNotAccepted(
            int status, String connection, String upgrade, String accept) {
        assertThat(isAccepted(status, connection, upgrade, accept)).isFalse();
    }

    private static boolean isAccepted(
            int status, String connection, String upgrade, String accept) {
        var fields =
                Fields.of(
                        "Connection",
                        connection,
                        "Upgrade",
                        upgrade,
                        "Sec-WebSocket-Accept",
                        accept);
        return new WebSocket(KEY).isAcceptedBy(new ResponseHead(status, "", fields));
    }

    private static @Nullable UpgradeRequest asked(String method, String... changed) {
        return UpgradeRequest.of(request(method, changed), false, false);
    }

    private static RequestHead request(String method, String... changed) {
        var lines =
                new ArrayList<>(
                        List.of(
                                "Host",
                                "h",
                                "Connection",
                                "keep-alive, Upgrade",
                                "Upgrade",
                                "websocket",
                                "Sec-WebSocket-Version",
                                "13",
                                "Sec-WebSocket-Key",
                                KEY));
        for (int i = 0; i < changed.length; i += 2) {
            lines.set(lines.indexOf(changed[i]) + 1, changed[i + 1]);
        }
        return request(method, Fields.of(lines.toArray(String[]::new)));
    }

    private static RequestHead request(String method, Fields fields) {
        return new RequestHead(method, Scheme.HTTP, "h", "/", fields);
    }
}
