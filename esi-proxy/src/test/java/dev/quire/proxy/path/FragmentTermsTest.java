package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.assemble.FragmentTerms.FieldEdit;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The attributes of an include other than its URL, from the page to the origin and back. */
class FragmentTermsTest {
    private static final CacheKey PARTNER = new CacheKey(Scheme.HTTP, "partner.test", "/f");

    /** Builds the attributes of an include. */
    private record Said(FragmentTerms terms) {
        static Said nothing() {
            return new Said(FragmentTerms.NONE);
        }

        Said ttl(Duration ttl) {
            return with(Optional.of(ttl), true, Optional.empty(), true, Dca.UNSAID);
        }

        Said unstored() {
            return with(Optional.empty(), false, Optional.empty(), true, Dca.UNSAID);
        }

        Said timeout(Duration timeout) {
            return with(Optional.empty(), true, Optional.of(timeout), true, Dca.UNSAID);
        }

        Said withoutRedirects() {
            return with(Optional.empty(), true, Optional.empty(), false, Dca.UNSAID);
        }

        Said dca(Dca dca) {
            return with(Optional.empty(), true, Optional.empty(), true, dca);
        }

        private static Said with(
                Optional<Duration> ttl,
                boolean mayBeStored,
                Optional<Duration> timeout,
                boolean followsRedirects,
                Dca dca) {
            return new Said(
                    new FragmentTerms(
                            ttl,
                            Optional.empty(),
                            mayBeStored,
                            timeout,
                            followsRedirects,
                            "GET",
                            Optional.empty(),
                            List.of(),
                            dca,
                            false));
        }

        static FragmentTerms sending(String method, String body, FieldEdit... edits) {
            return new FragmentTerms(
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    Optional.empty(),
                    true,
                    method,
                    Optional.ofNullable(body.isEmpty() ? null : body),
                    List.of(edits),
                    Dca.UNSAID,
                    false);
        }
    }

    private static FragmentTerms fields(FieldEdit... edits) {
        return Said.sending("GET", "", edits);
    }

    private static FieldEdit set(String name, String value) {
        return new FieldEdit(Edit.SET, name, value);
    }

    @Test
    void fetchWithAValueOfTheReaderIsNotShared() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var client = proxy.client();
            var other = proxy.client();
            includes.ask("/f", fields(new FieldEdit(Edit.SET, "X-Name", "ann", true)));
            proxy.ask("/f").say(ok("for ann", "Cache-Control: max-age=60"));

            client.get("/f");
            other.get("/f");

