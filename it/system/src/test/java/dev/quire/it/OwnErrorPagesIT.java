package dev.quire.it;

import static dev.quire.it.Answers.include;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Error pages of the operator, for our own errors and in place of origins' responses. */
class OwnErrorPagesIT {
    private static final String BUILT_IN = "The origin server sent no usable response.";
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .clock(clock)
                    .origin("retries: 0")
                    .with(
                            "routes",
                            """
                            [ { host: "*", path: "/plain/**", origin: tested },
                              { host: shop.example, path: "/shop/**", origin: tested },
                              { host: "*", path: "/errors/**", origin: tested },
                              { host: api.example, path: "/**", origin: tested },
                              { host: www.example, path: "/**", origin: tested } ]
                            """)
                    .with(
                            "error-pages",
                            """
                            [ { path: "/plain/**", status: 504, page: /errors/other },
                              { host: shop.example, status: [4xx, 5xx], page: "/shop/{status}?from=quire" },
                              { host: api.example, status: 5xx, page: "/errors/{status}.json", json: true },
                              { path: "/**", status: [404, 5xx], page: "/errors/{status}.html",
                                intercept: [404, 401, 405, 503] } ]
                            """)
                    .start();
    private final HttpWire client = proxy.connect();

    @AfterEach
    void stop() {
        client.close();
        proxy.close();
        origin.close();
    }

    private Response get(String target, String... fields) {
        return client.get(target, with("www.example", fields));
    }

    private static String[] with(String host, String... fields) {
        var all = new String[fields.length + 2];
        all[0] = "Host";
        all[1] = host;
        System.arraycopy(fields, 0, all, 2, fields.length);
        return all;
    }

    private static Answer stored(String text) {
        return Answer.html(text)
                .field("Cache-Control", "max-age=60")
                .field("ETag", "\"1\"")
                .field("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
                .field("Set-Cookie", "id=1")
                .field("X-Of-Page", "yes");
    }

    private static Answer page(String text) {
        return Answer.html(text).field("Cache-Control", "max-age=60").field("X-Of-Page", "yes");
    }

    @Test
    void ownErrorHasThePageOfItsStatus() {
        origin.on("/broken", Answer.reset());
        origin.on("/errors/502.html", page("<h1>Sorry</h1>"));

        for (var repetition = 0; repetition < 2; repetition++) {
            var response = get("/broken");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).isEqualTo("<h1>Sorry</h1>");
            assertThat(response.fields().all("Cache-Control")).containsExactly("no-store");
            assertThat(response.field("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(response.field("X-Of-Page")).isEqualTo("yes");
            assertThat(response.fields().contains("Age")).isFalse();
        }
        assertThat(origin.requests("/errors/502.html")).hasSize(1);
    }

    @Test
    void fieldsOfThePageThatWouldLetItBeReusedAreNotSent() {
        origin.on("/errors/502.html", request -> stored("Sorry"));
        origin.on("/broken", Answer.reset());

        var response = get("/broken");

        assertThat(response.text()).isEqualTo("Sorry");
        for (var name : new String[] {"ETag", "Last-Modified", "Set-Cookie", "Accept-Ranges"}) {
            assertThat(response.fields().contains(name)).as(name).isFalse();
        }
    }

    @Test
    void responseOfTheOriginIsReplacedWithItsStatus() {
        origin.on("/missing", request -> Answer.status(404).body("internals of the server"));
        origin.on("/closed", request -> Answer.status(503).field("Retry-After", "120"));
        origin.on("/secret", request -> Answer.status(401).field("WWW-Authenticate", "Basic"));
        origin.on("/errors/404.html", page("not here"));
        origin.on("/errors/503.html", page("closed"));
        origin.on("/errors/401.html", page("who?"));

        var missing = get("/missing");
        var closed = get("/closed");
        var secret = get("/secret");

        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.text()).isEqualTo("not here");
        assertThat(closed.status()).isEqualTo(503);
        assertThat(closed.fields().all("Retry-After")).containsExactly("120");
        assertThat(closed.text()).isEqualTo("closed");
        assertThat(secret.status()).isEqualTo(401);
        assertThat(secret.field("WWW-Authenticate")).isEqualTo("Basic");
    }

    @Test
    void storedResponseIsReplacedEachTimeAndStaysStored() {
        origin.on(
                "/missing",
                request -> Answer.status(404).body("old").field("Cache-Control", "max-age=60"));
        origin.on("/errors/404.html", page("not here"));

        assertThat(get("/missing").text()).isEqualTo("not here");
        assertThat(get("/missing").text()).isEqualTo("not here");
        assertThat(get("/missing", "Accept", "application/json").text()).isEqualTo("old");

        assertThat(origin.requests("/missing")).hasSize(1);
        assertThat(origin.requests("/errors/404.html")).hasSize(1);
    }

    @Test
    void otherStatusesOfTheOriginPass() {
        origin.on("/gone", request -> Answer.status(410).body("own"));
        origin.on("/failed", request -> Answer.status(500).body("own"));
        origin.on("/errors/500.html", page("page"));

        assertThat(get("/gone").text()).isEqualTo("own");
        assertThat(get("/failed").text()).isEqualTo("own");
        assertThat(origin.requests("/errors/500.html")).isEmpty();
    }

    @Test
    void requestForThePageIsAGetWithTheFieldsOfTheClient() {
        origin.on("/form", Answer.reset());
        origin.on("/errors/502.html", page("Sorry"));

        client.request(
                "POST",
                "/form",
                "a=1".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                with(
                        "www.example",
                        "Content-Type",
                        "application/x-www-form-urlencoded",
                        "Cookie",
                        "a=b",
                        "Accept-Language",
                        "de",
                        "If-None-Match",
                        "\"1\"",
                        "Range",
                        "bytes=0-1"));
        var response = client.response();

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).isEqualTo("Sorry");
        var sent = origin.awaitRequest("/errors/502.html");
        assertThat(sent.method()).isEqualTo("GET");
        assertThat(sent.bodyBytes()).isZero();
        assertThat(sent.field("Host")).isEqualTo("www.example");
        assertThat(sent.field("Cookie")).isEqualTo("a=b");
        assertThat(sent.field("Accept-Language")).isEqualTo("de");
        for (var name : new String[] {"Content-Type", "If-None-Match", "Range"}) {
            assertThat(sent.fields().contains(name)).as(name).isFalse();
        }
    }

