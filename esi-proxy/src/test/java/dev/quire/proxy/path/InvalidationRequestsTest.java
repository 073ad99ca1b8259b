package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.text.Network;
import dev.quire.proxy.config.InvalidationConfig;
import dev.quire.proxy.config.InvalidationConfig.Method;
import dev.quire.proxy.config.Token;
import dev.quire.proxy.path.OneThread.Client;
import dev.quire.proxy.path.OneThread.Rules;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PURGE and BAN of clients, with rules, schemes and refusals. */
class InvalidationRequestsTest {
    private static final List<Network> HERE =
            List.of(Network.parse("127.0.0.0/8"), Network.parse("::1"));
    private static final List<Network> ELSEWHERE = List.of(Network.parse("192.0.2.0/24"));
    private static final Token TOKEN = new Token("0123456789abcdefghijkl");
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String BANNED = "{\"ban\":1}";

    @Test
    void purgeReachesBothSchemes() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("plain", FRESH));
            proxy.scheme = Scheme.HTTPS;
            proxy.stored("/a", ok("secure", FRESH));
            proxy.stored("/b", ok("other", FRESH));
            var client = proxy.client();

            assertThat(send(client, "PURGE", "/a"))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("Cache-Control: no-store\r\n")
                    .endsWith("\r\n\r\n{\"purged\":2}");

            assertThat(proxy.asked()).isEmpty();
            client.get("/b");
            client.get("/a");
            proxy.scheme = Scheme.HTTP;
            proxy.client().get("/a");
            assertThat(proxy.asked()).containsExactly("/a", "/a");
        }
    }

    @Test
    void purgeReachesVariantsOfOneUrlAndNoOther() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a?x=1", ok("A", FRESH));
            proxy.stored("/a", ok("B", FRESH));
            proxy.stored("narrow.test", "/here/a", ok("C", FRESH));
            var client = proxy.client();

            assertThat(send(client, "PURGE", "/a?x=1")).endsWith("{\"purged\":1}");
            assertThat(send(client, "PURGE", "/here/a")).endsWith("{\"purged\":0}");

            client.get("/a");
            client.get("/a?x=1");
            client.send("GET /here/a HTTP/1.1\r\nHost: narrow.test\r\n\r\n");
            assertThat(proxy.asked()).containsExactly("/a?x=1");
        }
    }

    @Test
    void purgeReachesWhatTheRulesMakeOfTheUrl() {
        try (var proxy = new OneThread(movingOldToNew())) {
            var client = proxy.client();
            client.get("/old/a");
            proxy.ask("/new/a").say(ok("A", FRESH));
            client.received();
            proxy.asked();

            assertThat(send(client, "PURGE", "/old/a")).endsWith("{\"purged\":1}");
            client.get("/old/a");
            proxy.ask("/new/a").say(ok("A2", FRESH));
            client.received();
            assertThat(send(client, "PURGE", "/new/a")).endsWith("{\"purged\":1}");
        }
    }

    @Test
    void banSeesChangedPaths() {
        try (var proxy = new OneThread(movingOldToNew())) {
            var client = proxy.client();
            client.get("/old/a");
            proxy.ask("/new/a").say(ok("A", FRESH));
            proxy.asked();
            client.received();

            assertThat(send(client, "BAN", "/", "X-Url: ^/old/")).endsWith(BANNED);
            assertThat(client.get("/old/a").received()).endsWith("\r\n\r\nA");
            assertThat(send(client, "BAN", "/", "X-Url: ^/new/")).endsWith("{\"ban\":2}");
            client.get("/old/a");

            assertThat(proxy.asked()).containsExactly("/new/a");
        }
    }

    @Test
    void purgeReachesEveryKeyedResponseOfTheUrl() {
        var rules = allowing(HERE);
        rules.ruling = WrittenRules.of("request: [{ key: '{header.x-device}' }]");
        try (var proxy = new OneThread(rules)) {
            var client = proxy.client();
            for (var device : List.of("phone", "tablet")) {
                client.get("/a", "X-Device: " + device);
                proxy.ask("/a").say(ok(device, FRESH));
            }
            client.received();
            assertThat(client.get("/a", "X-Device: phone").received()).endsWith("phone");

            assertThat(send(client, "PURGE", "/a")).endsWith("{\"purged\":2}");

            proxy.asked();
            client.get("/a", "X-Device: tablet");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void purgeIgnoresArgumentsThatAreForPagesAlone() {
        var rules = allowing(HERE).reserved("esi_");
        try (var proxy = new OneThread(rules)) {
            proxy.stored("/a", ok("A", FRESH));

            assertThat(send(proxy.client(), "PURGE", "/a?esi_x=1")).endsWith("{\"purged\":1}");
        }
    }

    @Test
    void purgeWinsAgainstAFetchThatBeganBeforeIt() {
        try (var proxy = new OneThread(allowing(HERE))) {
            var reader = proxy.client();
            reader.get("/a");

            send(proxy.client(), "PURGE", "/a");
            proxy.ask("/a").say(ok("old", FRESH));

            assertThat(reader.received()).endsWith("old");
            proxy.asked();
            reader.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void pipelinedRequestsTakeEffectInTheirOrder() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A1", FRESH));
            var client = proxy.client();

            client.send(request("GET", "/a") + request("PURGE", "/a") + request("GET", "/a"));
            proxy.ask("/a").say(ok("A2", FRESH));

            assertThat(client.received())
                    .containsSubsequence("\r\n\r\nA1HTTP/1.1 200", "{\"purged\":1}", "\r\n\r\nA2");
        }
    }

    @Test
    void clientOfHttp10IsAnswered() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();

            client.send("PURGE /a HTTP/1.0\r\nHost: news.test\r\n\r\n");
            assertThat(client.received()).endsWith("{\"purged\":1}");
            assertThat(client.isClosed()).isTrue();
            var nameless = proxy.client().send("PURGE /a HTTP/1.0\r\n\r\n");
            assertThat(nameless.received()).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void requestInABodyIsNone() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();
            var body = request("PURGE", "/a");

            client.send(
                    request("BAN", "/", "X-Url: ^/b", "Content-Length: " + body.length()) + body);

            assertThat(client.received()).containsOnlyOnce("HTTP/1.1 ").endsWith(BANNED);
            assertThat(proxy.client().get("/a").received()).endsWith("\r\n\r\nA");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PURGE", "BAN"})
    void methodIsRefusedUnlessItIsEnabled(String method) {
        var other = method.equals("PURGE") ? Method.BAN : Method.PURGE;
        for (var methods : List.of(Set.<Method>of(), Set.of(other))) {
            var rules = new Rules();
            rules.invalidation = new InvalidationConfig(methods, HERE, Optional.empty());
            try (var proxy = new OneThread(rules)) {
                proxy.stored("/a", ok("A", FRESH));
                var client = proxy.client();

                assertThat(send(client, method, "/a", "X-Url: .*")).startsWith("HTTP/1.1 405 ");
                assertThat(client.get("/a").received()).endsWith("\r\n\r\nA");
                assertThat(proxy.asked()).isEmpty();
            }
        }
    }

    @Test
    void methodIsRefusedOnceItIsDisabled() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A", FRESH));
            proxy.replace(new Rules());
            var client = proxy.client();

            assertThat(send(client, "PURGE", "/a")).startsWith("HTTP/1.1 405 ");
            assertThat(client.get("/a").received()).endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PURGE", "BAN"})
    void clientFromElsewhereIsRefusedWhateverItClaims(String method) {
        try (var proxy = new OneThread(allowing(ELSEWHERE))) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();

            assertThat(
                            send(
                                    client,
                                    method,
                                    "/a",
                                    "X-Url: .*",
                                    "X-Forwarded-For: 192.0.2.1",
                                    "X-Real-IP: 192.0.2.1",
                                    "Forwarded: for=192.0.2.1"))
                    .startsWith("HTTP/1.1 403 ");

            assertThat(proxy.last().trace().reason()).isEqualTo("invalidation-address");
            assertThat(client.get("/a").received()).endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void claimOfATrustedPeerAllowsNothing() {
        try (var proxy = new OneThread(allowing(ELSEWHERE).trustingClients())) {
            assertThat(send(proxy.client(), "PURGE", "/a", "X-Forwarded-For: 192.0.2.1"))
                    .startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void clientBehindATrustedPeerMustBeAllowedToo() {
        try (var proxy = new OneThread(allowing(HERE).trustingClients())) {
            var client = proxy.client();

            assertThat(send(client, "PURGE", "/a", "X-Forwarded-For: 198.51.100.9"))
                    .startsWith("HTTP/1.1 403 ");
            assertThat(send(client, "PURGE", "/a", "X-Forwarded-For: 127.0.0.1"))
                    .startsWith("HTTP/1.1 200 ");
            assertThat(send(client, "PURGE", "/a")).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void claimOfAnUntrustedPeerIsIgnored() {
        try (var proxy = new OneThread(allowing(HERE))) {
            assertThat(send(proxy.client(), "PURGE", "/a", "X-Forwarded-For: 198.51.100.9"))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void tokenIsNeededBesideTheAddress() {
        var rules = new Rules();
        rules.invalidation = new InvalidationConfig(Set.of(Method.PURGE), HERE, Optional.of(TOKEN));
        try (var proxy = new OneThread(rules)) {
            var client = proxy.client();
            var right = "Authorization: Bearer " + TOKEN.secret();

            assertThat(send(client, "PURGE", "/a")).startsWith("HTTP/1.1 403 ");
            assertThat(send(client, "PURGE", "/a", right + "x")).startsWith("HTTP/1.1 403 ");
            assertThat(send(client, "PURGE", "/a", right, right)).startsWith("HTTP/1.1 403 ");
            assertThat(proxy.last().trace().reason()).isEqualTo("invalidation-token");
            assertThat(send(client, "PURGE", "/a", right)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void tokenFromElsewhereAllowsNothing() {
        var rules = new Rules();
        rules.invalidation =
                new InvalidationConfig(Set.of(Method.PURGE), ELSEWHERE, Optional.of(TOKEN));
        try (var proxy = new OneThread(rules)) {
            var right = "Authorization: Bearer " + TOKEN.secret();

            assertThat(send(proxy.client(), "PURGE", "/a", right)).startsWith("HTTP/1.1 403 ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Url: (",
                "X-Cache-Tags: ((a{1000}){1000}){1000}",
                "X-Host:",
                "X-Unknown: a"
            })
    void unusablePatternBansNothing(String line) {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A", FRESH));
            var client = proxy.client();

            assertThat(send(client, "BAN", "/", line))
                    .startsWith("HTTP/1.1 400 ")
                    .contains("Content-Type: text/plain")
                    .contains("\r\n\r\n400 ")
                    .contains("(expected ");

            assertThat(client.get("/a").received()).endsWith("\r\n\r\nA");
        }
    }

    @Test
    void banHidesAFragmentInItsPage() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/f", ok("F", FRESH, "X-Cache-Tags: article-8,front"));
            proxy.stored("/page", page("[" + include("/f") + "]"));
            var client = proxy.client();

            send(client, "BAN", "/", "X-Cache-Tags: (^|,)(article\\-8|x)(,|$)");
            client.get("/page");

            assertThat(proxy.asked()).containsExactly("/f");
        }
    }

    @Test
    void longListOfTagsIsOneBan() {
        try (var proxy = new OneThread(allowing(HERE))) {
            proxy.stored("/a", ok("A", FRESH, "X-Cache-Tags: article-8,tag_400"));
            var client = proxy.client();
            var tags = new StringBuilder("tag\\-0");
            for (int i = 1; i < 500; i++) {
                tags.append("|tag_").append(i);
            }

            assertThat(send(client, "BAN", "/", "X-Cache-Tags: (^|,)(" + tags + ")(,|$)"))
                    .endsWith(BANNED);
            client.get("/a");

            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    private static Rules allowing(List<Network> from) {
        var rules = new Rules();
        rules.invalidation =
                new InvalidationConfig(Set.of(Method.PURGE, Method.BAN), from, Optional.empty());
        return rules;
    }

    private static Rules movingOldToNew() {
        var rules = allowing(HERE);
        rules.ruling =
                WrittenRules.of("request: [{ match: { path: '~^/old/(.*)$' }, path: '/new/{1}' }]");
        return rules;
    }

    private static String send(Client client, String method, String target, String... lines) {
        client.received();
        return client.send(request(method, target, lines)).received();
    }
}