            assertThat(proxy.asked()).containsExactly("/f", "/f");
            proxy.ask("/f").say(ok("for all", "Cache-Control: max-age=60"));
            assertThat(client.received()).endsWith("for all");
            assertThat(other.received()).endsWith("for all");
        }
    }

    @Test
    void ttlIsTheLifetimeOfTheStoredFragment() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var terms = Said.nothing().ttl(Duration.ofMinutes(1)).terms();
            includes.ask("/f", terms);
            proxy.ask("/f").say(ok("F"));

            proxy.pass(Duration.ofSeconds(59));

            assertThat(includes.ask("/f", FragmentTerms.NONE)).containsExactly("at hand: F");

            proxy.pass(Duration.ofSeconds(12));

            assertThat(includes.ask("/f", FragmentTerms.NONE)).isEmpty();
            proxy.ask("/f").say(ok("F2"));
        }
    }

    @Test
    void fragmentOfNoLifetimeIsNeitherStoredNorTakenFromTheStore() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/f", ok("stored", "Cache-Control: max-age=60"));

            var heard = includes.ask("/f", Said.nothing().ttl(Duration.ZERO).terms());
            proxy.ask("/f").say(ok("fresh", "Cache-Control: max-age=60"));

            assertThat(heard).containsExactly("fresh");
            assertThat(includes.ask("/f", FragmentTerms.NONE)).containsExactly("at hand: stored");
        }
    }

    @Test
    void fragmentsThatMayNotBeStoredShareNoFetch() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var terms = Said.nothing().unstored().terms();
            includes.ask("/f", terms);
            includes.ask("/f", terms);

            assertThat(proxy.asked()).containsExactly("/f", "/f");
        }
    }

    @Test
    void eachFragmentIsWaitedForAsLongAsItsAuthorSays() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var usual = includes.ask("/usual", FragmentTerms.NONE);
            var longer = includes.ask("/l", Said.nothing().timeout(Duration.ofMinutes(1)).terms());
            var hasty = includes.ask("/h", Said.nothing().timeout(Duration.ofMillis(100)).terms());
            var calmer = includes.ask("/c", Said.nothing().timeout(Duration.ofMillis(200)).terms());

            proxy.pass(Duration.ofMillis(99));
            assertThat(hasty).isEmpty();
            proxy.pass(Duration.ofMillis(1));
            assertThat(hasty).containsExactly("TIMEOUT 0");
            assertThat(calmer).isEmpty();
            proxy.pass(Duration.ofMillis(100));
            assertThat(calmer).containsExactly("TIMEOUT 0");
            assertThat(usual).isEmpty();
            proxy.pass(OneThread.INCLUDE_TIMEOUT);
            assertThat(usual).containsExactly("TIMEOUT 0");
            assertThat(longer).containsExactly("TIMEOUT 0");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void redirectIsFollowedFromWhereItWasGiven(int status) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/a/b/f", FragmentTerms.NONE);

            proxy.ask("/a/b/f").say(answer(status + " Elsewhere", "no", "Location: ../g?x#y"));
            proxy.ask("/a/g?x").say(ok("G"));

            assertThat(heard).containsExactly("G");
        }
    }

    @Test
    void storedRedirectIsFollowedToo() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored(
                    "/f", answer("301 Moved", "", "Location: /g", "Cache-Control: max-age=60"));
            proxy.stored("/g", ok("G", "Cache-Control: max-age=60"));

            assertThat(includes.ask("/f", FragmentTerms.NONE)).containsExactly("G");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void fourthRedirectIsAFailure() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", FragmentTerms.NONE);

            for (int i = 0; i < 4; i++) {
                assertThat(heard).isEmpty();
                proxy.ask("/f").say(answer("302 Found", "", "Location: /f"));
            }

            assertThat(heard).containsExactly("STATUS 302");
            assertThat(proxy.asked()).hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.test/",
                "//evil.test/",
                "http:\\\\evil.test/",
                "\\\\evil.test/",
                "/\\evil.test/",
                "http://news.test@evil.test/",
                "http://news.test:81/",
                "http://news.test.evil.test/",
                "https://news.test/",
                "http://127.0.0.1/",
                "http://[::1]/",
                "http://2130706433/",
                "file:///etc/passwd",
                "javascript:alert(1)",
                "http:/f",
                "http://nowhere.test/"
            })
    void redirectIsHeldToTheSamePolicyAsAnyAddress(String location) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", FragmentTerms.NONE);

            proxy.ask("/f").say(answer("302 Found", "", "Location: " + location));

            assertThat(heard).containsExactly("DENIED 0");
            assertThat(proxy.asked()).containsExactly("/f");
        }
    }

    @Test
    void redirectToAnotherHostCarriesNeitherCredentialsNorWhatWasMeantForTheFirst() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("Cookie: id=secret", "Authorization: Basic x")) {
            var heard = includes.ask("/f", fields(set("X-Reader", "secret")));
            assertThat(proxy.ask("/f").text())
                    .contains("Cookie: id=secret", "Authorization: Basic x", "X-Reader: secret");

            proxy.ask("/f").say(answer("302 Found", "", "Location: http://partner.test/g"));

            assertThat(proxy.ask("/g").text())
                    .contains("Host: partner.test")
                    .doesNotContain("secret", "Authorization", "X-ESI-Parent");
            proxy.ask("/g").say(ok("G"));
            assertThat(heard).containsExactly("G");
        }
    }

    @Test
    void redirectMayBeAFailureByItsAuthorsWill() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.nothing().withoutRedirects().terms());

            proxy.ask("/f").say(answer("302 Found", "", "Location: /g"));

            assertThat(heard).containsExactly("STATUS 302");
        }
    }

    @Test
    void timeoutIsOneForAllPlacesAFragmentIsLookedForIn() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.nothing().timeout(Duration.ofSeconds(1)).terms());
            proxy.pass(Duration.ofMillis(900));
            proxy.ask("/f").say(answer("302 Found", "", "Location: /g"));

            proxy.pass(Duration.ofMillis(100));

            assertThat(heard).containsExactly("TIMEOUT 0");
        }
    }

    @Test
    void statusThatIsWrongIsTold() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", FragmentTerms.NONE);
            var stored = includes.ask("/stored", FragmentTerms.NONE);

            proxy.ask("/f").say(answer("404 Not Found", "error", "Cache-Control: no-store"));
            proxy.ask("/stored").say(answer("410 Gone", "error", "Cache-Control: max-age=60"));

            assertThat(heard).containsExactly("STATUS 404");
            assertThat(stored).containsExactly("STATUS 410");
        }
    }

    @Test
    void postGoesUpWithItsBodyAndDropsWhatItMadeUntrue() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/f", ok("stored", "Cache-Control: max-age=60"));

            var heard = includes.ask("/f", Said.sending("POST", "a=1&b=\u00e9"));

            assertThat(proxy.ask("/f").text())
                    .startsWith("POST /f HTTP/1.1\r\n")
                    .containsIgnoringCase("Content-Length: 7\r\n")
                    .contains("Content-Type: application/x-www-form-urlencoded\r\n")
                    .endsWith("\r\n\r\na=1&b=\u00e9");
            proxy.ask("/f").say(ok("posted", "Cache-Control: max-age=60"));
            assertThat(heard).containsExactly("posted");
            assertThat(includes.ask("/f", FragmentTerms.NONE)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"301, GET", "302, GET", "303, GET", "307, POST", "308, POST"})
    void redirectedPostIsRepeatedOnlyWhereItsStatusSaysSo(int status, String method) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            includes.ask("/f", Said.sending("POST", "a=1", set("Content-Type", "text/x")));

            proxy.ask("/f").say(answer(status + " Elsewhere", "", "Location: /g"));

            assertThat(proxy.ask("/g").text()).startsWith(method + " /g HTTP/1.1\r\n");
            assertThat(proxy.ask("/g").text().endsWith("a=1")).isEqualTo(method.equals("POST"));
            assertThat(proxy.ask("/g").text().contains("Content-Type: text/x"))
                    .isEqualTo(method.equals("POST"));
        }
    }

    @Test
    void bodyIsNotRepeatedToAnotherHost() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.sending("POST", "a=1"));

            proxy.ask("/f").say(answer("307 Elsewhere", "", "Location: http://partner.test/g"));

            assertThat(heard).containsExactly("DENIED 0");
            assertThat(proxy.asked()).containsExactly("/f");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "CONNECT", "TRACE", "", "A B", "GET\r\nX: y"})
    void methodThatBringsNoFragmentIsRefused(String method) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            assertThat(includes.ask("/f", Said.sending(method, ""))).containsExactly("DENIED 0");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void fieldsOfTheRequestAreChangedInOrder() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("X-One: client", "X-Two: client", "Accept: a/b")) {
            includes.ask(
                    "/f",
                    fields(
                            set("X-One", "page"),
                            new FieldEdit(Edit.APPEND, "X-Two", "page"),
                            new FieldEdit(Edit.REMOVE, "accept", ""),
                            set("X-Three", "first"),
                            set("x-three", "second")));

            assertThat(proxy.ask("/f").text())
                    .contains("X-One: page\r\n", "X-Two: client\r\n", "X-Two: page\r\n")
                    .contains("x-three: second\r\n")
                    .doesNotContain("X-One: client", "Accept:", "first");
        }
    }

    @Test
    void changedFieldsPickTheVariant() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("X-Ed: client")) {
            includes.ask("/f", fields(set("X-Ed", "a")));
            proxy.ask("/f").say(ok("A", "Cache-Control: max-age=60", "Vary: X-Ed"));

            assertThat(includes.ask("/f", fields(set("X-Ed", "a")))).containsExactly("at hand: A");
            assertThat(includes.ask("/f", fields(set("X-Ed", "b")))).isEmpty();
            assertThat(includes.ask("/f", FragmentTerms.NONE)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "content-length",
                "Transfer-Encoding",
                "Connection",
                "Upgrade",
                "TE",
                "Proxy-Authorization",
                "Surrogate-Capability",
                "Surrogate-Control",
                "X-Forwarded-For",
                "X-Forwarded-Host",
                "Forwarded",
                "X-ESI-Level",
                "X-ESI-Parent",
                "X-Original-URL",
                "X-HTTP-Method-Override",
                "Esi-Variant",
                "If-None-Match",
                "If-Schedule-Tag-Match",
                "Range",
                "Accept-Encoding",
                "X_Under",
                "a b",
                "X:Y",
                ""
            })
    void fieldThatIsNotThePagesToSayIsDroppedAndCounted(String name) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            includes.ask("/f", fields(set(name, "forged"), set("X-Kept", "kept")));

            assertThat(proxy.ask("/f").text()).contains("X-Kept: kept").doesNotContain("forged");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_denied_total{reason=\"field\"} 1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX-Evil: 1", "a\nb", "a\u0000b", "a\u010ab"})
    void valueThatWouldNotStayOneIsDropped(String value) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            includes.ask("/f", fields(set("X-Page", value)));

            assertThat(proxy.ask("/f").text()).doesNotContain("X-Page", "X-Evil");
        }
    }

    @Test
    void fragmentIsToldItsPlaceAndNobodyElseMaySayIt() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("X-ESI-Level: 7", "X-ESI-Parent: http://forged/")) {
            assertThat(proxy.ask("/waiting").text()).doesNotContain("X-ESI-");

            includes.ask("/f", FragmentTerms.NONE);
            includes.ask(PARTNER, FragmentTerms.NONE);

            assertThat(proxy.ask("/f").text()).contains("X-ESI-Level: 1\r\n");
        }
    }

    @Test
    void addressOfThePageIsToldToItsOwnHostAloneAndWithoutItsQuery() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            includes.ask("/own", FragmentTerms.NONE);
            includes.ask(PARTNER, FragmentTerms.NONE);

            assertThat(proxy.ask("/own").text())
                    .contains("X-ESI-Parent: http://news.test/dir/page\r\n");
            assertThat(proxy.ask("/f").text())
                    .contains("X-ESI-Level: 1\r\n")
                    .doesNotContain("X-ESI-Parent");
        }
    }

    @Test
    void linesOfCookiesGoUpAsOne() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("Cookie: a=1", "Accept: x/y", "Cookie: b=2")) {
            includes.ask("/f", FragmentTerms.NONE);

            assertThat(proxy.ask("/waiting").text()).contains("Cookie: a=1; b=2\r\n");
            assertThat(proxy.ask("/f").text()).containsOnlyOnce("Cookie: a=1; b=2\r\n");
        }
    }

    @Test
    void documentIsShownAsItCameWhereItsAuthorWantsThat() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var none = Said.nothing().dca(Dca.NONE).terms();
            var source = "<p><esi:remove>x</esi:remove></p>";

            var heard = includes.ask("/f", none);
            proxy.ask("/f").say(page(source));

            assertThat(heard).containsExactly(source);
            assertThat(includes.ask("/f", none)).containsExactly("at hand: " + source);
            assertThat(includes.ask("/f", FragmentTerms.NONE))
                    .containsExactly("at hand: document: <p></p>");
        }
    }

    @Test
    void documentKeptWithoutItsSourceIsFetchedOnceMoreForIt() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var none = Said.nothing().dca(Dca.NONE).terms();
            proxy.stored("/f", page("old<esi:remove/>"));

            var heard = includes.ask("/f", none);
            proxy.ask("/f").say(page("new<esi:remove/>"));

            assertThat(heard).containsExactly("new<esi:remove/>");
            assertThat(includes.ask("/f", none)).containsExactly("at hand: new<esi:remove/>");
            assertThat(includes.ask("/f", FragmentTerms.NONE))
                    .containsExactly("at hand: document: new");
        }
    }

    @Test
    void whoJoinsAFetchThatKeepsNoSourceFetchesForHimself() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var document = includes.ask("/f", FragmentTerms.NONE);
            var source = includes.ask("/f", Said.nothing().dca(Dca.NONE).terms());
            assertThat(proxy.asked()).containsExactly("/f");

            proxy.ask("/f").say(page("a<esi:remove/>"));
            proxy.ask("/f").say(page("b<esi:remove/>"));

            assertThat(document).containsExactly("document: a");
            assertThat(source).containsExactly("b<esi:remove/>");
        }
    }

    @Test
    void redirectsCountAsRequestsOfThePage() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            for (int i = 0; i < 128; i++) {
                var heard = includes.ask("/r" + i, FragmentTerms.NONE);
                proxy.ask("/r" + i).say(answer("302 Found", "", "Location: /t" + i));
                proxy.ask("/t" + i).say(ok("t"));
                assertThat(heard).containsExactly("t");
            }
            proxy.asked();

            assertThat(includes.ask("/last", FragmentTerms.NONE)).containsExactly("BUDGET 0");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void routeOfTheFragmentDecidesWhetherItIsReadAsEsi() {
        var tags = "<esi:vars>x</esi:vars>";
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/off/f", Said.nothing().dca(Dca.ESI).terms());
            proxy.ask("/off/f").say(ok(tags, "Content-Type: text/html"));

            assertThat(heard).containsExactly(tags);
        }
        try (var proxy = new OneThread(new OneThread.Rules().esi(EsiProcessing.STAMPED));
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.nothing().dca(Dca.ESI).terms());
            proxy.ask("/f").say(ok(tags, "Content-Type: text/html"));

            assertThat(heard).containsExactly(tags);
        }
    }

    @Test
    void privateDocumentIsShownAsItCameToo() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.nothing().dca(Dca.NONE).terms());
            proxy.ask("/f")
                    .say(
                            ok(
                                    "a<esi:remove/>",
                                    "Content-Type: text/html",
                                    "Cache-Control: private",
                                    "Surrogate-Control: content=\"ESI/1.0\""));

            assertThat(heard).containsExactly("a<esi:remove/>");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-age=60", "private", "no-store"})
    void fragmentIsReadAsEsiWhereItsIncludeSaysSo(String cacheControl) {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var heard = includes.ask("/f", Said.nothing().dca(Dca.ESI).terms());

            proxy.ask("/f")
                    .say(ok("a<esi:remove>x</esi:remove>b", "Cache-Control: " + cacheControl));

            assertThat(heard).containsExactly("document: ab");
        }
    }

    @Test
    void readingAsEsiIsDoneOnceAndTheFragmentStaysWhatItIsForOthers() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/f", ok("a<esi:remove/>", "Cache-Control: max-age=60"));
            var esi = Said.nothing().dca(Dca.ESI).terms();

            assertThat(includes.ask("/f", esi)).containsExactly("at hand: document: a");
            assertThat(includes.ask("/f", esi)).containsExactly("at hand: document: a");
            assertThat(includes.ask("/f", FragmentTerms.NONE))
                    .containsExactly("at hand: a<esi:remove/>");
            assertThat(proxy.metrics.scrape()).contains("quire_parse_errors_total 1");
        }
    }

    @Test
    void whatAnotherHostSendsIsNotMadeToRun() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            var direct = includes.ask(PARTNER, Said.nothing().dca(Dca.ESI).terms());
            var redirected = includes.ask("/r", Said.nothing().dca(Dca.ESI).terms());

            proxy.ask("/f").say(ok("<esi:remove/>", "Cache-Control: max-age=60"));
            proxy.ask("/r").say(answer("302 Found", "", "Location: http://partner.test/f"));

            assertThat(direct).containsExactly("<esi:remove/>");
            assertThat(redirected).containsExactly("<esi:remove/>");
        }
    }

    @Test
    void documentOfAnotherHostIsNotEvaluatedThoughARedirectLeadsThere() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/page")
                    .say(
                            page(
                                    "<esi:assign name='a' value='1'/><esi:eval src='/e'/>"
                                            + "<esi:vars>[$(a)]</esi:vars>"));

            proxy.ask("/e").say(answer("302 Found", "", "Location: http://partner.test/f"));
            proxy.ask("/f").say(page("theirs<esi:assign name='a' value='2'/>"));

            assertThat(client.received()).contains("[1]").doesNotContain("theirs");
        }
    }

    @Test
    void alternativeAtAnotherHostHearsNothingOfTheClients() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/page", "Cookie: id=secret");
            proxy.ask("/page")
                    .say(
                            page(
                                    "<esi:include src='/f' alt='http://partner.test/g' method='POST'"
                                            + " entity='$(HTTP_COOKIE{id})'"
                                            + " setheader='X-Reader: $(HTTP_COOKIE{id})'"
                                            + " setheader2='X-Site: ours'/>"));
            assertThat(proxy.ask("/f").text())
                    .contains("X-Reader: secret\r\n", "X-Site: ours\r\n")
                    .endsWith("\r\n\r\nsecret");

            proxy.ask("/f").say(answer("500 Broken", "x"));

            assertThat(proxy.ask("/g").text())
                    .contains("Host: partner.test\r\n", "X-Site: ours\r\n")
                    .doesNotContain("secret", "X-Reader");
        }
    }

    @Test
    void anotherHostIsNotToldWhereTheClientHasBeen() {
        try (var proxy = new OneThread();
                var includes = proxy.includes("Referer: http://example.test/?reset=secret")) {
            includes.ask("/f", FragmentTerms.NONE);
            includes.ask(new CacheKey(Scheme.HTTP, "partner.test", "/g"), FragmentTerms.NONE);

            assertThat(proxy.ask("/f").text()).contains("Referer: ");
            assertThat(proxy.ask("/g").text()).doesNotContain("secret");
        }
    }

    @Test
    void faultyDocumentFailsInStrictMode() {
        try (var proxy = new OneThread(new OneThread.Rules().strict());
                var includes = proxy.includes()) {
            var asking = includes.ask("/asking", FragmentTerms.NONE);
            var made = includes.ask("/made", Said.nothing().dca(Dca.ESI).terms());
            var sound = includes.ask("/sound", FragmentTerms.NONE);

            proxy.ask("/asking").say(page("<esi:nonsense/>"));
            proxy.ask("/made").say(ok("<esi:nonsense/>", "Cache-Control: max-age=60"));
            proxy.ask("/sound").say(page("<esi:comment text='x'/>"));

            assertThat(asking).containsExactly("MALFORMED 0");
            assertThat(made).containsExactly("MALFORMED 0");
            assertThat(sound).containsExactly("document: ");
        }
    }

    @Test
    void elementIsCutOutOfAStoredFragment() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/f", ok("<nav>n</nav><p CLASS=a>one</p>", "Cache-Control: max-age=60"));

            assertThat(includes.selected("/f", "p.a")).isEqualTo("<p CLASS=a>one</p>");
            assertThat(includes.selected("/f", "p.b")).isEqualTo("nothing");
            assertThat(includes.selected("/f", "p[")).isEqualTo("nothing");
            assertThat(includes.ask("/f", FragmentTerms.NONE))
                    .containsExactly("at hand: <nav>n</nav><p CLASS=a>one</p>");
        }
    }

    @Test
    void fragmentIsWrittenForThePlaceWhereItStands() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/f", ok("<b>\"x\"</b>", "Cache-Control: max-age=60"));

            assertThat(includes.escaped("/f", Escape.HTML))
                    .isEqualTo("&lt;b&gt;&quot;x&quot;&lt;/b&gt;");
            assertThat(includes.escaped("/f", Escape.NONE)).isEqualTo("<b>\"x\"</b>");
        }
    }
}
