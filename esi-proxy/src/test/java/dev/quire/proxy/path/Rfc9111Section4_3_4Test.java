package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Client;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates of stored responses by a 304, and their limits. */
@Tag("must")
class Rfc9111Section4_3_4Test {
    private static final String STORED = "Cache-Control: max-age=1, must-revalidate";
    private static final String FRESH = "Cache-Control: max-age=60";

    @Test
    void requestKeepsTheClientsFieldsButNotItsConditionsAndRange() {
        try (var proxy = new OneThread()) {
            var client =
                    stale(
                            proxy,
                            ok(
                                    "body",
                                    STORED,
                                    "ETag: W/\"1\"",
                                    "Last-Modified: Thursday, 01-Jan-26 11:30:00 GMT",
                                    "Vary: X-Mine"));

            client.get(
                    "/a",
                    "X-Mine: 1",
                    "If-None-Match: \"mine\"",
                    "If-Modified-Since: Thu, 01 Jan 2026 11:00:00 GMT",
                    "If-Range: \"mine\"",
                    "Range: bytes=0-1");

            assertThat(proxy.ask("/a").text())
                    .contains("X-Mine: 1\r\n")
                    .doesNotContain("mine\"", "Range", "11:00:00");
        }
    }

    @Test
    void validatorsGoUpExactlyAsTheyCame() {
        try (var proxy = new OneThread()) {
            var client =
                    stale(
                            proxy,
                            ok(
                                    "body",
                                    STORED,
                                    "ETag: W/\"1\"",
                                    "Last-Modified: Thursday, 01-Jan-26 11:30:00 GMT"));

            client.get("/a");

            assertThat(proxy.ask("/a").text())
                    .contains(
                            "If-None-Match: W/\"1\"\r\n",
                            "If-Modified-Since: Thursday, 01-Jan-26 11:30:00 GMT\r\n");
        }
    }

    @Test
    void answerAndLaterReusesShowTheUpdatedFields() {
        try (var proxy = new OneThread()) {
            var client =
                    stale(
                            proxy,
                            ok("body", STORED, "ETag: \"1\"", "X-Old: 1", "Content-Type: a/b"));
            client.get("/a");

            proxy.ask("/a")
                    .say(
                            bare(
                                    "304 Not Modified",
                                    "Cache-Control: max-age=60",
                                    "Content-Type: c/d",
                                    "Content-Length: 99",
                                    "X-New: 1",
                                    "X-New: 2"));

            var first = client.received();
            client.get("/a");
            for (var each : new String[] {first, client.received()}) {
                assertThat(each)
                        .contains(
                                "Cache-Control: max-age=60\r\n",
                                "Content-Type: c/d\r\n",
                                "X-Old: 1\r\n",
                                "X-New: 1\r\nX-New: 2\r\n",
                                "Content-Length: 4\r\n")
                        .doesNotContain("a/b")
                        .endsWith("body");
            }
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void unlikeStrongTagUpdatesNothingAndIsAskedAgainWithoutConditions() {
        try (var proxy = new OneThread()) {
            var client = stale(proxy, ok("old", STORED, "ETag: \"1\"", "X-Edition: first"));
            client.get("/a");

            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"2\"", "X-Edition: 2"));

            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
            proxy.ask("/a").say(ok("new", FRESH, "ETag: \"2\""));
            assertThat(client.received()).contains("ETag: \"2\"\r\n").endsWith("new");
        }
    }

    @Test
    void secondNotModifiedNobodyAskedForIsAFaultOfTheOrigin() {
        try (var proxy = new OneThread()) {
            var client = stale(proxy, ok("old", STORED, "ETag: \"1\""));
            client.get("/a");
            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"2\""));

            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"2\""));

            assertThat(client.received()).startsWith("HTTP/1.1 504 ");
            assertThat(proxy.asked()).containsExactly("/a", "/a");
        }
    }

    @Test
    void notModifiedThoughNothingIsStoredIsPassedOnAndNotStored() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a", "If-None-Match: \"mine\"");

            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"mine\""));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 304 Not Modified\r\n")
                    .endsWith("\r\n\r\n");
            proxy.asked();
            client.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void notModifiedThatBringsACookieIsAskedAgainAndNothingOfItIsStored() {
        try (var proxy = new OneThread()) {
            var client = stale(proxy, ok("old", STORED, "ETag: \"1\""));
            client.get("/a");

            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"1\"", "Set-Cookie: a=1"));
            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
            proxy.ask("/a").say(ok("mine", FRESH, "Set-Cookie: a=2"));

            assertThat(client.received()).contains("Set-Cookie: a=2\r\n").endsWith("mine");
            client.get("/a");
            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
            proxy.ask("/a").say(ok("ours", FRESH));
            assertThat(client.received()).doesNotContain("Set-Cookie").endsWith("ours");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/plain",
                "Content-Type: text/html; charset=utf-8",
                "Content-Encoding: br",
                "Surrogate-Control: max-age=60"
            })
    void documentIsNotServedAsParsedUnderOtherLabels(String label) {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("part", "Cache-Control: max-age=600"));
            var client = stale(proxy, page("<" + include("/f") + ">", "ETag: \"1\""));
            client.get("/a");

            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\n" + label + "\r\n\r\n");

            assertThat(proxy.ask("/a").text())
                    .startsWith("GET /a ")
                    .doesNotContain("If-None-Match");
            proxy.ask("/a").say(ok("again", FRESH));
            assertThat(client.received()).endsWith("again");
        }
    }

    @Test
    void pageThatWasNoneDoesNotBecomeADocumentByA304() {
        try (var proxy = new OneThread()) {
            var text = "<esi:include src='/f'/>";
            var client = stale(proxy, ok(text, STORED, "ETag: \"1\"", "Content-Type: text/html"));
            client.get("/a");

            proxy.ask("/a").say(bare("304 Not Modified", "Surrogate-Control: content=\"ESI/1.0\""));

            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
            proxy.ask("/a").say(ok("again", FRESH));
            assertThat(client.received()).endsWith("again");
        }
    }

    @Test
    void documentThatIsConfirmedAsItIsNeedsNoParsing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("part", "Cache-Control: max-age=600"));
            var client = stale(proxy, page("<" + include("/f") + ">", "ETag: \"1\""));
            client.get("/a");

            proxy.ask("/a").say(bare("304 Not Modified", "Content-Type: text/html"));

            assertThat(client.received()).endsWith("<part>");
        }
    }

    @Test
    void errorInPlaceOfAValidationIsPassedAndRemovesNothing() {
        try (var proxy = new OneThread()) {
            var client = stale(proxy, ok("old", STORED, "ETag: \"1\""));
            client.get("/a");

            proxy.ask("/a").say(answer("500 Oops", "broken"));

            assertThat(client.received()).startsWith("HTTP/1.1 500 ").endsWith("broken");
            client.get("/a");
            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"\r\n");
        }
    }

    @Test
    void answerThatMayNotBeStoredTakesTheOldOneWithIt() {
        try (var proxy = new OneThread()) {
            var client = stale(proxy, ok("old", STORED, "ETag: \"1\""));
            client.get("/a");
            proxy.ask("/a").say(ok("mine", "Cache-Control: private"));

            client.get("/a");

            assertThat(proxy.ask("/a").text()).doesNotContain("If-None-Match");
        }
    }

    /** A request for {@code /a}, whose stored response is stale and beyond its grace. */
    private static Client stale(OneThread proxy, String response) {
        proxy.stored("/a", response);
        proxy.pass(Duration.ofSeconds(80));
        return proxy.client();
    }
}
