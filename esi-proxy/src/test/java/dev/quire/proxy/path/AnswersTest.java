package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are not assembled: stored ones, those that flow past, and our own. */
class AnswersTest {

    @Test
    void storedResponseHasItsLengthItsAgeAndOurName() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/a",
                    ok(
                            "body",
                            "Surrogate-Control: max-age=60",
                            "Surrogate-Key: x",
                            "Vary: Accept-Encoding, Surrogate-Capability",
                            "Cache-Control: max-age=9"));
            proxy.pass(Duration.ofSeconds(3));
            var client = proxy.client();

            client.get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nAge: 3\r\n")
                    .contains("\r\nVia: 1.1 quire\r\n")
                    .contains("\r\nVary: Accept-Encoding\r\n")
                    .contains("\r\nCache-Control: max-age=9\r\n")
                    .contains("\r\nContent-Length: 4\r\n")
                    .doesNotContain("Surrogate-")
                    .endsWith("\r\n\r\nbody");
            assertThat(client.bursts()).isEqualTo(1);
            assertThat(proxy.last().response().bodyBytes()).isEqualTo(4);
        }
    }

    @Test
    void validatedCopyOfAClientGets304WithoutTraceOfSurrogates() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/a",
                    ok(
                            "body",
                            "ETag: \"1\"",
                            "Cache-Control: max-age=9",
                            "Vary: Surrogate-Capability",
                            "Surrogate-Key: x"));
            var client = proxy.client();

            client.get("/a", "If-None-Match: \"1\"").get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 304 Not Modified\r\n")
                    .contains("\r\nETag: \"1\"\r\n", "\r\nVia: 1.1 quire\r\n")
                    .doesNotContain("Surrogate", "Vary")
                    .endsWith("\r\n\r\nbody");
        }
    }

    @Test
    void headOfAStoredResponseHasTheLengthAndNoBody() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=9"));
            var client = proxy.client();

            client.send(request("HEAD", "/a"));

            assertThat(client.received())
                    .contains("\r\nContent-Length: 4\r\n")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void responseThatIsNotStoredFlowsAsItComes() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\nfirst");

            assertThat(client.received())
                    .contains("\r\nTransfer-Encoding: chunked\r\n")
                    .containsPattern("\r\nDate: [A-Z][a-z]{2}, \\d{2} .* GMT\r\n")
                    .endsWith("\r\n\r\n5\r\nfirst\r\n");

            proxy.ask("/a").say(" last").close();

            assertThat(client.received()).isEqualTo("5\r\n last\r\n0\r\n\r\n");
            assertThat(client.isClosed()).isFalse();
            assertThat(proxy.metrics.scrape())
                    .contains(
                            "quire_origin_requests_seconds_count{origin=\"news\",status=\"2xx\"} 1");
        }
    }

    @Test
    void statusWithoutBodyHasNoFraming() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/a");
            proxy.ask("/a").say("HTTP/1.1 204 No Content\r\n\r\n");
            client.get("/b", "If-Match: \"1\"");
            proxy.ask("/b").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");

            assertThat(client.received())
                    .contains("HTTP/1.1 204 No Content\r\n", "HTTP/1.1 304 Not Modified\r\n")
                    .doesNotContain("Content-Length", "Transfer-Encoding")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void bodyThatBreaksOffBehindUsIsCutForTheClient() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a")
                    .say(
                            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nCache-Control: no-store\r\n\r\nab");

            proxy.ask("/a").close();

            assertThat(client.received()).endsWith("\r\n\r\nab");
            assertThat(client.isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
            assertThat(proxy.metrics.scrape())
                    .contains(
                            "quire_origin_requests_seconds_count{origin=\"news\",status=\"none\"} 1");
        }
    }

    @Test
    void originThatGivesNothingIs502AndTheErrorPageIsCounted() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").close();

            var page = client.received();
            assertThat(page)
                    .startsWith("HTTP/1.1 502 Bad Gateway\r\n")
                    .contains("\r\nDate: Thu, 01 Jan 2026 12:00:00 GMT\r\n")
                    .contains("\r\nCache-Control: no-store\r\n");
            var length = page.length() - page.indexOf("\r\n\r\n") - 4;
            assertThat(proxy.last().response().bodyBytes()).isEqualTo(length);
            assertThat(client.isClosed()).isFalse();
        }
    }

    @Test
    void requestLostOnAKeptConnectionIsSentOnceMoreAndCounted() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=60"));
            var client = proxy.client();
            client.get("/b");

            proxy.ask("/b").close();
            proxy.ask("/b").say(ok("B", "Cache-Control: no-store"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("B");
            assertThat(proxy.asked()).containsExactly("/b", "/b");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_origin_retries_total{origin=\"news\"} 1.0");
        }
    }

    /** RFC 9110 §6.6.1: a server that has a clock says what it shows. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "204 No Content          | OPTIONS * HTTP/1.1, Host: news.test",
                "421 Misdirected Request | GET / HTTP/1.1, Host: nobody.test",
                "404 Not Found           | GET / HTTP/1.1, Host: narrow.test",
                "405 Method Not Allowed  | TRACE / HTTP/1.1, Host: news.test",
                "400 Bad Request         | GET / HTTP/1.1, Host: a, Host: b",
            })
    void answerOfOurOwnHasADate(String status, String request) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            proxy.pass(Duration.ofSeconds(3));

            client.send(request.replace(", ", "\r\n") + "\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 " + status + "\r\n")
                    .containsOnlyOnce("\r\nDate: ")
                    .contains("\r\nDate: Thu, 01 Jan 2026 12:00:03 GMT\r\n");
        }
    }

    @Test
    void originThatIsSilentIs504() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.pass(Duration.ofSeconds(15));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 504 Gateway Timeout\r\n")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void staleResponseStandsInForAnErrorAndTheErrorIsStillCounted() {
        try (var proxy = new OneThread(new Rules().staleIfError(Duration.ofMinutes(10)))) {
            proxy.stored("/a", ok("old", "Cache-Control: max-age=1"));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a").say(answer("503 Busy", "sorry"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("old");
            assertThat(proxy.metrics.scrape())
                    .contains(
                            "quire_origin_requests_seconds_count{origin=\"news\",status=\"5xx\"} 1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "POST"})
    void whatIsStoredNeitherAnswersOtherMethodsNorSpeaksOfThem(String method) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=9"));
            proxy.stored("/b", ok("body", "Cache-Control: max-age=9, must-revalidate"));
            var client = proxy.client();

            client.send(request(method, "/a"));
            proxy.questions().forEach(OneThread.Asked::close);
            proxy.questions().forEach(OneThread.Asked::close);
            assertThat(client.received()).startsWith("HTTP/1.1 502 ");

            client.send(request(method, "/b"));
            proxy.questions().forEach(OneThread.Asked::close);
            proxy.questions().forEach(OneThread.Asked::close);
            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
        }
    }

    @Test
    void unknownHostsAndPathsAreToldApart() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send("GET / HTTP/1.1\r\nHost: other.test\r\n\r\n");
            client.send("GET /there HTTP/1.1\r\nHost: narrow.test\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 421 Misdirected Request\r\n")
                    .contains("HTTP/1.1 404 Not Found\r\n");
        }
    }

    @Test
    void optionsOfTheServerAreAnsweredHere() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.send("OPTIONS * HTTP/1.1\r\nHost: news.test\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 204 No Content\r\n")
                    .contains("\r\nAllow: GET, ")
                    .doesNotContain("Content-Length")
                    .endsWith("\r\n\r\n");
            assertThat(client.isClosed()).isFalse();
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void interimResponseReachesOnlyClientsThatKnowThem() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            var old = proxy.client();
            client.get("/a");
            old.send("GET /b HTTP/1.0\r\nHost: news.test\r\n\r\n");

            proxy.ask("/a").say("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n");
            proxy.ask("/b").say("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n");

            assertThat(client.received())
                    .isEqualTo("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n");
            assertThat(old.received()).isEmpty();
        }
    }

    @Test
    void interimResponseIsNeitherStoredNorPartOfTheFinalOne() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a")
                    .say("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\nX-Hint: 1\r\n\r\n")
                    .say(ok("A", "Cache-Control: max-age=60"));

            assertThat(client.received())
                    .containsOnlyOnce("X-Hint")
                    .contains("\r\nHTTP/1.1 200 OK\r\n");

            client.get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .doesNotContain("X-Hint", "Link")
                    .endsWith("\r\n\r\nA");
        }
    }

    @Test
    void clientWhoseCopyIsTheOneFetchedGets304WhileItIsStored() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            var other = proxy.client();
            client.get("/a", "If-None-Match: \"1\"");
            other.get("/a");
            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");

            proxy.ask("/a")
                    .say(
                            "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAge: 7\r\nCache-Control: max-age=60"
                                    + "\r\nCDN-Cache-Control: max-age=90\r\nContent-Length: 4"
                                    + "\r\n\r\nbo");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 304 Not Modified\r\n")
                    .contains("\r\nETag: \"1\"\r\n", "\r\nAge: 7\r\n", "\r\nDate: ")
                    .contains("\r\nCDN-Cache-Control: max-age=90\r\n")
                    .doesNotContain("Content-Length")
                    .endsWith("\r\n\r\n");
            client.get("/b");
            proxy.ask("/b").say(ok("B", "Cache-Control: max-age=60"));
            assertThat(client.received()).endsWith("\r\n\r\nB");

            proxy.ask("/a").say("dy");
            client.get("/a");

            assertThat(other.received()).endsWith("\r\n\r\nbody");
            assertThat(client.received()).endsWith("\r\n\r\nbody");
        }
    }

    @Test
    void clientWhoseCopyIsTheOneThatIsNotStoredGetsItAll() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a", "If-None-Match: \"1\"");

            proxy.ask("/a").say(ok("body", "ETag: \"1\"", "Cache-Control: private"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\nbody");
        }
    }

    @Test
    void staleIsValidatedByOurValidatorAndThenTheClientsConditionIsJudged() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.get("/a", "If-None-Match: \"0\"");

            assertThat(proxy.ask("/a").text())
                    .contains("\r\nIf-None-Match: \"1\"\r\n")
                    .doesNotContain("\"0\"");

            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\nbody");
        }
    }

    @Test
    void faultOfOursIs500AndTheConnectionServesOn() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=60"));
            var client = proxy.client();
            proxy.isClockBroken = true;
            client.get("/a");
            proxy.isClockBroken = false;

            assertThat(client.received()).startsWith("HTTP/1.1 500 Internal Server Error\r\n");

            client.get("/a");

            assertThat(client.received()).endsWith("A");
            assertThat(proxy.finished).hasSize(2);
        }
    }

    @Test
    void faultOfOursInATimerIs500AndTheConnectionServesOn() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/page").say(OneThread.page("a<esi:include src='/late'/>"));
            proxy.isClockBroken = true;
            proxy.pass(Duration.ofMillis(20));
            proxy.isClockBroken = false;

            assertThat(client.received()).startsWith("HTTP/1.1 500 Internal Server Error\r\n");
            assertThat(proxy.finished).hasSize(1);

            client.get("/b");
            proxy.ask("/b").say(ok("B"));

            assertThat(client.received()).endsWith("B");
        }
    }

    @Test
    void faultOfOursWhileTheOriginAnswersIs500Too() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.isClockBroken = true;
            proxy.ask("/a").say(ok("A", "Cache-Control: max-age=60"));
            proxy.isClockBroken = false;

            assertThat(client.received()).startsWith("HTTP/1.1 500 Internal Server Error\r\n");
            assertThat(proxy.finished).hasSize(1);
        }
    }

    @Test
    void slowClientSlowsTheOriginAndGetsEverything() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a")
                    .say(
                            "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\nCache-Control: no-store"
                                    + "\r\n\r\n");
            client.received();
            client.stopTaking();
            proxy.ask("/a").say("x".repeat(100_000));
            proxy.ask("/a").say("y".repeat(200_000));

            assertThat(client.received()).isEmpty();
            assertThat(proxy.heldBack()).isEqualTo(1);

            client.takeAgain();

            assertThat(client.received()).isEqualTo("x".repeat(100_000) + "y".repeat(200_000));
        }
    }

    @Test
    void clientThatLeavesEndsWhatFlowsToIt() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");
            proxy.ask("/a").say("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\nab");

            client.hangUp();

            assertThat(proxy.ask("/a").isClosed()).isTrue();
            assertThat(proxy.finished).hasSize(1);
        }
    }

    @Test
    void clientThatJoinedAnotherVariantFetchesAloneAndCanStillLeave() {
        try (var proxy = new OneThread()) {
            var korean = proxy.client();
            korean.get("/a", "Accept-Language: ko");
            proxy.ask("/a")
                    .say(
                            "HTTP/1.1 200 OK\r\nCache-Control: max-age=9\r\nVary: Accept-Language"
                                    + "\r\nContent-Length: 2\r\n\r\nk");
            proxy.asked();
            var french = proxy.client();

            french.get("/a", "Accept-Language: fr");

            assertThat(proxy.asked()).containsExactly("/a");
            var second = proxy.ask("/a");
            french.hangUp();
            assertThat(second.isClosed()).isTrue();
            assertThat(second.text()).contains("Accept-Language: fr");
        }
    }
}
