package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import org.junit.jupiter.api.Test;

/** Settings for all pages. */
class PageRulesTest {
    private static final String COOKIE = "Set-Cookie: s=1; Path=/";

    @Test
    void cookieOfAPrivateFragmentReachesTheClientWhereItMay() {
        try (var proxy = new OneThread(new Rules().passSetCookie())) {
            proxy.stored("/page", page("a" + include("/f") + "b", "Set-Cookie: p=1"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/page").say(page("a" + include("/f") + "b"));
            proxy.ask("/f").say(ok("F", COOKIE, "Set-Cookie: t=2", "Cache-Control: private"));

            assertThat(client.received())
                    .contains(COOKIE + "\r\n", "Set-Cookie: t=2\r\n")
                    .contains("Cache-Control: private")
                    .endsWith("aFb");
        }
    }

    @Test
    void cookieOfAFragmentIsDroppedUnlessTheOperatorLetsItPass() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("a" + include("/f") + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(ok("F", COOKIE));

            assertThat(client.received()).doesNotContain("Set-Cookie").endsWith("aFb");
        }
    }

    @Test
    void cookieOfAnotherHostIsNeverPassed() {
        try (var proxy = new OneThread(new Rules().passSetCookie())) {
            proxy.stored("/page", page("a" + include("http://partner.test/f") + "b"));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say(ok("F", COOKIE));

            assertThat(client.received()).doesNotContain("Set-Cookie").endsWith("aFb");
        }
    }

    @Test
    void argumentsForPagesAloneReachNeitherCacheNorOrigin() {
        try (var proxy = new OneThread(new Rules().reserved("esi_"))) {
            var client = proxy.client();
            client.get("/page?esi_a=1&b=2");
            proxy.ask("/page?b=2").say(page("<esi:vars>$(ESI_ARGS{a}|none)</esi:vars>"));
            assertThat(client.received()).endsWith("\r\n\r\n1");
            proxy.asked();

            client.get("/page?b=2&esi_a=3");

            assertThat(client.received()).endsWith("\r\n\r\n3");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void faultyPageIsAnErrorInStrictMode() {
        try (var proxy = new OneThread(new Rules().strict())) {
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/page").say(page("a<esi:nonsense/>b"));

            assertThat(client.received()).startsWith("HTTP/1.1 502 ").doesNotContain("nonsense");
            client.get("/page");
            assertThat(proxy.asked()).containsExactly("/page", "/page");
        }
    }

    @Test
    void markOfTheByteOrderStandsInFrontOfAPageAlone() {
        try (var proxy = new OneThread()) {
            var mark = "\u00ef\u00bb\u00bf";
            proxy.stored("/text", ok(mark + "T", "Cache-Control: max-age=60"));
            proxy.stored("/doc", page(mark + "D<esi:remove/>"));
            proxy.stored("/page", page(mark + "[" + include("/text") + include("/doc") + "]"));
            var client = proxy.client();

            client.get("/page");

            assertThat(client.received()).endsWith("\r\n\r\n" + mark + "[TD]");
        }
    }

    @Test
    void pageSeesOnlyThoseFieldsOfItsClientThatGoUp() {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/page",
                    page(
                            "<esi:vars>[$(HTTP_X_FORWARDED_FOR) $(HTTP_FORWARDED) $(HTTP_X_ESI_LEVEL)"
                                    + " $(HTTP_HEADER{X-Real-IP}) $(HTTP_X_PLAN) $(HTTP_HOST)]</esi:vars>"));
            var client = proxy.client();

            client.get(
                    "/page",
                    "X-Forwarded-For: 203.0.113.7",
                    "Forwarded: for=203.0.113.7",
                    "X-Real-IP: 203.0.113.7",
                    "X-ESI-Level: 7",
                    "X-Plan: gold");

            assertThat(client.received())
                    .doesNotContain("203.0.113.7")
                    .containsPattern("\\[[0-9a-f.:]+ {4}gold news\\.test]$");
        }
    }

    @Test
    void pageSeesWhatATrustedPeerSaysOfTheClientBehindIt() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            proxy.stored("/page", page("<esi:vars>[$(HTTP_X_FORWARDED_FOR)]</esi:vars>"));
            var client = proxy.client();

            client.get("/page", "X-Forwarded-For: 203.0.113.7");

            assertThat(client.received()).containsPattern("\\[203\\.0\\.113\\.7, [0-9a-f.:]+]$");
        }
    }
}
