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

/** Pages that may still become another response: nothing is sent before they are complete. */
class BufferedPageTest {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String NEEDED = "<esi:include src=\"/f\" onerror=\"fail\"/>";
    private static final String PRIMARY = "<esi:include src=\"/f\" primary=\"true\"/>";

    @Test
    void pageThatNeedsAFragmentWaitsForItPastTheFirstFlush() {
        try (var proxy = new OneThread(new Rules().firstFlush(Duration.ZERO))) {
            proxy.stored("/page", page("a" + NEEDED + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.pass(Duration.ofSeconds(1));
            assertThat(client.received()).isEmpty();
            proxy.ask("/f").say(ok("F", FRESH));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nContent-Length: 3\r\n", "\r\nCache-Control: no-cache\r\n")
                    .contains("\r\nETag: W/\"")
                    .endsWith("\r\n\r\naFb");
            assertThat(client.bursts()).isEqualTo(1);
        }
    }

    @Test
    void pageThatNeedsAFragmentIs502WithoutItAndNothingOfItLeaves() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + NEEDED + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(answer("500 Oops", "an error page"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 502 Bad Gateway\r\n")
                    .contains("\r\nCache-Control: no-store\r\n")
                    .doesNotContain("an error page", "ETag");
            assertThat(proxy.last().trace().outcome()).isEqualTo("error");
            assertThat(proxy.last().trace().reason()).contains("/f responded with status 500");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_errors_total{reason=\"status\"} 1.0");
            client.get("/page");
            proxy.ask("/f").say(ok("F", FRESH));
            assertThat(client.received()).endsWith("\r\n\r\naFb");
        }
    }

    @Test
    void pageThatNeedsAFragmentIs504WhenThatIsLate() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + NEEDED + "b"));
            var client = proxy.client();
            client.get("/page");

            proxy.pass(OneThread.INCLUDE_TIMEOUT);

