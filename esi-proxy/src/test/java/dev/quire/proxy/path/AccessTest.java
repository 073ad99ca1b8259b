package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.stampedPage;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.Audience;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.Credentials;
import dev.quire.core.rule.DeliverRules;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.FieldEdits;
import dev.quire.core.rule.Matchers;
import dev.quire.core.rule.PasswordHash;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.RateLimit;
import dev.quire.core.rule.RequestRule;
import dev.quire.core.rule.RequestRules;
import dev.quire.core.rule.ResponseRules;
import dev.quire.core.rule.Rules;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TextTemplate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate limits and logins of rules. */
class AccessTest {
    /** Of {@code open sesame}. */
    private static final Map<String, PasswordHash> USERS =
            Map.of(
                    "anna",
                    new PasswordHash(
                            "$2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy"));

    private static final String ANNA = authorization("anna:open sesame");
    private static final String STORED = "Cache-Control: max-age=60";

    @Test
    void requestsAboveTheRateAreRefusedUntilItAllowsThem() {
        try (var proxy = proxy(limit("/**", "", 1, 2, false))) {
            proxy.stored("/a", ok("A", STORED));
            var client = proxy.client();

            assertThat(client.get("/a").received()).startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a").received())
                    .startsWith("HTTP/1.1 429 Too Many Requests\r\n")
                    .contains("Retry-After: 1\r\n", "Cache-Control: no-store\r\n");
            proxy.leap(Duration.ofSeconds(1));
            assertThat(client.get("/a").received()).startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a").received()).startsWith("HTTP/1.1 429 ");
        }
    }

