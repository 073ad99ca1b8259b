package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.EffectiveRequest.Sender;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/operations.md, Peers and their fields. */
class EffectiveRequestTest {
    private static final Sender STRANGER =
            new Sender("203.0.113.7", false, FieldNames.of("X-Forwarded-Prefix"));
    private static final Sender NEIGHBOUR =
            new Sender("10.1.2.3", true, FieldNames.of("X-Forwarded-Prefix", "X-Forwarded-Host"));
    private static final Sender PLAIN_NEIGHBOUR = new Sender("10.1.2.3", true, FieldNames.NONE);

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

    private List<String> ownAnd(Sender peer, String... lines) {
        var expected = new ArrayList<>(List.of(lines));
        expected.addAll(up(peer));
        return expected;
    }

    @Test
    void aFieldOfTheClientThatTheOriginDoesNotGetIsNotThere() {
        var fields =
                of(
                                STRANGER,
                                "Connection",
                                "close, Accept-Language, X-Hop",
                                "Accept-Language",
                                "de",
                                "X-Hop",
                                "1",
                                "X-Forwarded-Proto",
                                "https",
                                "X-Original-Host",
                                "evil",
                                "Client-Cert",
                                ":x:",
                                "Accept",
                                "x")
                        .head()
                        .fields();

        for (var name :
                List.of(
                        "accept-language",
                        "X-Hop",
                        "connection",
                        "X-Original-Host",
                        "Client-Cert")) {
            assertThat(fields.first(name)).as(name).isNull();
            assertThat(fields.all(name)).as(name).isEmpty();
            assertThat(fields.contains(name)).as(name).isFalse();
        }
        assertThat(fields.all("accept")).containsExactly("x");
        assertThat(fields.first("x-forwarded-proto")).isEqualTo("http");
        assertThat(fields.all("X-Forwarded-For")).containsExactly("203.0.113.7");
    }

    @Test
    void claimsOfATrustedPeerNeedTheirName() {
        String[] claims = {
            "X-Forwarded-Host", "shop", "X-Forwarded-Prefix", "/a", "Forwarded", "host=shop",
            "X-Real-IP", "1.1.1.1", "X-Forwarded-Port", "443", "X-Remote-User", "anna"
        };

        var plain = of(PLAIN_NEIGHBOUR, claims);
        var named = of(NEIGHBOUR, claims);

        assertThat(lines(plain)).isEqualTo(up(PLAIN_NEIGHBOUR));
        assertThat(plain.keyedFields()).isEmpty();
        assertThat(lines(named)).contains("X-Forwarded-Host: shop", "X-Forwarded-Prefix: /a");
        assertThat(lines(named)).noneMatch(line -> line.startsWith("Forwarded"));
        assertThat(named.keyedFields()).containsExactly("x-forwarded-host", "x-forwarded-prefix");
        assertThat(of(STRANGER, claims).keyedFields()).isEmpty();
    }

    @Test
    void theSchemeOfATrustedPeerCounts() {
        assertThat(of(NEIGHBOUR, "X-Forwarded-Proto", "HTTPS").head().scheme())
                .isEqualTo(Scheme.HTTPS);
        assertThat(of(NEIGHBOUR, "X-Forwarded-Proto", "http, https").head().scheme())
                .isEqualTo(Scheme.HTTPS);
        assertThat(of(NEIGHBOUR, "X-Forwarded-Proto", "gopher").head().scheme())
                .isEqualTo(Scheme.HTTP);
        assertThat(of(STRANGER, "X-Forwarded-Proto", "https").head().scheme())
                .isEqualTo(Scheme.HTTP);
    }

    @Test
    void theAuthorityHasTheFormOfTheKey() {
        var received =
                new RequestHead(
                        "GET", Scheme.HTTP, "SHOP.test:80", "/", Fields.of("Host", "SHOP.test:80"));

        var effective = EffectiveRequest.of(received, STRANGER);

        assertThat(effective.head().authority()).isEqualTo("shop.test");
        assertThat(lines(effective)).contains("Host: shop.test", "X-Forwarded-Host: shop.test");
        assertThat(effective.head().fields().first("host")).isEqualTo("shop.test");
    }

    @Test
    void singleLookUpsAgreeWithAllLines() {
        var effective =
                of(
                        NEIGHBOUR,
                        "Host",
                        "h",
                        "Via",
                        "1.0 other",
                        "Accept",
                        "a",
                        "accept",
                        "b",
                        "X-Forwarded-For",
                        "1.1.1.1",
                        "Connection",
                        "x-a",
                        "X-A",
                        "1");
        var copy = new Fields.Builder().addAll(effective.head().fields()).build();

        for (var name :
                List.of(
                        "Host",
                        "via",
                        "accept",
                        "x-forwarded-for",
                        "x-forwarded-host",
                        "x-forwarded-proto",
                        "x-a",
                        "connection",
                        "x-none")) {
            assertThat(effective.head().fields().all(name)).as(name).isEqualTo(copy.all(name));
            assertThat(effective.head().fields().first(name)).as(name).isEqualTo(copy.first(name));
        }
    }

    private static List<String> up(Sender peer, String... namesAndValues) {
        return lines(of(peer, namesAndValues));
    }

    private static EffectiveRequest of(Sender peer, String... namesAndValues) {
        var head = new RequestHead("GET", Scheme.HTTP, "h", "/", Fields.of(namesAndValues));
        return EffectiveRequest.of(head, peer);
    }

    private static List<String> lines(EffectiveRequest request) {
        var lines = new ArrayList<String>();
        request.head().fields().forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }
}
