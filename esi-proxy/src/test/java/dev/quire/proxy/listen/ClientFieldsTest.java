package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ClientFieldsTest {
    private static final InetAddress STRANGER = address("203.0.113.7");
    private static final InetAddress NEIGHBOUR = address("10.1.2.3");

    private final ClientFields clientFields = new ClientFields(peer -> peer.getAddress()[0] == 10);

    @Test
    void whatTheClientSaysForTheOriginGoesUpInOrder() {
        var up = up(STRANGER, "Host", "h", "Cookie", "a=1", "Accept", "x", "accept", "y");

        assertThat(up)
                .containsExactly(
                        "Host: h",
                        "Cookie: a=1",
                        "Accept: x",
                        "accept: y",
                        "Via: 1.1 quire",
                        "X-Forwarded-For: 203.0.113.7",
                        "X-Forwarded-Proto: http",
                        "X-Forwarded-Host: h");
    }

    @Test
    void whatBelongsToTheConnectionStaysBehind() {
        var up =
                up(
                        STRANGER,
                        "Connection",
                        "x-hop, TE",
                        "connection",
                        "X-Other",
                        "X-Hop",
                        "1",
                        "x-other",
                        "1",
                        "Keep-Alive",
                        "5",
                        "Proxy-Connection",
                        "keep-alive",
                        "Proxy-Authorization",
                        "Basic x",
                        "TE",
                        "trailers",
                        "Trailer",
                        "X",
                        "Transfer-Encoding",
                        "chunked",
                        "Content-Length",
                        "5",
                        "Expect",
                        "100-continue",
                        "Upgrade",
                        "h2c",
                        "HTTP2-Settings",
                        "x",
                        "Content-Type",
                        "text/plain");

        assertThat(up).isEqualTo(ownAnd(STRANGER, "Content-Type: text/plain"));
    }

    @Test
    void whatWouldChangeTheRequestIsStrippedWhoeverSaysIt() {
        for (var peer : List.of(STRANGER, NEIGHBOUR)) {
            var up =
                    up(
                            peer,
                            "X-Original-URL",
                            "/admin",
                            "x-rewrite-url",
                            "/admin",
                            "X-Host",
                            "evil",
                            "X-HTTP-Method",
                            "DELETE",
                            "X-HTTP-Method-Override",
                            "DELETE",
                            "X-Method-Override",
                            "DELETE",
                            "Proxy",
                            "http://evil",
                            "Surrogate-Capability",
                            "quire=\"ESI/1.0\"",
                            "surrogate-control",
                            "content=\"ESI/1.0\"");

            assertThat(up).isEqualTo(ownAnd(peer));
        }
    }

    @Test
    void aStrangersForwardingFieldsAreReplaced() {
        var up =
                up(
                        STRANGER,
                        "X-Forwarded-For",
                        "1.1.1.1",
                        "x-forwarded-host",
                        "evil",
                        "X-Forwarded-Proto",
                        "https",
                        "X-Forwarded-Prefix",
                        "/evil",
                        "X-Real-IP",
                        "1.1.1.1",
                        "Forwarded",
                        "for=1.1.1.1");

        assertThat(up).isEqualTo(ownAnd(STRANGER));
    }

    @Test
    void aTrustedPeersForwardingFieldsAreExtended() {
        var up =
                up(
                        NEIGHBOUR,
                        "X-Forwarded-For",
                        "1.1.1.1",
                        "X-Forwarded-For",
                        "2.2.2.2",
                        "X-Forwarded-Host",
                        "shop",
                        "X-Forwarded-Proto",
                        "https",
                        "X-Forwarded-Prefix",
                        "/a");

        assertThat(up)
                .containsExactlyInAnyOrder(
                        "Via: 1.1 quire",
                        "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.1.2.3",
                        "X-Forwarded-Host: shop",
                        "X-Forwarded-Proto: https",
                        "X-Forwarded-Prefix: /a");
    }

    @Test
    void viaIsAppended() {
        assertThat(up(STRANGER, "Via", "1.0 other")).startsWith("Via: 1.0 other", "Via: 1.1 quire");
    }

    private List<String> ownAnd(InetAddress peer, String... lines) {
        var expected = new ArrayList<>(List.of(lines));
        expected.addAll(up(peer));
        return expected;
    }

    private List<String> up(InetAddress peer, String... namesAndValues) {
        var head = new RequestHead("GET", Scheme.HTTP, "h", "/", Fields.of(namesAndValues));
        var lines = new ArrayList<String>();
        clientFields.up(head, peer).forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(text));
    }
}
