package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HEAD for a stale stored response, and the update by its response. */
@Tag("should")
class Rfc9111Section4_3_5Test {
    private static final String STORED = "Cache-Control: max-age=1, must-revalidate";
    private static final Duration STALE = Duration.ofSeconds(2);

    @Test
    void headForAStaleResponseGoesUpAsHeadWithItsValidators() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\""));
            proxy.pass(STALE);
            var client = proxy.client();

            client.send(request("HEAD", "/a", "If-None-Match: \"mine\"", "X-Mine: 1"));

            assertThat(proxy.ask("/a").text())
                    .startsWith("HEAD /a HTTP/1.1\r\n")
                    .contains("If-None-Match: \"1\"\r\n", "X-Mine: 1\r\n")
                    .doesNotContain("mine\"");
        }
    }

    @Test
    void headThatConfirmsRenewsFieldsAndFreshness() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\"", "X-Edition: first"));
            proxy.pass(STALE);
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a")
                    .say(
                            bare(
                                    "200 OK",
                                    "ETag: \"1\"",
                                    "Content-Length: 4",
                                    "Cache-Control: max-age=60",
                                    "X-Edition: second"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("X-Edition: second\r\n", "Content-Length: 4\r\n")
                    .endsWith("\r\n\r\n");
            proxy.asked();
            client.get("/a");
            assertThat(client.received()).contains("X-Edition: second\r\n").endsWith("body");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void notModifiedRenewsToo() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\""));
            proxy.pass(STALE);
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a")
                    .say(bare("304 Not Modified", "ETag: \"1\"", "Cache-Control: max-age=60"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n\r\n");
            proxy.asked();
            client.get("/a");
            assertThat(client.received()).endsWith("body");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ETag: \"2\"\r\nContent-Length: 4",
                "ETag: \"1\"\r\nContent-Length: 5",
                "Content-Length: 5"
            })
    void headThatDiffersDropsWhatIsStored(String fields) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a")
                    .say("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + fields + "\r\n\r\n");

            assertThat(client.received()).contains(fields.lines().toArray(String[]::new));
            client.get("/a");
            assertThat(proxy.ask("/a").text())
                    .startsWith("GET /a HTTP/1.1\r\n")
                    .doesNotContain("If-None-Match");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"404 Not Found", "302 Found", "403 Forbidden", "500 Oops"})
    void otherStatusesChangeNothing(String status) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\""));
            proxy.pass(STALE);
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a").say("HTTP/1.1 " + status + "\r\nContent-Length: 9\r\n\r\n");

            assertThat(client.received()).startsWith("HTTP/1.1 " + status + "\r\n");
            client.get("/a");
            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"\r\n");
        }
    }

    @Test
    void confirmationThatMayNotBeKeptDropsWhatIsStored() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\""));
            proxy.pass(STALE);
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a").say(bare("200 OK", "ETag: \"1\"", "Cache-Control: no-store"));

            assertThat(client.received()).contains("Cache-Control: no-store\r\n");
            client.get("/a");
            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
        }
    }

    @Test
    void confirmationWithACookieIsItsClientsOwnAndChangesNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", STORED, "ETag: \"1\""));
            proxy.pass(STALE);
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a")
                    .say(
                            bare(
                                    "200 OK",
                                    "ETag: \"1\"",
                                    "Cache-Control: max-age=60",
                                    "Set-Cookie: sid=1"));

            assertThat(client.received()).contains("Set-Cookie: sid=1\r\n");
            client.get("/a");
            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"\r\n");
        }
    }

    @Test
    void confirmedDocumentIsAssembledForTheNextReader() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("part", "Cache-Control: max-age=600"));
            proxy.stored("/page", page("<" + include("/f") + ">", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(80));
            var client = proxy.client();
            client.send(request("HEAD", "/page"));

            proxy.ask("/page")
                    .say(
                            bare(
                                    "200 OK",
                                    "ETag: \"1\"",
                                    "Content-Type: text/html",
                                    "Surrogate-Control: max-age=60, content=\"ESI/1.0\""));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .doesNotContain("Surrogate-Control");
            proxy.asked();
            client.get("/page");
            assertThat(client.received()).endsWith("<part>");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void answerToHeadIsNeverTheBodyOfAGet() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.send(request("HEAD", "/a"));
            proxy.ask("/a").say(bare("200 OK", "Cache-Control: max-age=60", "Content-Length: 4"));

            client.received();
            client.get("/a");
            proxy.ask("/a").say(ok("body", "Cache-Control: max-age=60"));

            assertThat(client.received()).endsWith("body");
        }
    }

    @Test
    void staleResponseStandsInForHeadToo() {
        var rules = new OneThread.Rules().staleIfError(Duration.ofMinutes(1));
        try (var proxy = new OneThread(rules)) {
            proxy.stored("/a", ok("body", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();
            client.send(request("HEAD", "/a"));

            proxy.ask("/a").say(answer("503 Service Unavailable", ""));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("Content-Length: 4\r\n");
        }
    }
}
