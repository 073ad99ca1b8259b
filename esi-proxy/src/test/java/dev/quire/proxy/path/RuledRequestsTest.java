package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static dev.quire.proxy.path.OneThread.stampedPage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of a configuration on the wire, from the client to the origin and back. */
class RuledRequestsTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void urlsThatARuleMakesEqualShareAnEntry() {
        try (var proxy = proxy("request: [{ query: { drop: 'utm_*', sort: true } }]")) {
            var client = proxy.client();
            client.get("/page?utm_source=x&b=2&a=1");
            proxy.ask("/page?a=1&b=2").say(ok("A", FRESH));
            proxy.asked();

            client.get("/page?a=1&b=2&utm_medium=y");

            assertThat(client.received()).endsWith("\r\n\r\nA");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void theCookieRuleOfAPageDoesNotRobItsFragments() {
        try (var proxy = proxy("request: [{ for: client, cookies: { keep: [id] } }]")) {
            var client = proxy.client();

            client.get("/page", "Cookie: id=1; ga=2");
            var ofPage = proxy.ask("/page");
            ofPage.say(page(include("/f")));

            assertThat(ofPage.text()).contains("Cookie: id=1\r\n");
            assertThat(proxy.ask("/f").text()).contains("Cookie: id=1; ga=2\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ %s, set: { X-A: one } }",
                "{ %s, set: { X-A: one, User-Agent: rule } }, { unset: User-Agent }",
                "{ %s, set: { X-A: '{path}' } }, { %s, add: { X-A: two } }",
                "{ %s, set: { Cookie: a=1; b=2 } }, { cookies: { keep: [a] } }",
                "{ unset: X-A }, { %s, add: { X-A: one }, set: { Authorization: Bearer t } }",
                "{ %s, set: { X-A: one } }, { %s, set: { X-A: two }, host: '{header.x-b}:x' }"
            })
    void fragmentOfAnotherHostHasTheFieldsOfRulesForThatHost(String rules) {
        var moved = "{ match: { path: /f }, host: partner.test }, ";
        var ofHost = rules.replace("%s", "match: { host: partner.test }");
        try (var proxy = proxy("request: [" + moved + ofHost + "]")) {
            proxy.stored("/page", page(include("/f")));
            var client = proxy.client();

            client.get(
                    "/page", "Cookie: id=1", "Authorization: Basic eA==", "X-A: client", "X-B: b");
            var ofFragment = proxy.ask("/f");
            ofFragment.say(ok("f", FRESH));
            client.received();
            proxy.asked();
            client.send("GET /f HTTP/1.1\r\nHost: partner.test\r\n\r\n");

            assertThat(lines(ofFragment.text()))
                    .isEqualTo(lines(proxy.ask("/f").text()))
                    .anyMatch(line -> line.matches("x-a: (one|/f)|cookie: a=1"))
                    .noneMatch(line -> line.matches("cookie: .*id.*|x-b: .*|.* basic .*"));
        }
    }

    /** Rules for all hosts may set credentials for the own ones. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ match: { path: /f }, set: { Authorization: Bearer secret } }",
                "{ match: { path: /f }, set: { X-A: '{cookie.id}' }, unkeyed: true }",
                "{ match: { path: /f }, set: { X-A: '{header.authorization}' }, key: '{header.authorization}' }",
                "{ match: { host: partner.test }, set: { X-A: a } }, { set: { X-A: secret } }",
                "{ match: { path: /f, not: { host: a.test } }, set: { X-A: secret } }",
                "{ match: { path: /f, host: '*' }, set: { X-A: secret } }",
                "{ match: { path: /f, host: partner.test }, host: a.test }, { match: { host: a.test },"
                        + " set: { X-A: secret } }, { match: { host: a.test }, host: partner.test }",
                "{ match: { path: /f }, key: '{cookie.id}' }"
            })
    void fragmentOfAnotherHostHasNoOtherFieldsOfRulesAndAnEntryOfItsOwn(String rules) {
        try (var proxy = proxy("request: [" + rules + "]")) {
            proxy.stored("/page", page(include("http://partner.test/f")));
            var client = proxy.client();

            client.get("/page", "Cookie: id=secret", "Authorization: Basic secret");
            var ofFragment = proxy.ask("/f");
            ofFragment.say(ok("f", FRESH));
            client.received();
            proxy.asked();
            assertThat(ofFragment.text()).contains("partner.test").doesNotContain("secret", "X-A");

            client.get("/page", "Cookie: id=secret", "Authorization: Basic secret");
            assertThat(client.received()).contains("HTTP/1.1 200 ");
            assertThat(proxy.asked()).doesNotContain("/f");
            client.send(
                    "GET /f HTTP/1.1\r\nHost: partner.test\r\nCookie: id=secret\r\nX-B: b\r\n\r\n");
            assertThat(proxy.asked()).containsExactly("/f");
        }
    }

    private static List<String> lines(String head) {
        return head.toLowerCase(Locale.ROOT)
                .lines()
                .filter(line ->
                        !line.matches(
                                "x-(forwarded-for|esi-level): .*|(accept-encoding|surrogate-capability): .*"))
                .sorted()
                .toList();
    }

    @Test
    void fieldsAndPathAreThoseOfTheRules() {
        try (var proxy =
                proxy(
                        "request: [{ match: { path: '~^/old/(.*)$' }, path: '/new/{1}', set: {"
                                + " X-Was: '{path}' }, unset: X-Secret }]")) {
            var client = proxy.client();

            client.get("/old/a%20b?c=d", "X-Secret: s", "X-Other: o");

            assertThat(proxy.ask("/new/a%20b?c=d").text())
                    .contains("X-Was: /old/a%20b\r\n", "X-Other: o\r\n")
                    .doesNotContain("X-Secret");
        }
    }

    @Test
    void redirectsAnswersAndRefusalsNeedNoOrigin() {
        try (var proxy =
                proxy(
                        "request: [{ match: { path: /old }, redirect: { to: '/new{target}', status: 301 } },"
                                + " { match: { path: /later }, respond: { status: 503, body: later,"
                                + " fields: { Retry-After: 60 } } }, { match: { path: /no }, deny: 403 }]")) {
            var client = proxy.client();

            client.get("/old?a=b");
            assertThat(client.received())
                    .startsWith("HTTP/1.1 301 ")
                    .contains("Location: /new/old?a=b\r\n");
            client.get("/later");
            assertThat(client.received())
                    .contains("HTTP/1.1 503 ", "Retry-After: 60\r\n")
                    .endsWith("\r\n\r\nlater");
            client.get("/no");
            assertThat(client.received()).contains("HTTP/1.1 403 ");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void fragmentsAreDeniedRedirectedAndAnswered() {
        try (var proxy =
                proxy(
                        "request: [{ for: fragment, match: { path: /denied }, deny: 403 },"
                                + " { match: { path: /moved }, redirect: { to: /target } },"
                                + " { match: { path: /fixed }, respond: { body: fixed } }]")) {
            proxy.stored(
                    "/page",
                    page(
                            "["
                                    + include("/denied")
                                    + "|"
                                    + include("/moved")
                                    + "|"
                                    + include("/fixed")
                                    + "]"));
            var client = proxy.client();
            proxy.asked();

            client.get("/page");

            assertThat(proxy.asked()).containsExactly("/target");
            proxy.ask("/target").say(ok("T", FRESH));
            assertThat(client.received()).endsWith("\r\n\r\n[|T|fixed]");
            client.get("/denied");
            assertThat(proxy.asked()).containsExactly("/denied");
        }
    }

    @Test
    void redirectOfAFragmentToTheAnswerOfARuleIsFollowed() {
        try (var proxy =
                proxy(
                        "request: [{ match: { path: /fixed }, respond: { body: fixed } },"
                                + " { match: { path: /moved }, redirect: { to: /fixed } },"
                                + " { match: { path: /failing }, respond: { status: 503 } }]")) {
            proxy.stored(
                    "/page",
                    page("[" + include("/a") + "|" + include("/b") + "|" + include("/c") + "]"));
            var client = proxy.client();
            proxy.asked();

            client.get("/page");
            proxy.ask("/a").say(answer("302 Found", "", "Location: /fixed"));
            proxy.ask("/b").say(answer("301 Moved Permanently", "", "Location: /moved"));
            proxy.ask("/c").say(answer("302 Found", "", "Location: /failing"));

            assertThat(client.received()).endsWith("\r\n\r\n[fixed|fixed|]");
            assertThat(proxy.asked()).containsExactly("/a", "/b", "/c");
        }
    }

    /** A response for phones must not be served to others. */
    @Test
    void aFieldThatTheClientDecidesIsInTheKeyOrInVary() {
        var rule = "request: [{ match: { header: { User-Agent: '*phone*' } }, set: { X-D: p }%s }]";

        assertThat(sharesPhonePage(rule.formatted(""), FRESH)).isEqualTo("not stored");
        assertThat(sharesPhonePage(rule.formatted(""), FRESH + "\r\nVary: X-D"))
                .isEqualTo("stored for phones");
        assertThat(sharesPhonePage(rule.formatted(", key: p"), FRESH))
                .isEqualTo("stored for phones");
        assertThat(sharesPhonePage(rule.formatted(", unkeyed: true"), FRESH))
                .isEqualTo("stored for all");
    }

    private static String sharesPhonePage(String rules, String lines) {
        try (var proxy = proxy(rules)) {
            var client = proxy.client();
            client.get("/page", "User-Agent: a phone");
            proxy.ask("/page").say(ok("P", lines));
            proxy.asked();

            client.get("/page", "User-Agent: a phone/2");
            boolean isStored = proxy.asked().isEmpty();
            if (!isStored) {
                proxy.ask("/page").say(ok("P", lines));
            }
            client.get("/page", "User-Agent: a desktop");
            boolean isForAll = proxy.asked().isEmpty();
            return isForAll ? "stored for all" : isStored ? "stored for phones" : "not stored";
        }
    }

    @Test
    void aPurgeOfAUrlCoversAllItsKeys() {
        try (var proxy = proxy("request: [{ key: '{header.x-kind}' }]")) {
            var client = proxy.client();
            for (var kind : new String[] {"a", "b"}) {
                client.get("/page", "X-Kind: " + kind);
                proxy.ask("/page").say(ok(kind, FRESH));
            }
            proxy.asked();
            client.get("/page", "X-Kind: a");
            client.get("/page", "X-Kind: b");
            assertThat(proxy.asked()).isEmpty();

            proxy.purge("/page");

            client.get("/page", "X-Kind: a");
            proxy.ask("/page").say(ok("a2", FRESH));
            client.get("/page", "X-Kind: b");
            assertThat(proxy.asked()).containsExactly("/page", "/page");
        }
    }

    @Test
    void aRuleCanPassTheCache() {
        try (var proxy = proxy("request: [{ match: { cookie-name: 'wp_*' }, cache: pass }]")) {
            proxy.stored("/page", ok("A", FRESH));
            var client = proxy.client();
            proxy.asked();

            client.get("/page", "Cookie: wp_1=x");

            assertThat(proxy.asked()).containsExactly("/page");
        }
    }

    @Test
    void responseRulesDecideWhatIsStoredAndDeliverRulesWhatIsSent() {
        try (var proxy =
                proxy(
                        "response: [{ match: { path: /**.css }, ttl: 1h, set-cookie: drop, unset: Server }],"
                                + " deliver: [{ set: { X-Outcome: '{outcome}' } }]")) {
            var client = proxy.client();
            client.get("/a.css");
            proxy.ask("/a.css").say(ok("A", "Set-Cookie: a=b", "Server: x"));
            assertThat(client.received())
                    .contains("X-Outcome: miss\r\n")
                    .doesNotContain("Set-Cookie", "Server: x");
            proxy.asked();

            client.get("/a.css");

            assertThat(proxy.asked()).isEmpty();
            assertThat(client.received()).contains("X-Outcome: hit\r\n").endsWith("\r\n\r\nA");
        }
    }

    @Test
    void aResponseWithinItsGraceIsStale() {
        try (var proxy =
                proxy(
                        "deliver: [{ match: { outcome: stale }, set: { X-Outcome: '{outcome}' } }]")) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=60, stale-while-revalidate=600"));
            proxy.pass(Duration.ofSeconds(100));
            var client = proxy.client();

            client.get("/a");

            assertThat(client.received()).contains("X-Outcome: stale\r\n").endsWith("\r\n\r\nA");
            proxy.ask("/a").say(ok("B", FRESH));
        }
    }

    @Test
    void anAnswerOfARuleIsNoError() {
        try (var proxy =
                proxy(
                        "request: [{ match: { path: /old }, redirect: { to: /new, status: 301 } }]")) {
            proxy.client().get("/old");

            assertThat(proxy.metrics.scrape().lines())
                    .contains(
                            "quire_requests_total{outcome=\"rule\",status=\"3xx\"} 1.0",
                            "quire_requests_total{outcome=\"error\",status=\"3xx\"} 0.0");
        }
    }

    /** HEAD gets the head of the assembled page, of which neither length nor tag are known. */
    @Test
    void headOfAPageIsThatOfADocumentIfAResponseRuleSaysSo() {
        try (var proxy =
                proxy(
                        "response: [{ match: { path: /on }, esi: on },"
                                + " { match: { path: /off }, esi: off }]")) {
            var client = proxy.client();
            var html = new String[] {"Content-Type: text/html", "Content-Length: 5", "ETag: \"1\""};

            client.send(request("HEAD", "/on"));
            proxy.ask("/on").say(bare("200 OK", html));
            assertThat(client.received())
                    .contains("Cache-Control: private, no-cache\r\n")
                    .doesNotContain("Content-Length", "ETag");

            client.send(request("HEAD", "/off"));
            proxy.ask("/off")
                    .say(
                            bare(
                                    "200 OK",
                                    html[0],
                                    html[1],
                                    html[2],
                                    "Surrogate-Control: content=\"ESI/1.0\""));
            assertThat(client.received())
                    .contains("Content-Length: 5\r\n", "ETag: \"1\"\r\n")
                    .doesNotContain("no-cache");
        }
    }

    @Test
    void partOfADocumentIsNotPassedOnIfAResponseRuleSaysSo() {
        try (var proxy =
                proxy(
                        "request: [{ cache: pass }], response: [{ match: { path: /on }, esi: on }]")) {
            var client = proxy.client();

            client.get("/on", "Range: bytes=0-2");
            proxy.ask("/on")
                    .say(
                            answer(
                                    "206 Partial Content",
                                    "<es",
                                    "Content-Type: text/html",
                                    "Content-Range: bytes 0-2/40"));
            assertThat(client.hasReceived()).isFalse();
            proxy.ask("/on").say(ok("<p><esi:remove>x</esi:remove>", "Content-Type: text/html"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n<p>");
        }
    }

    @Test
    void includeDoesNotParseAFragmentThatAResponseRuleLeavesAsItIs() {
        try (var proxy = proxy("response: [{ match: { path: /f }, esi: off }]")) {
            proxy.stored("/page", page("<esi:include src=\"/f\" dca=\"esi\"/>"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(ok("<esi:vars>x</esi:vars>", "Content-Type: text/html", FRESH));

            assertThat(client.received()).endsWith("\r\n\r\n<esi:vars>x</esi:vars>");
        }
    }

    @Test
    void codingsOfARouteThatMayBeParsedAreThoseThatCanBeDecoded() {
        for (var esi : new String[] {"on", "off"}) {
            try (var proxy = proxy("response: [{ match: { path: /off/a }, esi: " + esi + " }]")) {
                proxy.client().get("/off/a", "Accept-Encoding: gzip, zstd");

                assertThat(proxy.ask("/off/a").text().contains("zstd"))
                        .isEqualTo(esi.equals("off"));
            }
        }
    }

    /** A cache of clients does not see the field that a rule sets. */
    @Test
    void varyForClientsNamesTheFieldsThatARuleReads() {
        for (var condition :
                new String[] {
                    "match: { header: { User-Agent: '*phone*' } }",
                    "when: \"header['user-agent'].contains('phone')\""
                }) {
            try (var proxy =
                    proxy(
                            "request: [{ unset: X-D }, { match: { path: /page }, var: { d: 'p' } },"
                                    + " { %s, set: { X-D: '{var.d}' } }]".formatted(condition))) {
                var client = proxy.client();
                for (var agent : new String[] {"a phone", "a desktop", "a phone"}) {
                    client.get("/page", "User-Agent: " + agent);
                    if (!client.hasReceived()) {
                        proxy.ask("/page").say(ok("A", FRESH + "\r\nVary: X-D"));
                    }
                    assertThat(client.received()).contains("\r\nVary: X-D, user-agent\r\n");
                }
                assertThat(proxy.asked()).hasSize(2);

                client.get("/other", "User-Agent: a phone");
                proxy.ask("/other").say(ok("B", FRESH + "\r\nVary: X-Other"));
                assertThat(client.received()).contains("\r\nVary: X-Other, user-agent\r\n");
                client.get("/other", "User-Agent: a phone");
                proxy.ask("/other");
            }
        }
    }

    @Test
    void varyForClientsNamesTheFieldsInTheKeyOfTheUrl() {
        try (var proxy = proxy("request: [{ match: { path: /ab, cookie: { ab: b } }, key: b }]")) {
            var client = proxy.client();

            client.get("/ab");
            proxy.ask("/ab").say(ok("A", FRESH));
            assertThat(client.received()).contains("\r\nVary: cookie\r\n");
            client.get("/ab", "Cookie: ab=b");
            proxy.ask("/ab").say(ok("B", FRESH, "Vary: Accept-Language, Cookie"));
            assertThat(client.received()).contains("\r\nVary: Accept-Language, Cookie\r\n");

            client.get("/other", "Cookie: ab=b");
            proxy.ask("/other").say(ok("O", FRESH));
            assertThat(client.received()).doesNotContain("Vary");
        }
    }

    @Test
    void pageVariesLikeTheKeysOfItsFragments() {
        try (var proxy = proxy("request: [{ match: { path: /f }, key: '{header.X-Kind}' }]")) {
            proxy.stored("/page", page("[" + include("/f") + "]"));
            var client = proxy.client();

            client.get("/page", "X-Kind: k");
            proxy.ask("/f").say(ok("F", FRESH));

            assertThat(client.received())
                    .contains("\r\nVary: Accept-Encoding, x-kind\r\n")
                    .endsWith("[F]");
        }
    }

    @Test
    void responseThatAnAddressSelectsIsPrivateForClients() {
        try (var proxy = proxy("request: [{ match: { client: 10.0.0.0/8 }, key: office }]")) {
            var client = proxy.client();

            for (int i = 0; i < 2; i++) {
                client.get("/page");
                if (!client.hasReceived()) {
                    proxy.ask("/page")
                            .say(ok("A", "Cache-Control: public, max-age=60, s-maxage=90"));
                }
                assertThat(client.received())
                        .contains("\r\nCache-Control: private, max-age=60\r\n")
                        .doesNotContain("Vary");
            }
            assertThat(proxy.asked()).containsExactly("/page");
        }
    }

    @Test
    void pageIsCountedForItsOwnRequestsAndNotForReadsOfItsInlineDocuments() {
        try (var proxy =
                proxy(
                        "request: [{ name: all, unset: X-None }, { name: page, match: { path: /page },"
                                + " limit: { rate: 1/h, burst: 1 } }]")) {
            proxy.stored("/page", carrier("yes"));
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/other");

            assertThat(client.received()).endsWith("\r\n\r\n[inline]");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.metrics.scrape())
                    .contains("quire_rules_total{result=\"applied\",rule=\"page\"} 1.0")
                    .contains("quire_rules_total{result=\"refused\",rule=\"page\"} 0.0")
                    // Three pages, two of them with a fragment.
                    .contains("quire_rules_total{result=\"applied\",rule=\"all\"} 5.0");
        }
    }

    @Test
    void rulesDoNotChangeTheUrlOfAPageAgainToReadItsInlineDocuments() {
        try (var proxy =
                proxy("request: [{ match: { path: /**/page }, path: '/site{path}', key: k }]")) {
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();
            client.get("/a/page");
            proxy.ask("/site/a/page").say(carrier("no"));
            proxy.asked();

            client.get("/other");
            assertThat(client.received()).endsWith("\r\n\r\n[inline]");
            assertThat(proxy.asked()).isEmpty();

            proxy.purge("/site/a/page");
            client.get("/other");
            proxy.ask("/site/a/page").say(carrier("no"));
            assertThat(client.received()).endsWith("[inline]");
            assertThat(proxy.asked()).containsExactly("/site/a/page");
        }
    }

    /** Rules before and behind the change of the URL guard the page of the document. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ %s }, { match: { path: /site/members/**, not: { cookie: { a: b } } }, deny: 403 }",
                "{ match: { path: /members/**, not: { cookie: { a: b } } }, deny: 403 }, { %s }"
            })
    void inlineDocumentIsNotReadFromAPageThatRulesProtect(String rules) {
        var written = rules.replace("%s", "match: { path: /**/page }, path: '/site{path}'");
        try (var proxy =
                proxy(
                        "request: [%s, { match: { path: /site/** }, set: { X-P: '{path}' } }]"
                                .formatted(written))) {
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();
            client.get("/members/page", "Cookie: a=b");
            proxy.ask("/site/members/page").say(carrier("no"));
            client.received();
            client.get("/other", "Cookie: a=b");
            assertThat(client.received()).endsWith("[inline]");
            proxy.asked();

            client.get("/other");
            proxy.ask("/inl").say(ok("own", "Cache-Control: no-store"));
            assertThat(client.received()).endsWith("[own]");

            proxy.purge("/site/members/page");
            client.get("/other", "Cookie: a=b");
            assertThat(proxy.ask("/site/members/page").text())
                    .contains("\r\nX-P: /site/members/page\r\n");
        }
    }

    @Test
    void inlineDocumentIsReadFromAPageThatRulesAllow() {
        for (var ending : new String[] {"deny: 403", "redirect: { to: /elsewhere }"}) {
            try (var proxy =
                    proxy(
                            "request: [{ for: fragment, match: { path: /page }, %s }]"
                                    .formatted(ending))) {
                proxy.stored("/page", carrier("no"));
                proxy.stored("/inl", ok("own", FRESH));
                proxy.stored("/other", page("[" + include("/inl") + "]"));
                var client = proxy.client();

                client.get("/other");

                assertThat(client.received()).endsWith("\r\n\r\n[own]");
            }
        }
    }

    private static String carrier(String fetchable) {
        return stampedPage(
                "<esi:@inline name='/inl' fetchable='%s'>inline</esi:@inline>"
                        .formatted(fetchable));
    }

    private static OneThread proxy(String rules) {
        var settings = new Rules();
        settings.ruling = WrittenRules.of(rules);
        return new OneThread(settings);
    }
}