    @Test
    void headHasTheFieldsOfGetWithoutBody() {
        origin.on("/broken", request -> Answer.reset());
        origin.on("/errors/502.html", page("Sorry"));

        var get = get("/broken");
        var head = client.request("HEAD", "/broken", with("www.example")).response();

        assertThat(head.status()).isEqualTo(502);
        assertThat(head.text()).isEmpty();
        assertThat(head.field("Content-Length")).isEqualTo("5");
        assertThat(head.field("Content-Type")).isEqualTo(get.field("Content-Type"));
        assertThat(get("/broken").text()).isEqualTo("Sorry");
    }

    @Test
    void conditionsAndRangesOfTheClientDoNotApply() {
        origin.on("/broken", request -> Answer.reset());
        origin.on("/errors/502.html", request -> stored("Sorry"));
        get("/broken");

        assertThat(get("/broken", "Range", "bytes=1-2").text()).isEqualTo("Sorry");
        var known = get("/broken", "If-None-Match", "\"1\"");
        assertThat(known.status()).isEqualTo(502);
        assertThat(known.text()).isEqualTo("Sorry");
    }

    @Test
    void pageIsAssembled() {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                Answer.html("<p>" + include("/errors/part") + "</p>")
                        .field("Cache-Control", "max-age=60")
                        .field("Surrogate-Control", "content=\"ESI/1.0\""));
        origin.on("/errors/part", page("Sorry"));

