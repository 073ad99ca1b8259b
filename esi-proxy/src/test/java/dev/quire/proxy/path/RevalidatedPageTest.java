package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Client;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The validator of an assembled page, and the fields that depend on all its parts. */
class RevalidatedPageTest {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final Pattern TAG = Pattern.compile("\r\nETag: (W/\"[0-9a-f]{32}\")\r\n");

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void clientThatHasThePageAlreadyIsTold304(String method) {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("fragment", FRESH));
            proxy.stored("/page", page(include("/f"), FRESH, "Content-Location: /page.html"));
            var client = proxy.client();
            client.get("/page");
            var tag = tagIn(client.received());
            proxy.pass(Duration.ofSeconds(5));

            client.send(request(method, "/page", "If-None-Match: \"other\", " + tag));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 304 Not Modified\r\n")
                    .contains("\r\nETag: " + tag + "\r\n")
                    .contains("\r\nCache-Control: max-age=55\r\n")
                    .contains("\r\nDate: Thu, 01 Jan 2026 12:00:05 GMT\r\n")
                    .contains("\r\nContent-Location: /page.html\r\n")
                    .doesNotContain("Content-Length", "Transfer-Encoding", "Surrogate-", "Age:")
                    .endsWith("\r\n\r\n");
            client.get("/page");
            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("fragment");
        }
    }

    @Test
    void changedFragmentIsNeverHiddenByA304() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("one", FRESH));
            proxy.stored("/page", page("<" + include("/f") + ">", "ETag: \"page\""));
            var client = proxy.client();
            client.get("/page");
            var first = tagIn(client.received());
            proxy.purge("/f");
            proxy.stored("/f", ok("two", FRESH));

            client.get("/page", "If-None-Match: " + first);

            var answer = client.received();
            assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith("<two>");
            assertThat(tagIn(answer)).isNotEqualTo(first);
        }
    }

    @Test
    void movedIncludeChangesTheTagThoughTheTextStays() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("-", FRESH));
            proxy.stored("/page", page("a" + include("/f") + "a"));
            var client = proxy.client();
            client.get("/page");
            var first = tagIn(client.received());
            proxy.purge("/page");
            proxy.stored("/page", page("aa" + include("/f")));

            client.get("/page", "If-None-Match: " + first);

            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("aa-");
        }
    }

    @Test
    void fragmentThatItsOriginConfirmsLeavesTheTagAsItIs() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/f", ok("one", "Cache-Control: max-age=1, must-revalidate", "ETag: \"f\""));
            proxy.stored("/page", page(include("/f")));
            var client = proxy.client();
            client.get("/page");
            var tag = tagIn(client.received());
            proxy.pass(Duration.ofSeconds(2));

            client.get("/page", "If-None-Match: " + tag);
            proxy.ask("/f").say("HTTP/1.1 304 Not Modified\r\nETag: \"f\"\r\n\r\n");

            assertThat(client.received()).startsWith("HTTP/1.1 304 ").contains(tag);
        }
    }

    @Test
    void validatorsOfTheDocumentNeitherLeaveNorCount() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("f", FRESH));
            proxy.stored(
                    "/page",
                    page(
                            include("/f"),
                            "ETag: \"page\"",
                            "Last-Modified: Thu, 01 Jan 2026 11:00:00 GMT"));
            var client = proxy.client();

            client.get("/page", "If-None-Match: \"page\"");
            var byTag = client.received();
            client.get("/page", "If-Modified-Since: Thu, 01 Jan 2026 12:00:00 GMT");
            var byTime = client.received();

            assertThat(byTag).startsWith("HTTP/1.1 200 ").doesNotContain("\"page\"", "Last-Mod");
            assertThat(byTime).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nf");
        }
    }

    @Test
    void pageWithAPartOfOneClientsOwnHasNoTag() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("hello " + include("/me"), FRESH));
            var client = proxy.client();

            client.get("/page", "If-None-Match: *");
            proxy.ask("/me").say(ok("you", "Cache-Control: private, max-age=9"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\r\nCache-Control: private, max-age=9\r\n")
                    .doesNotContain("ETag");
        }
    }

    @Test
    void pageThatLacksAFragmentHasNoTag() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f")));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(answer("500 Oops", ""));

            assertThat(client.received())
                    .contains("\r\nCache-Control: no-store\r\n")
                    .doesNotContain("ETag");
        }
    }

    @Test
    void pageWhoseHeadLeavesBeforeItsFragmentsHasNoTag() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f")));
            var client = proxy.client();

            client.get("/page");
            proxy.pass(Duration.ofMillis(20));
            proxy.ask("/f").say(ok("f", FRESH));

            assertThat(client.received()).doesNotContain("ETag").endsWith("f\r\n0\r\n\r\n");
        }
    }

    @Test
    void documentThatIsNotStoredHasNoTag() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/mine");
            proxy.ask("/mine")
                    .say(
                            ok(
                                    "mine",
                                    "Content-Type: text/html",
                                    "Surrogate-Control: no-store, content=\"ESI/1.0\""));

            assertThat(client.received())
                    .contains("\r\nCache-Control: private, no-cache\r\n")
                    .doesNotContain("ETag");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-store", "private"})
    void pageThatItsOriginKeepsFromSharedCachesHasNoTag(String cacheControl) {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p", "Cache-Control: " + cacheControl));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .contains("\r\nCache-Control: " + cacheControl)
                    .doesNotContain("ETag");
        }
    }

    @Test
    void errorPageThatIsAssembledHasNoTag() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/gone",
                    answer(
                            "410 Gone",
                            "gone",
                            "Content-Type: text/html",
                            "Surrogate-Control: max-age=60, content=\"ESI/1.0\""));
            var client = proxy.client();

            client.get("/gone", "If-None-Match: *");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 410 Gone\r\n")
                    .doesNotContain("ETag");
        }
    }

    @Test
    void headOfAPageHasTheTagOfThePageOnlyIfNothingIsMissing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p" + include("/f"), FRESH));
            var client = proxy.client();
            client.send(request("HEAD", "/page"));
            assertThat(client.received())
                    .contains("\r\nCache-Control: private, no-cache\r\n")
                    .doesNotContain("ETag");
            proxy.stored("/f", ok("f", FRESH));
            client.get("/page");
            var tag = tagIn(client.received());

            client.send(request("HEAD", "/page"));

            assertThat(client.received())
                    .contains("\r\nETag: " + tag + "\r\n", "\r\nCache-Control: max-age=60\r\n")
                    .doesNotContain("Content-Length")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void partOfAnAssembledPageIsNotToBeHad() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("0123456789", "Accept-Ranges: bytes"));
            var client = proxy.client();

            client.get("/page", "Range: bytes=2-3");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .doesNotContain("Accept-Ranges", "Content-Range")
                    .endsWith("\r\n\r\n0123456789");
        }
    }

    /** A client subtracts the age given by Date from max-age, which is the remaining lifetime. */
    @Test
    void assembledPageIsMadeNowHoweverOldItsPartsAre() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p", FRESH, "Date: Thu, 01 Jan 2026 11:59:50 GMT"));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .containsOnlyOnce("\r\nDate: ")
                    .contains("\r\nDate: Thu, 01 Jan 2026 12:00:20 GMT\r\n")
                    .doesNotContain("\r\nAge:");
        }
    }

    @Test
    void whatPicksAFragmentPicksThePage() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("f", FRESH, "Vary: Accept-Language, Cookie"));
            proxy.stored("/g", ok("g", FRESH, "Vary: accept-language"));
            proxy.stored("/page", page(include("/f") + include("/g"), FRESH, "Vary: Cookie"));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .contains("\r\nVary: Cookie, Accept-Encoding\r\n")
                    .containsOnlyOnce("\r\nVary: accept-language\r\n");
        }
    }

    @Test
    void fragmentInAnotherCharsetIsToldOfOnce() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("f", FRESH, "Content-Type: text/html; Charset=\"ISO-8859-1\""));
            proxy.stored("/g", ok("g", FRESH, "Content-Type: text/html;charset=UTF-8"));
            proxy.stored("/h", ok("h", FRESH, "Content-Type: text/html"));
            var all = include("/h") + include("/g") + include("/f") + include("/f");
            proxy.stored(
                    "/page",
                    page(all).replace("Type: text/html", "Type: text/html; charset=utf-8"));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received()).endsWith("hgff");
            assertThat(proxy.last().trace().fragments())
                    .singleElement()
                    .satisfies(fragment -> {
                        assertThat(fragment.url()).endsWith("/f");
                        assertThat(fragment.outcome()).isEqualTo("charset");
                        assertThat(fragment.error()).contains("iso-8859-1").contains("utf-8");
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyTrustedClientsAreToldHowManyFragmentsAreMissing(boolean isTrusted) {
        var rules = isTrusted ? new Rules().trustingClients() : new Rules();
        try (var proxy = new OneThread(rules)) {
            // Storing the page assembles it once, without waiting for its fragments.
            proxy.stored("/page", page("a" + include("http://nowhere.test/1") + include("/f")));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(answer("500 Oops", ""));

            assertThat(client.received().contains("\r\nX-ESI-Errors: 2\r\n")).isEqualTo(isTrusted);
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_errors_total{reason=\"denied\"} 2.0")
                    .contains("quire_esi_errors_total{reason=\"status\"} 1.0");
        }
    }

    @Test
    void oldClientThatHasThePageIsTold304AndAskedToStay() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("p"));
            var client = proxy.client();
            client.get("/page");
            var tag = tagIn(client.received());

            client.send(
                    "GET /page HTTP/1.0\r\nHost: news.test\r\nConnection: keep-alive\r\n"
                            + "If-None-Match: "
                            + tag
                            + "\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 304 ")
                    .contains("\r\nConnection: keep-alive\r\n");
            assertThat(client.isClosed()).isFalse();
            assertStillServes(client);
        }
    }

    private static void assertStillServes(Client client) {
        client.get("/page");
        assertThat(client.received()).endsWith("\r\n\r\np");
    }

    private static @Nullable String tagIn(String response) {
        var found = TAG.matcher(response);
        assertThat(found.find()).as("a weak entity tag in %s", response).isTrue();
        return found.group(1);
    }
}
