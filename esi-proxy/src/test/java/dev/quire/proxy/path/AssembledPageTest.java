package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AssembledPageTest {
    private static final Duration FIRST_FLUSH = Duration.ofMillis(20);

    @Test
    void pageOfStoredFragmentsLeavesInOneBurstWithItsLength() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("fragment", "Cache-Control: max-age=60"));
            proxy.stored("/page", page("<p>" + include("/f").repeat(10) + "</p>"));
            var client = proxy.client();
            int timers = proxy.loop.timers;

            client.get("/page");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nContent-Length: 87\r\n")
                    .contains("\r\nVia: 1.1 quire\r\n")
                    .contains("\r\nCache-Control: no-cache\r\n")
                    .doesNotContain("Surrogate-", "Age:", "Transfer-Encoding", "Connection")
                    .endsWith("\r\n\r\n<p>" + "fragment".repeat(10) + "</p>");
            assertThat(client.bursts()).isEqualTo(1);
            assertThat(proxy.loop.timers).isEqualTo(timers);
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void largePartsThatASlowClientHoldsAreCountedOnceTheyHaveLeftTheStore() {
        try (var proxy = new OneThread()) {
            proxy.stored("/big", ok("x".repeat(100 * 1024), "Cache-Control: max-age=60"));
            proxy.stored("/page", page("<p>" + include("/big") + "</p>"));
            var client = proxy.client();
            client.stopTaking();

            client.get("/page");
            proxy.purge("/big");
            assertThat(proxy.transitBytes()).isGreaterThan(100 * 1024);
            client.takeAgain();

            assertThat(proxy.transitBytes()).isZero();
            assertThat(client.received()).endsWith("x</p>");
        }
    }

    @Test
    void largePartsAreLetGoWhenTheirSlowClientLeaves() {
        try (var proxy = new OneThread()) {
            proxy.stored("/big", ok("x".repeat(100 * 1024), "Cache-Control: max-age=60"));
            proxy.stored("/page", page("<p>" + include("/big") + include("/late") + "</p>"));
            var client = proxy.client();
            client.stopTaking();
            client.get("/page");
            proxy.pass(FIRST_FLUSH);
            proxy.purge("/big");

            client.hangUp();

            assertThat(proxy.transitBytes()).isZero();
        }
    }

    @Test
    void pipelinedPagesLeaveInOrderAndInOneBurst() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("f", "Cache-Control: max-age=60"));
            proxy.stored("/a", page("a" + include("/f")));
            proxy.stored("/b", page("b" + include("/f")));
            var client = proxy.client();

            client.send(request("GET", "/a") + request("GET", "/b") + request("GET", "/a"));

            assertThat(client.received())
                    .containsPattern("(?s)\r\n\r\naf.*\r\n\r\nbf.*\r\n\r\naf$");
            assertThat(client.bursts()).isEqualTo(1);
        }
    }

    @Test
    void nothingLeavesBeforeFirstFlushThenTheTextAndThenTheRestInOrder() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("one " + include("/a") + " two " + include("/b") + "."));
            proxy.asked();
            var client = proxy.client();

            client.get("/page");

            assertThat(proxy.asked()).containsExactly("/a", "/b");
            assertThat(client.received()).isEmpty();

            proxy.pass(FIRST_FLUSH);

            assertThat(client.received())
                    .contains("\r\nTransfer-Encoding: chunked\r\n")
                    .contains("\r\nCache-Control: private, no-cache\r\n")
                    .doesNotContain("Content-Length")
                    .endsWith("\r\n\r\n4\r\none \r\n");

            proxy.ask("/b").say(ok("B", "Cache-Control: max-age=60"));

            assertThat(client.received()).isEmpty();

            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60"));

            assertThat(client.received()).isEqualTo("8\r\nA two B.\r\n0\r\n\r\n");
        }
    }

    @Test
    void fragmentThatComesBeforeFirstFlushCostsNoSecondBurst() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("one " + include("/a")));
            var client = proxy.client();

            client.get("/page");
            proxy.pass(Duration.ofMillis(10));
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60"));

            assertThat(client.received())
                    .contains("\r\nContent-Length: 5\r\n")
                    .contains("\r\nCache-Control: no-cache\r\n")
                    .endsWith("\r\n\r\none A");
            assertThat(client.bursts()).isEqualTo(1);
            proxy.pass(FIRST_FLUSH);
            assertThat(client.received()).isEmpty();
        }
    }

    @Test
    void firstFlushOfZeroSendsTheTextAtOnce() {
        try (var proxy = new OneThread(new Rules().firstFlush(Duration.ZERO))) {
            proxy.stored("/page", page("one " + include("/a")));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received()).endsWith("\r\n\r\n4\r\none \r\n");
        }
    }

    @Test
    void pageThatAClientMayReuseWaitsForAllPartsAndGetsTheSmallestLifetime() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page("p" + include("/a") + include("/b"), "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.get("/page");
            proxy.pass(Duration.ofSeconds(1));

            assertThat(client.received()).isEmpty();

            // Their age counts from the time of the request.
            proxy.ask("/b").say(ok("B", "Cache-Control: max-age=7"));
            proxy.pass(Duration.ofSeconds(1));
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=30"));

            assertThat(client.received())
                    .contains("\r\nCache-Control: max-age=5\r\n")
                    .contains("\r\nContent-Length: 3\r\n")
                    .endsWith("pAB");
        }
    }

    @Test
    void lifetimeOfAReusablePageShrinksWithTheAgeOfItsParts() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=30"));
            proxy.stored("/page", page(include("/a"), "Cache-Control: max-age=60"));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received()).contains("\r\nCache-Control: max-age=10\r\n");
        }
    }

    @Test
    void privateFragmentMakesThePagePrivate() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("hello " + include("/me"), "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.get("/page", "Cookie: id=1");
            proxy.ask("/me").say(ok("you", "Cache-Control: private, max-age=9"));

            assertThat(proxy.ask("/me").text()).contains("\r\nCookie: id=1\r\n");
            assertThat(client.received())
                    .contains("\r\nCache-Control: private, max-age=9\r\n")
                    .endsWith("hello you");
            client.get("/page");
            assertThat(proxy.asked()).endsWith("/me");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"no-store | no-store", "private | private, no-cache"})
    void fragmentThatIsNotStoredLimitsWhatAClientMayKeep(String fragment, String expected) {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("hello " + include("/me"), "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/me").say(ok("you", "Cache-Control: " + fragment));

            assertThat(client.received())
                    .contains("\r\nCache-Control: " + expected + "\r\n")
                    .endsWith("hello you");
        }
    }

    @Test
    void headOfAReusablePageWhoseFragmentIsMissingPromisesNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("hello " + include("/a"), "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.send(request("HEAD", "/page"));

            assertThat(client.received()).contains("\r\nCache-Control: private, no-cache\r\n");
        }
    }

    @Test
    void fragmentThatClientsMustNotKeepMakesThePageNoStore() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", "Surrogate-Control: max-age=60", "Cache-Control: no-store"));
            proxy.stored("/page", page("p" + include("/a")));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .contains("\r\nCache-Control: no-store\r\n")
                    .endsWith("pA");
        }
    }

    @Test
    void failedFragmentIsLeftOutAndThePageNotStoredByClients() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f") + "b", "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(answer("500 Oops", "an error page"));

            assertThat(client.received())
                    .contains("\r\nCache-Control: no-store\r\n")
                    .endsWith("\r\n\r\nab");
            assertThat(proxy.last().trace().omissions()).isEqualTo(1);
            assertThat(proxy.metrics.scrape())
                    .contains("quire_fragments_total{outcome=\"error\"} 1.0");
        }
    }

    @Test
    void includeThatLeadsToNoRouteIsLeftOutAndNothingIsSent() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/page");

            proxy.ask("/page").say(page("a" + include("http://nowhere.test/x") + "b"));

            assertThat(client.received()).endsWith("\r\n\r\nab");
            assertThat(proxy.asked()).containsExactly("/page");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_denied_total{reason=\"denied\"} 1.0");
        }
    }

    @Test
    void fragmentsOfAnotherAuthorityGetNoCredentialsAndTheirOwnHost() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(include("http://partner.test/x")));
            var client = proxy.client();

            client.get(
                    "/page",
                    "Cookie: id=1",
                    "Authorization: Basic eA==",
                    "Client-Cert: :eA==:",
                    "X-Api-Key: 1",
                    "Accept-Language: ko",
                    "If-None-Match: \"x\"",
                    "Range: bytes=0-1");

            assertThat(proxy.ask("/x").text())
                    .startsWith("GET /x HTTP/1.1\r\n")
                    .contains("\r\nHost: partner.test\r\n", "\r\nAccept-Language: ko\r\n")
                    .doesNotContainIgnoringCase(
                            "cookie",
                            "authorization",
                            "client-cert",
                            "x-api-key",
                            "x-forwarded-for",
                            "if-none-match",
                            "range:",
                            "content-length");
        }
    }

    @Test
    void fragmentsOfAPostedPageAreAskedForWithoutItsBodyAndForm() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send(
                    request("POST", "/form", "Content-Length: 3", "Content-Type: text/plain")
                            + "a=1");
            proxy.ask("/form").say(page("posted " + include("/f")));

            assertThat(proxy.ask("/form").text()).endsWith("\r\n\r\na=1");
            assertThat(proxy.ask("/f").text())
                    .startsWith("GET /f HTTP/1.1\r\n")
                    .doesNotContainIgnoringCase("content-");
            proxy.ask("/f").say(ok("F", "Cache-Control: max-age=60"));
            assertThat(client.received()).endsWith("posted F");
        }
    }

    @Test
    void headOfAPageFetchesNoFragmentAndHasNoLength() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p" + include("/a"), "Cache-Control: max-age=60"));
            proxy.asked();
            var client = proxy.client();

            client.send(request("HEAD", "/page") + request("GET", "/page"));

            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nCache-Control: private, ")
                    .doesNotContain("Content-Length", "Transfer-Encoding")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void pageForAnOldClientIsDelimitedByTheEndOfTheConnection() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p" + include("/a")));
            var client = proxy.client();

            client.send("GET /page HTTP/1.0\r\nHost: news.test\r\nConnection: keep-alive\r\n\r\n");
            proxy.pass(FIRST_FLUSH);
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60"));

            assertThat(client.received())
                    .contains("\r\nConnection: close\r\n")
                    .doesNotContain("Transfer-Encoding", "Content-Length")
                    .endsWith("\r\n\r\npA");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void lateFragmentIsLeftOutAtItsTimeoutAndItsAlternativeHasATimeoutOfItsOwn() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page("<esi:include src=\"/slow\" alt=\"/other\"/>" + include("/slow2") + "."));
            proxy.asked();
            var client = proxy.client();
            client.get("/page");

            proxy.pass(OneThread.INCLUDE_TIMEOUT);

            assertThat(proxy.asked()).containsExactly("/slow", "/slow2", "/other");
            assertThat(proxy.ask("/slow").isClosed()).isTrue();

            proxy.pass(OneThread.INCLUDE_TIMEOUT);

            assertThat(client.received()).endsWith("1\r\n.\r\n0\r\n\r\n");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_fragments_total{outcome=\"timeout\"} 3.0");
        }
    }

    @Test
    void pageIsEndedAtItsDeadlineWithoutWhatIsMissing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f") + "b"));
            var client = proxy.client();
            client.get("/page");

            // A body that drips keeps within every timeout except that of the include.
            proxy.pass(Duration.ofSeconds(9));
            proxy.ask("/f").say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
            proxy.pass(Duration.ofSeconds(1));

            assertThat(client.received()).endsWith("1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
            proxy.pass(OneThread.PAGE_DEADLINE);
            assertThat(client.received()).isEmpty();
        }
    }

    @Test
    void clientThatLeavesTakesItsFragmentsWithIt() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f") + include("/g")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/f").say("HTTP/1.1 200 OK\r\nCache-Control: private\r\n\r\nhalf");

            client.hangUp();

            assertThat(proxy.ask("/f").isClosed()).isTrue();
            assertThat(proxy.ask("/g").isClosed()).isTrue();
            assertThat(proxy.open()).isZero();
            assertThat(proxy.waiting()).isZero();
        }
    }

    @Test
    void pageTheOriginDoesNotLetStoreIsStillAssembled() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/mine");
            proxy.ask("/mine")
                    .say(
                            ok(
                                    "m" + include("/f"),
                                    "Content-Type: text/html",
                                    "Surrogate-Control: no-store, content=\"ESI/1.0\"",
                                    "Set-Cookie: a=1"));
            proxy.ask("/f").say(ok("F", "Cache-Control: max-age=60"));

            assertThat(client.received())
                    .contains("\r\nSet-Cookie: a=1\r\n", "\r\nCache-Control: private, no-cache\r\n")
                    .endsWith("mF");
        }
    }
}