    @Test
    void retryAfterIsTheTimeUntilTheNextToken() {
        try (var proxy = proxy(limit("/**", "", 0.1, 1, false))) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(ok("A"));
            client.received();
            proxy.leap(Duration.ofMillis(2_500));

            assertThat(client.get("/b").received()).contains("Retry-After: 8\r\n");
        }
    }

    @Test
    void logNamesTheRuleAndTheReason() {
        try (var proxy = proxy(limit("/**", "", 1, 1, false))) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(ok("A"));

            client.get("/a");

            assertThat(proxy.last().trace().outcome()).isEqualTo("rule");
            assertThat(proxy.last().trace().reason()).isEqualTo("limit: rate exceeded");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_rules_total{result=\"refused\",rule=\"limit\"} 1.0")
                    .contains("quire_limit_buckets 1.0");
        }
    }

    @Test
    void addressesOfOneNetworkShareABucket() {
        var rules = proxyRules(limit("/**", "{client.ip}", 1, 1, false)).trustingClients();
        try (var proxy = new OneThread(rules)) {
            proxy.stored("/a", ok("A", STORED));
            var client = proxy.client();

            assertThat(client.get("/a", "X-Forwarded-For: 2001:db8:1:2::1").received())
                    .startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a", "X-Forwarded-For: 2001:db8:1:2:ffff::9").received())
                    .startsWith("HTTP/1.1 429 ");
            assertThat(client.get("/a", "X-Forwarded-For: 2001:db8:1:3::1").received())
                    .startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a", "X-Forwarded-For: 192.0.2.1").received())
                    .startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a", "X-Forwarded-For: 192.0.2.2").received())
                    .startsWith("HTTP/1.1 200 ");
            assertThat(client.get("/a", "X-Forwarded-For: 192.0.2.2").received())
                    .startsWith("HTTP/1.1 429 ");
        }
    }

    @Test
    void onlyRequestsThatNeedTheOriginCountIfMissesDo() {
        try (var proxy = proxy(limit("/**", "", 0.001, 2, true))) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60, stale-while-revalidate=60"));
            client.received();

            for (int i = 0; i < 10; i++) {
                assertThat(client.get("/a").received()).startsWith("HTTP/1.1 200 ");
            }
            proxy.leap(Duration.ofSeconds(70));
            proxy.asked();
            client = proxy.client();
            assertThat(client.get("/a").received()).as("stale").startsWith("HTTP/1.1 200 ");
            assertThat(proxy.asked()).as("the refresh, which does not count").containsExactly("/a");
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60"));

            client.get("/b");
            proxy.ask("/b").say(ok("B"));
            assertThat(client.received()).as("the second").endsWith("B");
            assertThat(client.get("/c").received())
                    .startsWith("HTTP/1.1 429 ")
                    .contains("Retry-After: ");
            assertThat(proxy.asked()).containsExactly("/b");
        }
    }

    @Test
    void requestThatJoinsAFetchCountsOnce() {
        try (var proxy = proxy(limit("/**", "", 0.001, 2, true))) {
            var first = proxy.client();
            var second = proxy.client();
            var third = proxy.client();

            first.get("/a");
            second.get("/a");
            third.get("/a");

            assertThat(third.received()).startsWith("HTTP/1.1 429 ");
            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(ok("A", STORED));
            assertThat(first.received()).endsWith("A");
            assertThat(second.received()).endsWith("A");
            assertThat(third.get("/a").received()).endsWith("A");
        }
    }

    @Test
    void requestThatLooksAgainCountsOnce() {
        try (var proxy = proxy(limit("/**", "", 0.001, 3, true))) {
            var first = proxy.client();
            var second = proxy.client();
            first.get("/a", "Accept-Language: de");
            second.get("/a", "Accept-Language: en");

            proxy.ask("/a").say(ok("DE", STORED, "Vary: Accept-Language"));
            proxy.ask("/a").say(ok("EN", STORED, "Vary: Accept-Language"));

            assertThat(first.received()).endsWith("DE");
            assertThat(second.received()).endsWith("EN");
            first.get("/b");
            proxy.ask("/b").say(ok("B"));
            assertThat(first.received()).as("the third of three").endsWith("B");
        }
    }

    @Test
    void bucketsSurviveAReplacedConfiguration() {
        var same = limit("/**", "", 0.001, 1, false);
        try (var proxy = proxy(same)) {
            proxy.stored("/a", ok("A", STORED));
            var client = proxy.client();

            proxy.replace(proxyRules(limit("/**", "", 0.001, 1, false)));
            assertThat(client.get("/a").received()).startsWith("HTTP/1.1 429 ");

            proxy.replace(proxyRules(limit("/**", "", 0.002, 1, false)));
            assertThat(client.get("/a").received()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void fragmentAboveTheRateIsOmittedAndCountsOnce() {
        try (var proxy = proxy(limit("/f", "", 0.001, 2, false, Audience.FRAGMENT))) {
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/page").say(page("[" + include("/f") + "]"));
            proxy.ask("/f").say(ok("F", STORED));
            assertThat(client.received()).endsWith("[F]");
            assertThat(client.get("/page").received()).endsWith("[F]");
            assertThat(client.get("/page").received()).endsWith("[]");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_denied_total{reason=\"denied\"} 1.0");
        }
    }

    @Test
    void fragmentThatNeedsTheOriginAboveTheRateIsOmitted() {
        try (var proxy = proxy(limit("/f*", "", 0.001, 1, true, Audience.FRAGMENT))) {
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/page").say(page("[" + include("/f1") + include("/f2") + "]"));
            proxy.ask("/f1").say(ok("F1", STORED));

            assertThat(client.received()).endsWith("[F1]");
            assertThat(client.get("/page").received()).endsWith("[F1]");
        }
    }

    @Test
    void protectedPageAsksForCredentials() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();

            assertThat(client.get("/members/a").received())
                    .startsWith("HTTP/1.1 401 Unauthorized\r\n")
                    .contains(
                            "WWW-Authenticate: Basic realm=\"The \\\"club\\\"\","
                                    + " charset=\"UTF-8\"\r\n");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.aside).isEmpty();
        }
    }

    @Test
    void authorisedClientsShareStoredResponsesWhichLeavePrivate() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();

            client.get("/members/a", ANNA);
            assertThat(client.received()).as("while the password is checked").isEmpty();
            proxy.aside.remove().run();
            proxy.turn();
            assertThat(proxy.ask("/members/a").text()).doesNotContainIgnoringCase("authorization");
            proxy.ask("/members/a").say(ok("A", STORED));
            assertThat(client.received())
                    .endsWith("A")
                    .contains("Cache-Control: private, no-cache\r\n")
                    .doesNotContain("max-age");
            proxy.asked();

            assertThat(proxy.client().get("/members/a", ANNA).received())
                    .endsWith("A")
                    .contains("Cache-Control: private, no-cache\r\n");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.aside).isEmpty();
            assertThat(proxy.client().get("/members/a").received())
                    .startsWith("HTTP/1.1 401 ")
                    .contains("no-store");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_logins_total{verdict=\"accepted\"} 2.0")
                    .contains("quire_logins_total{verdict=\"refused\"} 1.0");
        }
    }

    @Test
    void forwardedCredentialsFollowTheRulesOfCaching() {
        try (var proxy = proxy(login("/members/**", true))) {
            var client = proxy.client();

            client.get("/members/a", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            assertThat(proxy.ask("/members/a").text()).contains(ANNA);
            proxy.ask("/members/a").say(ok("A", STORED));
            assertThat(client.received()).endsWith("A");

            client.get("/members/a", ANNA);
            assertThat(proxy.asked()).as("not stored").hasSize(2);
            proxy.ask("/members/a").say(ok("A", STORED));
        }
    }

    @Test
    void wrongPasswordIsRefusedAndNeverReachesTheOrigin() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();

            client.get("/members/a", authorization("anna:open"));
            proxy.aside.remove().run();
            proxy.turn();

            assertThat(client.received()).startsWith("HTTP/1.1 401 ");
            assertThat(proxy.last().trace().reason()).isEqualTo("login: credentials not accepted");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void clientThatLeavesDuringTheCheckIsForgotten() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();
            client.get("/members/a", ANNA);

            client.hangUp();
            proxy.aside.remove().run();
            proxy.turn();

            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void bodyWaitsForTheCheck() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();

            client.send(
                    "POST /members/a HTTP/1.1\r\nHost: news.test\r\n"
                            + ANNA
                            + "\r\nContent-Length: 4\r\n\r\nbo");
            client.send("dy");
            assertThat(proxy.asked()).isEmpty();
            proxy.aside.remove().run();
            proxy.turn();

            assertThat(proxy.ask("/members/a").text()).endsWith("\r\n\r\nbody");
            proxy.ask("/members/a").say(ok("A"));
            assertThat(client.received()).endsWith("A");
        }
    }

    @Test
    void requestBehindOneThatWaitsIsAnsweredInOrder() {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/open", ok("O", STORED));
            var client = proxy.client();

            client.get("/members/a", ANNA);
            client.get("/open");
            assertThat(client.received()).isEmpty();
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/a").say(ok("A", STORED));

            assertThat(client.received()).containsSubsequence("\r\n\r\nA", "\r\n\r\nO");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization: Basic",
                "Authorization: Basic !",
                "Authorization: Bearer YW5uYTpvcGVuIHNlc2FtZQ==",
                "Authorization: Digest YW5uYTpvcGVuIHNlc2FtZQ==",
                "Proxy-Authorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "X-Authorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Authorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==\r\nAuthorization: Basic x",
                "Authorization: x\r\nAuthorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Authorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==, Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Connection: authorization\r\nAuthorization: Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Cookie: Authorization=Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Authorization : Basic YW5uYTpvcGVuIHNlc2FtZQ==",
                "Authorization: Basic\r\n YW5uYTpvcGVuIHNlc2FtZQ=="
            })
    void otherFormsOfCredentialsAreRefused(String lines) {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/open", ok("O", STORED));

            var received = proxy.client().get("/members/a", lines.split("\r\n")).received();

            assertThat(received).startsWith("HTTP/1.1 40");
            assertThat(received).matches("(?s)HTTP/1.1 40[01] .*");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.aside).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/members/a",
                "/%6dembers/a",
                "/x/../members/a",
                "/./members/a",
                "//members/a",
                "/members%2fa",
                "/members/./a",
                "/x/%2e%2e/members/a"
            })
    void otherFormsOfAProtectedPathAreNotServedFromTheProtectedOne(String target) {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();
            client.get("/members/a", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/a").say(ok("SECRET", STORED));
            proxy.asked();

            var received = proxy.client().get(target).received();

            assertThat(received).doesNotContain("SECRET");
            for (var asked : proxy.questions()) {
                asked.close();
            }
        }
    }

    @Test
    void protectedFragmentIsOmittedForOthersAlsoIfItIsStored() {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/page", page("[" + include("/members/f") + "]"));
            var client = proxy.client();

            client.get("/page", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            assertThat(proxy.ask("/members/f").text()).doesNotContain("Authorization");
            proxy.ask("/members/f").say(ok("F", STORED));
            assertThat(client.received())
                    .endsWith("[F]")
                    .contains("Cache-Control: private, no-cache\r\n");
            proxy.asked();

            assertThat(client.get("/page", ANNA).received())
                    .endsWith("[F]")
                    .contains("Cache-Control: private, no-cache\r\n");
            assertThat(client.get("/page").received())
                    .endsWith("[]")
                    .contains("Cache-Control: no-store\r\n");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void fragmentWhoseCheckIsLateIsNotFetchedForAClientThatHasLeft() {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/page", page("[" + include("/members/f") + "]"));
            var client = proxy.client();
            client.get("/page", ANNA);

            client.hangUp();
            proxy.aside.remove().run();
            proxy.turn();

            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void redirectOfAFragmentToAProtectedOneWaitsForTheCheck() {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/page", page("[" + include("/f") + "]"));
            var client = proxy.client();

            client.get("/page", ANNA);
            proxy.ask("/f").say(OneThread.answer("302 Found", "", "Location: /members/f"));
            assertThat(client.received()).doesNotContain("]");
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/f").say(ok("F", STORED));
            assertThat(client.received()).endsWith("[F]");

            client.get("/page");
            proxy.ask("/f").say(OneThread.answer("302 Found", "", "Location: /members/f"));
            assertThat(client.received()).endsWith("[]");
        }
    }

    @Test
    void fragmentsOfAProtectedPageAreSharedToo() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();

            client.get("/members/page", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/page").say(page("[" + include("/f") + "]"));
            assertThat(proxy.ask("/f").text()).doesNotContain("Authorization");
            proxy.ask("/f").say(ok("F", STORED));
            assertThat(client.received()).endsWith("[F]");
            proxy.asked();

            assertThat(client.get("/members/page", ANNA).received()).endsWith("[F]");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void floodOfWrongPasswordsLeavesOthersAlone() {
        try (var proxy = proxy(login("/members/**", false))) {
            proxy.stored("/open", ok("O", STORED));
            var known = proxy.client();
            known.get("/members/a", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/a").say(ok("A", STORED));
            known.received();

            for (int i = 0; i < 102; i++) {
                proxy.client().get("/members/a", authorization("anna:" + i));
            }
            var late = proxy.client().get("/members/a", authorization("anna:102"));

            assertThat(late.received()).startsWith("HTTP/1.1 503 ").contains("Retry-After: 1\r\n");
            assertThat(proxy.client().get("/open").received()).endsWith("O");
            assertThat(known.get("/members/a", ANNA).received()).endsWith("A");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_logins_total{verdict=\"overload\"} 1.0")
                    .contains("quire_logins_pending 102.0");
            while (!proxy.aside.isEmpty()) {
                proxy.aside.remove().run();
            }
        }
    }

    @Test
    void secondRealmChecksTheSameCredentials() {
        try (var proxy = proxy(login("/**", false), login("/members/**", false))) {
            var client = proxy.client();

            client.get("/members/a", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/a").say(ok("A", STORED));

            assertThat(client.received()).endsWith("A");
        }
    }

    @Test
    void inlineDocumentIsReadFromAPageWithItsCredentials() {
        try (var proxy = proxy(login("/members/**", false))) {
            var client = proxy.client();
            client.get("/members/page", ANNA);
            proxy.aside.remove().run();
            proxy.turn();
            proxy.ask("/members/page")
                    .say(
                            stampedPage(
                                    "<esi:@inline name='/inl' fetchable='yes'>inline</esi:@inline>"));
            client.received();

            client.get("/other", ANNA);
            proxy.ask("/other").say(page("[" + include("/inl") + "]"));
            assertThat(client.received()).contains("private").endsWith("\r\n\r\n[inline]");
            client.get("/other");
            proxy.ask("/other").say(page("[" + include("/inl") + "]"));
            proxy.ask("/inl").say(ok("own", STORED));
            assertThat(client.received()).endsWith("[own]");

            assertThat(proxy.metrics.scrape())
                    .contains("quire_rules_total{result=\"applied\",rule=\"login\"} 1.0")
                    .contains("quire_rules_total{result=\"refused\",rule=\"login\"} 0.0");
        }
    }

    private static OneThread proxy(RequestRule... rules) {
        return new OneThread(proxyRules(rules));
    }

    private static OneThread.Rules proxyRules(RequestRule... rules) {
        var settings = new OneThread.Rules();
        settings.ruling =
                new Rules(
                        new RequestRules(
                                List.of(rules),
                                Set.of(),
                                Stream.of(rules).map(RequestRule::name).toList()),
                        ResponseRules.NONE,
                        DeliverRules.NONE);
        return settings;
    }

    private static RequestRule limit(
            String path, String by, double perSecond, int burst, boolean onlyMisses) {
        return limit(path, by, perSecond, burst, onlyMisses, Audience.CLIENT);
    }

    private static RequestRule limit(
            String path,
            String by,
            double perSecond,
            int burst,
            boolean onlyMisses,
            Audience audience) {
        return rule(
                "limit",
                path,
                audience,
                new EndingAction.Limit(
                        new RateLimit("limit", template(by), perSecond, burst, onlyMisses)));
    }

    private static RequestRule login(String path, boolean forwards) {
        return rule(
                "login",
                path,
                Audience.BOTH,
                new EndingAction.Login(new Credentials("The \"club\"", forwards, USERS)));
    }

    private static RequestRule rule(
            String name, String path, Audience audience, EndingAction ending) {
        return new RequestRule(
                name,
                audience,
                path.equals("/**")
                        ? Condition.ALWAYS
                        : Matchers.path(List.of(new PathPattern(path)), List.of()),
                null,
                Map.of(),
                FieldEdits.NONE,
                null,
                null,
                null,
                null,
                null,
                false,
                List.of(),
                false,
                ending,
                false);
    }

    private static TextTemplate template(String text) {
        try {
            return new TemplateParser(
                            (expression, isInUrl) -> {
                                throw new AssertionError(expression);
                            },
                            Phase.REQUEST)
                    .parse(text, false);
        } catch (TemplateParser.SyntaxError e) {
            throw new AssertionError(e);
        }
    }

    private static String authorization(String pair) {
        return "Authorization: Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }
}