            assertThat(client.received()).startsWith("HTTP/1.1 504 Gateway Timeout\r\n");
        }
    }

    @Test
    void failedFragmentOfAnotherTakesThePageWithItOnlyIfBothAreNeeded() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", page("f" + "<esi:include src=\"/g\" onerror=\"fail\"/>"));
            proxy.stored("/strict", page("a" + NEEDED));
            proxy.stored("/lenient", page("a" + include("/f")));
            var client = proxy.client();

            client.get("/strict");
            proxy.ask("/g").say(answer("500 Oops", ""));
            var strict = client.received();
            client.get("/lenient");
            proxy.ask("/g").say(answer("500 Oops", ""));
            proxy.pass(Duration.ofSeconds(1));

            assertThat(strict).startsWith("HTTP/1.1 502 ");
            assertThat(client.received()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\na");
        }
    }

    @Test
    void operatorMayMakeEveryFragmentNeeded() {
        try (var proxy = new OneThread(new Rules().failingOnError())) {
            proxy.stored("/page", page("a" + include("/f") + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.pass(Duration.ofSeconds(1));
            assertThat(client.received()).isEmpty();
            proxy.ask("/f").close();

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 OK | 200 | aFb | no-cache",
                "201 Created | 201 | aFb | no-cache",
                "404 Not Found | 404 | ab | no-store",
                "503 Busy | 503 | ab | no-store"
            })
    void statusOfThePrimaryFragmentIsThatOfThePage(
            String fragment, int status, String text, String cacheControl) {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + PRIMARY + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(answer(fragment, "F", FRESH));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("\r\nCache-Control: " + cacheControl + "\r\n")
                    .contains("\r\nContent-Length: " + text.length() + "\r\n")
                    .endsWith("\r\n\r\n" + text);
        }
    }

    @Test
    void pageWhosePrimaryFragmentGivesNoAnswerIs502() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + PRIMARY + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say("nonsense\r\n\r\n");

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
        }
    }

    @Test
    void functionSetsStatusFieldsAndText() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page(
                            "<esi:vars>a$add_header('X-Group', 'sport')"
                                    + "$set_response_code(410, 'gone for good')b</esi:vars>"));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 410 Gone\r\n")
                    .contains("\r\nX-Group: sport\r\n", "\r\nCache-Control: no-store\r\n")
                    .contains("\r\nContent-Length: 13\r\n")
                    .endsWith("\r\n\r\ngone for good");
        }
    }

    @Test
    void functionRedirects() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("<esi:vars>$set_redirect('/new?a=1')</esi:vars>"));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 302 Found\r\n")
                    .contains("\r\nLocation: /new?a=1\r\n");
        }
    }

    @Test
    void requestCannotPutLinesIntoTheHead() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            proxy.stored(
                    "/page",
                    page(
                            "<esi:vars>a$add_header('X-Q', $url_decode($(QUERY_STRING{q})))"
                                    + "</esi:vars>"));
            proxy.stored(
                    "/page?q=x%0d%0aSet-Cookie:%20id=1",
                    page(
                            "<esi:vars>a$add_header('X-Q', $url_decode($(QUERY_STRING{q})))"
                                    + "</esi:vars>"));
            var client = proxy.client();

            client.get("/page?q=x%0d%0aSet-Cookie:%20id=1");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nX-ESI-Errors: 1\r\n")
                    .doesNotContain("X-Q", "Set-Cookie")
                    .endsWith("\r\n\r\na");
            assertThat(proxy.metrics.scrape()).containsPattern("quire_esi_problems_total [1-9]");
        }
    }

    @Test
    void headOfAHeldPageFetchesNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page", page("a" + NEEDED + "<esi:vars>$set_response_code(404)</esi:vars>"));
            proxy.asked();
            var client = proxy.client();

            client.send(request("HEAD", "/page"));

            assertThat(proxy.asked()).isEmpty();
            assertThat(client.received())
                    .startsWith("HTTP/1.1 404 Not Found\r\n")
                    .doesNotContain("Content-Length", "Transfer-Encoding", "ETag")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void clientThatLeavesTakesAHeldPageWithIt() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("f", FRESH));
            proxy.stored("/page", page(include("/f") + include("/g") + NEEDED + include("/h")));
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/g").say(ok("g", "Cache-Control: private"));

            client.hangUp();

            assertThat(proxy.ask("/h").isClosed()).isTrue();
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void branchThatTheAddressDecidesHasATagOfItsOwn() {
        var document =
                "<esi:choose><esi:when test=\"$(QUERY_STRING{a})=='1'\">one</esi:when>"
                        + "<esi:otherwise>two</esi:otherwise></esi:choose>";
        try (var proxy = new OneThread()) {
            proxy.stored("/page?a=1", page(document, FRESH));
            proxy.stored("/page?a=2", page(document, FRESH));
            var client = proxy.client();
            client.get("/page?a=1");
            var one = client.received();
            var tag = one.replaceFirst("(?s).*\r\nETag: (W/\"[0-9a-f]{32}\")\r\n.*", "$1");

            client.get("/page?a=1", "If-None-Match: " + tag);
            var again = client.received();
            client.get("/page?a=2", "If-None-Match: " + tag);

            assertThat(one).contains("\r\nCache-Control: max-age=60\r\n").endsWith("\r\n\r\none");
            assertThat(again).startsWith("HTTP/1.1 304 ");
            assertThat(client.received()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\ntwo");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<esi:vars>$(HTTP_COOKIE{name})</esi:vars>",
                "<esi:choose><esi:when test=\"$(HTTP_COOKIE{name})=='Kim'\">Kim</esi:when></esi:choose>"
            })
    void whatIsEvaluatedFromACookieIsItsClientsAlone(String document) {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(document, FRESH));
            var client = proxy.client();

            client.get("/page", "Cookie: name=Kim", "If-None-Match: *");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nCache-Control: private, max-age=60\r\n")
                    .doesNotContain("ETag")
                    .endsWith("\r\n\r\nKim");
            client.get("/page", "Cookie: name=Lee");
            assertThat(client.received()).doesNotContain("Kim");
        }
    }
}
