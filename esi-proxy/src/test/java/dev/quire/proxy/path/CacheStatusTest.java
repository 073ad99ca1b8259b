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

/** Cache-Status for trusted clients (RFC 9211). */
class CacheStatusTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void hitSaysWhatIsLeftOfItsLifetime() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("A", FRESH));
            proxy.pass(Duration.ofSeconds(9));
            var client = proxy.client();

            client.get("/a");

            assertThat(client.received())
                    .containsOnlyOnce("Cache-Status")
                    .contains("\r\nCache-Status: quire; hit; ttl=51\r\n");
            assertThat(client.bursts()).isEqualTo(1);
        }
    }

    @Test
    void staleHitSaysHowStaleItIs() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("A", FRESH));
            proxy.pass(Duration.ofSeconds(65));
            var client = proxy.client();

            client.get("/a");

            assertThat(client.received()).contains("\r\nCache-Status: quire; hit; ttl=-5\r\n");
        }
    }

    @Test
    void hitThatMayBePurgedElsewhereSaysSo() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("A", FRESH));
            proxy.cutOff();
            var client = proxy.client();

            client.get("/a").get("/a", "Quire-Debug: 1");

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; hit; ttl=60; detail=behind\r\n")
                    .contains("; detail=\"behind, ");
        }
    }

    @Test
    void strangersAreToldNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", FRESH));
            proxy.stored("/page", page("<" + include("/a") + ">"));
            var client = proxy.client();

            client.get("/a", "Quire-Debug: 1").get("/page").get("/b");
            proxy.ask("/b").say(ok("B", FRESH));

            assertThat(client.received()).contains("A", "<A>", "B").doesNotContain("Cache-Status");
        }
    }

    @Test
    void missSaysWhyAndThatTheAnswerIsStored() {
        try (var proxy = trusting()) {
            var first = proxy.client();
            var second = proxy.client();
            first.get("/a");
            second.get("/a");

            proxy.ask("/a").say(ok("A", FRESH));

            assertThat(first.received())
                    .contains("\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200; stored\r\n");
            assertThat(second.received())
                    .contains(
                            "\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200; stored;"
                                    + " collapsed\r\n");
        }
    }

    @Test
    void answerThatIsNotStoredDoesNotSayItWere() {
        try (var proxy = trusting()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(ok("A", "Cache-Control: no-store"));
            client.get("/a");
            proxy.ask("/a").say(ok("A", "Cache-Control: no-store"));

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200\r\n")
                    .contains("\r\nCache-Status: quire; fwd=miss; fwd-status=200\r\n");
        }
    }

    @Test
    void otherVariantIsAMissByVary() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("A", FRESH, "Vary: Accept-Language"));
            var client = proxy.client();
            client.get("/a", "Accept-Language: ko");

            proxy.ask("/a").say(ok("B", FRESH, "Vary: Accept-Language"));

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; fwd=vary-miss; fwd-status=200; stored\r\n");
        }
    }

    @Test
    void validatedAnswerSaysWhatTheOriginSaid() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nCache-Status: quire; fwd=stale; fwd-status=304; stored\r\n");
        }
    }

    @Test
    void staleThatStandsInSaysForWhat() {
        try (var proxy =
                new OneThread(new Rules().trustingClients().staleIfError(Duration.ofMinutes(10)))) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1"));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(answer("503 Busy", "sorry"));
            client.get("/a");
            proxy.ask("/a").close();
            proxy.ask("/a").close();

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; fwd=stale; fwd-status=503; ttl=-19\r\n")
                    .contains("\r\nCache-Status: quire; fwd=stale; ttl=-19\r\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, Accept: */*, method",
        "GET, If-Match: \"1\", bypass",
        "HEAD, Accept: */*, miss",
    })
    void passSaysWhy(String method, String line, String reason) {
        try (var proxy = trusting()) {
            var client = proxy.client();
            client.send(request(method, "/a", line));

            proxy.ask("/a").say("HTTP/1.1 204 No Content\r\n\r\n");

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; fwd=" + reason + "; fwd-status=204\r\n");
        }
    }

    @Test
    void ourMemberStandsBehindThoseOfTheOriginsSide() {
        try (var proxy = trusting()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say(ok("A", FRESH, "Cache-Status: cdn; hit; ttl=9"));
            client.get("/a");

            assertThat(client.received())
                    .contains(
                            "\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200; stored\r\n",
                            "\r\nCache-Status: quire; hit; ttl=60\r\n")
                    .containsPattern(
                            "(?s)Cache-Status: cdn; hit; ttl=9\r\n.*Cache-Status: quire; fwd"
                                    + ".*Cache-Status: cdn; hit; ttl=9\r\n.*Cache-Status: quire;"
                                    + " hit");
        }
    }

    @Test
    void pageSpeaksOfItsOwnDocument() {
        try (var proxy = trusting()) {
            proxy.stored("/page", page("<" + include("/me") + ">"));
            proxy.pass(Duration.ofSeconds(10));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/me").say(ok("me", "Cache-Control: private"));
            proxy.pass(Duration.ofSeconds(1));
            client.get("/other");
            proxy.ask("/other").say(page("plain"));

            assertThat(client.received())
                    .contains("\r\nCache-Status: quire; hit; ttl=50\r\n")
                    .contains("\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200; stored\r\n");
        }
    }

    @Test
    void everyAnswerOutOfTheStoreSaysSo() {
        try (var proxy = trusting()) {
            proxy.stored("/a", ok("0123456789", FRESH, "ETag: \"1\""));
            var client = proxy.client();

            client.get("/a", "If-None-Match: \"1\"")
                    .get("/a", "Range: bytes=1-2")
                    .get("/a", "Range: bytes=99-")
                    .send(request("HEAD", "/a"));

            assertThat(client.received().split("Cache-Status: quire; hit; ttl=60\r\n", -1))
                    .hasSize(5);
        }
    }

    @Test
    void keyAndReasonAreSaidToThoseWhoAsk() {
        try (var proxy = trusting()) {
            proxy.stored("/a?q=\"", ok("A", FRESH));
            var client = proxy.client();

            client.get("/a?q=\"", "Quire-Debug: 1").get("/b", "Quire-Debug: 1");
            proxy.ask("/b").say(ok("B", "Cache-Control: private"));

            assertThat(client.received())
                    .contains(
                            "\r\nCache-Status: quire; hit; ttl=60;"
                                    + " key=\"http://news.test/a?q=\\\"\"; detail=\"fresh\"\r\n")
                    .contains(
                            "\r\nCache-Status: quire; fwd=uri-miss; fwd-status=200;"
                                    + " key=\"http://news.test/b\"; detail=\"uri-miss\"\r\n");
        }
    }

    @Test
    void answersOfOurOwnAndInterimOnesSayNothing() {
        try (var proxy = trusting()) {
            var client = proxy.client();

            client.send("OPTIONS * HTTP/1.1\r\nHost: news.test\r\n\r\n")
                    .send("GET / HTTP/1.1\r\nHost: unknown.test\r\n\r\n")
                    .get("/a");
            proxy.ask("/a").say("HTTP/1.1 102 Processing\r\nX-Any: 1\r\n\r\n").close();

            assertThat(client.received())
                    .contains("204 No Content", "421 Misdirected", "102 Processing", "502 Bad")
                    .doesNotContain("Cache-Status");
        }
    }

    private static OneThread trusting() {
        return new OneThread(new Rules().trustingClients());
    }
}
