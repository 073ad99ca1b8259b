package dev.quire.it;

import static dev.quire.it.Answers.ESI;
import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation of a client's copy of an assembled page (RFC 9110 §8.8, §13, §15.4.5). */
class ValidatorsIT {
    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD"})
    void copyThatHoldsIsConfirmedAndTheConnectionGoesOn(String method) {
        origin.on("/page", page("<" + include("/part") + ">")).on("/part", fragment("part"));
        proxy.get("/page");

        try (var client = proxy.connect()) {
            var tag = tagOf(client.get("/page"));
            var confirmed =
                    client.request(method, "/page", "If-None-Match", "\"x\", " + tag).response();

            assertThat(tag).matches("W/\"[0-9a-f]{32}\"");
            assertThat(confirmed.status()).isEqualTo(304);
            assertThat(confirmed.field("ETag")).isEqualTo(tag);
            assertThat(confirmed.field("Cache-Control")).isEqualTo("no-cache");
            assertThat(confirmed.field("Date")).isNotNull();
            assertThat(confirmed.field("Content-Length")).isNull();
            assertThat(client.get("/page").text()).isEqualTo("<part>");
        }
    }

    @Test
    void fragmentThatHasChangedIsNeverHiddenThoughThePageHasNot() {
        origin.on(
                "/page",
                page("<" + include("/part") + ">")
                        .field("ETag", "\"page\"")
                        .field("Last-Modified", "Thu, 01 Jan 2026 12:00:00 GMT"));
        origin.on("/part", fragment("old"), fragment("new"));
        proxy.get("/page");
        var old = proxy.get("/page");
        proxy.purge("/part");

        var byTag = proxy.get("/page", "If-None-Match", tagOf(old));
        var byTheDocuments = proxy.get("/page", "If-None-Match", "\"page\"");
        var byTime = proxy.get("/page", "If-Modified-Since", "Fri, 02 Jan 2026 12:00:00 GMT");

        assertThat(old.text()).isEqualTo("<old>");
        assertThat(old.field("Last-Modified")).isNull();
        assertThat(byTag.status()).isEqualTo(200);
        assertThat(byTag.text()).isEqualTo("<new>");
        assertThat(byTheDocuments.text()).isEqualTo("<new>");
        assertThat(byTime.text()).isEqualTo("<new>");
    }

    @Test
    void fragmentInAnotherBranchHasAnotherTag() {
        var document =
                "<esi:choose><esi:when test=\"$(QUERY_STRING{side})=='left'\">"
                        + include("/left")
                        + "</esi:when><esi:otherwise>"
                        + include("/right")
                        + "</esi:otherwise></esi:choose>";
        origin.on("/page?side=left", page(document)).on("/page?side=right", page(document));
        origin.on("/left", fragment("left")).on("/right", fragment("right"));
        proxy.get("/page?side=left");
        proxy.get("/page?side=right");

        var left = tagOf(proxy.get("/page?side=left"));
        var right = proxy.get("/page?side=right", "If-None-Match", left);

        assertThat(right.status()).isEqualTo(200);
        assertThat(right.text()).isEqualTo("right");
        assertThat(right.field("ETag")).isNotEqualTo(left);
    }

    @Test
    void pageWithAReadersOwnPartIsPrivateAndHasNoTag() {
        origin.on("/page", page("hello " + include("/me"))).on("/me", privately("Kim"));

        var response = proxy.get("/page", "If-None-Match", "*");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("Cache-Control")).startsWith("private");
        assertThat(response.field("ETag")).isNull();
    }

    @Test
    void textOfACookieIsPrivateAndHasNoTag() {
        origin.on("/page", page("<esi:vars>hello $(HTTP_COOKIE{name})</esi:vars>"));
        proxy.get("/page");

        var kim = proxy.get("/page", "Cookie", "name=Kim");
        var lee = proxy.get("/page", "Cookie", "name=Lee");

        assertThat(kim.text()).isEqualTo("hello Kim");
        assertThat(lee.text()).isEqualTo("hello Lee");
        assertThat(kim.field("Cache-Control")).isEqualTo("private, no-cache");
        assertThat(kim.field("ETag")).isNull();
        assertThat(origin.requests("/page")).hasSize(1);
    }

    @Test
    void rangeOfAnAssembledPageIsIgnored() {
        origin.on("/page", page("0123" + include("/part"))).on("/part", fragment("4567"));
        proxy.get("/page");

        var response = proxy.get("/page", "Range", "bytes=2-5");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("01234567");
    }

    @Test
    void pageThatNeedsAFragmentIsAnErrorWithoutIt() {
        origin.on("/page", page("a<esi:include src=\"/gone\" onerror=\"fail\"/>b"));
        origin.on("/gone", Answer.status(404).body("no such thing"));

        var response = proxy.get("/page");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.field("Cache-Control")).isEqualTo("no-store");
        assertThat(response.text()).doesNotContain("no such thing");
    }

    @Test
    void pageThatNeedsALateFragmentIs504() {
        try (var hasty =
                RunningProxy.inFrontOf(origin).with("esi", "{ include-timeout: 300ms }").start()) {
            origin.on("/page", page("a<esi:include src=\"/late\" onerror=\"fail\"/>b"));
            origin.on("/late", fragment("late"));
            var late = origin.hold("/late");

            var response = hasty.get("/page");
            late.release();

            assertThat(response.status()).isEqualTo(504);
        }
    }

    @Test
    void primaryFragmentDecidesTheStatus() {
        origin.on("/page", page("a<esi:include src=\"/article\" primary=\"true\"/>b"));
        origin.on("/article", Answer.status(410).body("gone"));

        var response = proxy.get("/page");

        assertThat(response.status()).isEqualTo(410);
        assertThat(response.text()).isEqualTo("ab");
        assertThat(response.field("X-ESI-Errors")).isEqualTo("1");
    }

    @Test
    void pageAnswersAsItsFunctionsSay() {
        origin.on("/old", page("<esi:vars>$set_redirect('/new')</esi:vars>"));
        origin.on(
                "/teapot",
                page("<esi:vars>$set_response_code(418)$add_header('X-Pot', 'tea')</esi:vars>pot"));

        var moved = proxy.get("/old");
        var teapot = proxy.get("/teapot");

        assertThat(moved.status()).isEqualTo(302);
        assertThat(moved.field("Location")).isEqualTo("/new");
        assertThat(teapot.status()).isEqualTo(418);
        assertThat(teapot.field("X-Pot")).isEqualTo("tea");
        assertThat(teapot.field("Cache-Control")).isEqualTo("no-store");
        assertThat(teapot.text()).isEqualTo("pot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%0d%0aSet-Cookie:%20id=1", "a%0aSet-Cookie:%20id=1", "a%0db"})
    void requestPutsNoLineIntoTheHead(String value) {
        var document = "<esi:vars>$add_header('X-Q', $url_decode($(QUERY_STRING{q})))</esi:vars>.";
        origin.on(
                "/page?q=" + value,
                Answer.html(document).field("Surrogate-Control", "max-age=60, " + ESI));

        var response = proxy.get("/page?q=" + value);

        assertThat(response.text()).isEqualTo(".");
        assertThat(response.field("X-Q")).isNull();
        assertThat(response.field("Set-Cookie")).isNull();
    }

    private static String tagOf(Response response) {
        return Objects.requireNonNull(response.field("ETag"), "no ETag");
    }
}