        var response = get("/broken");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).isEqualTo("<p>Sorry</p>");
        assertThat(response.fields().all("Cache-Control")).containsExactly("no-store");
        var head = client.request("HEAD", "/broken", with("www.example")).response();
        assertThat(head.status()).isEqualTo(502);
    }

    @Test
    void pageThatCannotBeAssembledIsReplacedByTheBuiltInOne() {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                request ->
                        Answer.html("<p><esi:include src=\"/errors/part\" onerror=\"fail\"/></p>")
                                .field("Surrogate-Control", "content=\"ESI/1.0\""));
        origin.on("/errors/part", request -> Answer.status(500));

        var response = get("/broken");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).contains(BUILT_IN);
        assertThat(get("/broken").text()).contains(BUILT_IN);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 302, 404, 401, 500, 503})
    void pageThatIsNotA200IsReplacedByTheBuiltInOneWithoutRecursion(int status) {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                request -> Answer.status(status).field("Location", "/errors/502.html"));

        var response = get("/broken");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).contains(BUILT_IN);
        assertThat(response.fields().contains("Location")).isFalse();
        assertThat(origin.paths()).containsExactly("/broken", "/errors/502.html");
    }

    @Test
    void unreachableOriginOfThePageLeavesTheBuiltInOne() {
        origin.goDown();

        var response = get("/broken");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).contains(BUILT_IN);
        assertThat(get("/broken").text()).contains(BUILT_IN);
    }

    @Test
    void interceptedResponseWithoutAPageIsReplacedByABuiltInOne() {
        origin.on("/secret", request -> Answer.status(401).field("WWW-Authenticate", "Basic"));
        origin.on("/errors/401.html", request -> Answer.status(404));

        var response = get("/secret");

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.text()).startsWith("The request was not accepted.");
        assertThat(response.field("WWW-Authenticate")).isEqualTo("Basic");
    }

    @Test
    void pageThatIsRequestedByAClientIsAnOrdinaryResponse() {
        origin.on("/errors/404.html", page("not here"));

        var response = get("/errors/404.html");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.field("Cache-Control")).isEqualTo("max-age=60");
        assertThat(get("/errors/404.html?status=500").status()).isEqualTo(200);
    }

    @Test
    void slowPageIsReplacedByTheBuiltInOneAfterASecond() {
        origin.on("/broken", request -> Answer.reset());
        var held = origin.hold("/errors/502.html");
        long begun = System.nanoTime();

        var response = get("/broken");

        assertThat(response.status()).isEqualTo(502);
        assertThat(response.text()).contains(BUILT_IN);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(LIMIT, LIMIT.plusSeconds(4));
        held.release();
    }

    @Test
    void pageWithASlowFragmentIsReplacedByTheBuiltInOneIfItsHeadWaitsForIt() {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                Answer.html("<p><esi:include src=\"/errors/part\" onerror=\"fail\"/></p>")
                        .field("Surrogate-Control", "content=\"ESI/1.0\""));
        var held = origin.hold("/errors/part");

        assertThat(get("/broken").text()).contains(BUILT_IN);

        held.release();
        assertThat(get("/broken").status()).isEqualTo(502);
    }

    @Test
    void stalePageIsSentWhileItsOriginFails() {
        origin.on("/errors/502.html", page("Sorry"));
        origin.on("/broken", Answer.reset());
        assertThat(get("/broken").text()).isEqualTo("Sorry");
        origin.goDown();
        clock.advance(Duration.ofSeconds(90));

        assertThat(get("/broken").text()).isEqualTo("Sorry");

        clock.advance(Duration.ofSeconds(60));
        assertThat(get("/broken").text()).contains(BUILT_IN);
    }

    @Test
    void stalePageIsSentInPlaceOfASlowOne() {
        origin.on("/broken", request -> Answer.reset());
        origin.on("/errors/502.html", page("Sorry"));
        assertThat(get("/broken").text()).isEqualTo("Sorry");
        clock.advance(Duration.ofSeconds(90));
        var held = origin.hold("/errors/502.html");

        assertThat(get("/broken").text()).isEqualTo("Sorry");

        held.release();
    }

    @Test
    void clientThatPrefersJsonGetsTheBuiltInFormUnlessThePageIsForIt() {
        origin.on("/broken", request -> Answer.reset());
        origin.on("/errors/502.html", page("Sorry"));
        origin.on("/errors/502.json", Answer.html("{}").field("Cache-Control", "max-age=60"));

        assertThat(get("/broken", "Accept", "application/json").field("Content-Type"))
                .isEqualTo("application/problem+json");
        assertThat(get("/broken", "Accept", "text/html, application/json;q=0.5").text())
                .isEqualTo("Sorry");
        assertThat(client.get("/broken", with("api.example", "Accept", "application/json")).text())
                .isEqualTo("{}");
    }

    @Test
    void firstPageForHostPathAndStatusIsUsed() {
        origin.on("/plain/a", Answer.reset());
        origin.on("/shop/a", Answer.reset());
        origin.on("/errors/502.html", page("Sorry"));
        origin.on("/shop/502", page("Shop"));

        assertThat(get("/plain/a").text()).isEqualTo("Sorry");
        assertThat(client.get("/shop/a", with("shop.example")).text()).isEqualTo("Shop");
        assertThat(origin.requests("/shop/502").getFirst().target())
                .isEqualTo("/shop/502?from=quire");
    }

    @Test
    void pathWithoutARouteHasAPageIfThePageHasARoute() {
        origin.on("/shop/404", page("Shop"));

        var known = client.get("/nowhere", with("shop.example"));
        var unknown = client.get("/nowhere", with("other.example"));

        assertThat(known.status()).isEqualTo(404);
        assertThat(known.text()).isEqualTo("Shop");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text()).startsWith("No page is served at this path.");
    }

    @Test
    void refusalOfTheListenerHasTheBuiltInForm() {
        origin.on("/errors/502.html", page("Sorry"));

        var response = client.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\n").response();

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).contains("malformed");
        assertThat(origin.requests()).isEmpty();
    }

    @Test
    void pageOfOneReaderIsNotSentToAnother() {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                request ->
                        Answer.html("Sorry, " + request.field("Cookie"))
                                .field("Cache-Control", "private"));

        assertThat(get("/broken", "Cookie", "user=ann").text()).isEqualTo("Sorry, user=ann");
        assertThat(get("/broken", "Cookie", "user=bob").text()).isEqualTo("Sorry, user=bob");
    }

    @Test
    void clientThatLeavesEndsTheRequestForThePage() {
        origin.on("/broken", request -> Answer.reset());
        origin.hold("/errors/502.html");
        try (var leaving = proxy.connect()) {
            leaving.request("GET", "/broken", with("www.example"));
            var asked = origin.awaitRequest("/errors/502.html");
            leaving.reset();
            asked.awaitAbandoned();
        }
    }

    @Test
    void connectionIsReusedAfterAnErrorPage() {
        origin.on("/broken", request -> Answer.reset());
        origin.on(
                "/errors/502.html",
                request -> Answer.html("x".repeat(200_000)).field("Cache-Control", "no-store"));
        origin.on("/fine", Answer.html("fine"));

        assertThat(get("/broken").text()).hasSize(200_000);
        assertThat(get("/fine").text()).isEqualTo("fine");
    }

    @Test
    void rulesThatRefuseDoNotApplyToThePageAndOthersDo() {
        try (var ruled =
                        RunningProxy.inFrontOf(origin)
                                .origin("retries: 0")
                                .with(
                                        "rules",
                                        """
                                        { request: [
                                          { name: blocked, match: { header: { User-Agent: bad } }, deny: 403 },
                                          { name: old, match: { path: /errors/404.html }, redirect: { to: /new } },
                                          { name: file, match: { path: /errors/503.html },
                                            respond: { body: from the configuration } },
                                          { name: closed, match: { path: /closed }, deny: 503 },
                                          { name: cookies, cookies: { drop: user }, var: { area: "{path}" } } ],
                                          deliver: [
                                          { set: { X-Path: "{path}", X-Area: "{var.area}", X-Status: "{status}" } } ] }
                                        """)
                                .with(
                                        "error-pages",
                                        "[ { status: [403, 502, 503], page: \"/errors/{status}.html\","
                                                + " intercept: 404 } ]")
                                .start();
                var reader = ruled.connect()) {
            origin.on("/errors/403.html", request -> page("blocked"));
            origin.on("/errors/404.html", request -> page("missing"));
            origin.on("/missing", request -> Answer.status(404));

            var blocked = reader.get("/a", "User-Agent", "bad", "Cookie", "user=ann");
            var missing = reader.get("/missing");
            var closed = reader.get("/closed");

            assertThat(blocked.status()).isEqualTo(403);
            assertThat(blocked.text()).isEqualTo("blocked");
            assertThat(blocked.field("X-Path")).isEqualTo("/a");
            assertThat(blocked.field("X-Status")).isEqualTo("403");
            assertThat(origin.requests("/a")).isEmpty();
            assertThat(origin.awaitRequest("/errors/403.html").fields().contains("Cookie"))
                    .isFalse();
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.text()).isEqualTo("missing");
            assertThat(missing.field("X-Area")).isEqualTo("/missing");
            assertThat(closed.status()).isEqualTo(503);
            assertThat(closed.text()).isEqualTo("from the configuration");
            assertThat(closed.fields().all("Cache-Control")).containsExactly("no-store");
            assertThat(closed.field("Retry-After")).isEqualTo("1");
        }
    }
}
