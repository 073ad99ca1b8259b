package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Storage and freshness of responses (RFC 9111), with a clock set by hand. */
class CachingIT {
    private static final byte[] NO_BODY = {};

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).clock(clock).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void pageAndEachFragmentLiveByTheirOwnClocks() {
        origin.on("/page", page(include("/live") + include("/ranking") + include("/footer")));
        origin.on("/live", fragment("max-age=3+0", "live "));
        origin.on("/ranking", fragment("max-age=30+0", "ranking "));
        origin.on("/footer", fragment("max-age=86400+0", "footer"));
        proxy.get("/page");

        origin.forget();
        clock.advance(Duration.ofSeconds(4));
        assertThat(proxy.get("/page").text()).isEqualTo("live ranking footer");
        assertThat(origin.paths()).containsExactly("/live");

        origin.forget();
        clock.advance(Duration.ofSeconds(27));
        assertThat(proxy.get("/page").text()).isEqualTo("live ranking footer");
        assertThat(origin.paths()).containsExactlyInAnyOrder("/live", "/ranking");
    }

    @Test
    void hitSaysItsAgeOnce() {
        origin.on("/x", Answer.html("x").field("Cache-Control", "max-age=60").field("Age", "5"));
        proxy.get("/x");

        clock.advance(Duration.ofSeconds(7));
        var hit = proxy.get("/x");

        assertThat(hit.fields().all("Age")).containsExactly("12");
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void lifetimeEndsAtItsLastSecond() {
        origin.on("/x", fragment("max-age=10+0", "1"), fragment("max-age=10+0", "2"));
        proxy.get("/x");

        clock.advance(Duration.ofMillis(9_999));
        assertThat(proxy.get("/x").text()).isEqualTo("1");

        clock.advance(Duration.ofMillis(1));
        assertThat(proxy.get("/x").text()).isEqualTo("2");
    }

    @Test
    void wallClockThatJumpsAgesNothing() {
        origin.on("/x", fragment("max-age=60+0", "x"));
        proxy.get("/x");

        clock.jumpWallClock(Duration.ofHours(1));
        proxy.get("/x");
        clock.jumpWallClock(Duration.ofHours(-2));
        proxy.get("/x");

        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void privateFragmentIsFetchedOnEachRequestWithThatClientsCookies() {
        origin.on("/page", page("<p>" + include("/greeting") + "</p>"));
        origin.on("/greeting", request -> privately("Hello " + request.field("Cookie")));

        var first = proxy.get("/page", "Cookie", "user=reader1");
        var second = proxy.get("/page", "Cookie", "user=reader2");
        var nobody = proxy.get("/page");

        assertThat(first.text()).isEqualTo("<p>Hello user=reader1</p>");
        assertThat(second.text()).isEqualTo("<p>Hello user=reader2</p>");
        assertThat(nobody.text()).isEqualTo("<p>Hello null</p>");
        assertThat(first.field("Cache-Control")).contains("private");
        assertThat(first.field("ETag")).isNull();
        assertThat(origin.requests("/page")).hasSize(1);
        assertThat(origin.requests("/greeting")).hasSize(3);
    }

    @Test
    void answerWithASetCookieIsPassedAndNotStored() {
        origin.on(
                "/x",
                Answer.html("x")
                        .field("Cache-Control", "max-age=60")
                        .field("Set-Cookie", "id=1")
                        .field("Set-Cookie", "theme=dark"));

        assertThat(proxy.get("/x").fields().all("Set-Cookie"))
                .containsExactly("id=1", "theme=dark");
        assertThat(proxy.get("/x").fields().all("Set-Cookie"))
                .containsExactly("id=1", "theme=dark");
        assertThat(origin.requests("/x")).hasSize(2);
    }

    @Test
    void setCookieOfAFragmentReachesNobody() {
        origin.on("/page", page("<" + include("/part") + ">"));
        origin.on("/part", fragment("part").field("Set-Cookie", "id=1"));

        var response = proxy.get("/page");

        assertThat(response.text()).isEqualTo("<part>");
        assertThat(response.field("Set-Cookie")).isNull();
        proxy.get("/page");
        assertThat(origin.requests("/part")).hasSize(2);
    }

    @Test
    void surrogateFieldsNeverReachClients() {
        origin.on("/page", page("page"));
        origin.on("/error", Answer.status(500).field("Surrogate-Control", "max-age=1"));
        origin.on("/passed", Answer.html("p").field("Surrogate-Control", "no-store"));

        try (var client = proxy.connect()) {
            assertHasNoSurrogateField(client.get("/page"));
            assertHasNoSurrogateField(client.get("/page"));
            assertHasNoSurrogateField(client.request("HEAD", "/page").response());
            assertHasNoSurrogateField(client.get("/error"));
            assertHasNoSurrogateField(client.get("/passed"));
            assertHasNoSurrogateField(client.request("POST", "/passed", NO_BODY).response());
        }
    }

    private static void assertHasNoSurrogateField(Response response) {
        response.fields()
                .forEach((name, value) -> assertThat(name).doesNotStartWithIgnoringCase("Surrog"));
    }

    @Test
    void originIsToldOurCapabilityAndNotTheClients() {
        proxy.get("/x", "Surrogate-Capability", "evil=\"ESI/9.9\"", "Surrogate-Control", "x");

        var request = origin.awaitRequest("/x");

        assertThat(request.fields().all("Surrogate-Capability"))
                .singleElement()
                .asString()
                .matches("quire=\"Surrogate/1\\.0 ESI/1\\.0 Stamp/1\\.[A-Za-z0-9_-]{22}\"");
        assertThat(request.field("Surrogate-Control")).isNull();
    }

    @Test
    void staleWithinGraceIsServedWhileOneRefreshRuns() {
        origin.on("/x", fragment("max-age=10+30", "old"), fragment("max-age=10+30", "new"));
        proxy.get("/x");
        var held = origin.hold("/x");

        clock.advance(Duration.ofSeconds(15));
        for (int i = 0; i < 5; i++) {
            var stale = proxy.get("/x");
            assertThat(stale.text()).isEqualTo("old");
            assertThat(stale.field("Age")).isEqualTo("15");
        }
        held.awaitWaiting(1);
        assertThat(origin.requests("/x")).hasSize(2);

        held.release();
        proxy.awaitMetric("quire_background_refresh_total", 1);
        assertThat(proxy.get("/x").text()).isEqualTo("new");
        assertThat(origin.requests("/x")).hasSize(2);
    }

    @Test
    void pastItsGraceARequestWaitsForTheOrigin() {
        origin.on("/x", fragment("max-age=10+30", "old"), fragment("max-age=10+30", "new"));
        proxy.get("/x");

        clock.advance(Duration.ofSeconds(41));

        assertThat(proxy.get("/x").text()).isEqualTo("new");
    }

    @Test
    void staleStandsInForAnErrorAsLongAsItMay() {
        var control = "max-age=10, stale-while-revalidate=0, stale-if-error=60";
        origin.on(
                "/x",
                Answer.html("good").field("Cache-Control", control),
                Answer.status(503).body("bad"));
        proxy.get("/x");

        clock.advance(Duration.ofSeconds(20));
        var stale = proxy.get("/x");
        clock.advance(Duration.ofSeconds(60));
        var error = proxy.get("/x");

        assertThat(stale.status()).isEqualTo(200);
        assertThat(stale.text()).isEqualTo("good");
        assertThat(error.status()).isEqualTo(503);
    }

    @Test
    void staleStandsInForAnOriginThatIsDown() {
        origin.on("/x", fragment("max-age=10", "good"));
        proxy.get("/x");
        origin.goDown();

        clock.advance(Duration.ofSeconds(30));
        var stale = proxy.get("/x");
        clock.advance(Duration.ofSeconds(60));
        var error = proxy.get("/x");

        assertThat(stale.text()).isEqualTo("good");
        assertThat(error.status()).isEqualTo(502);
    }

    @Test
    void mustRevalidateIsNeverServedStale() {
        var control = "max-age=10, must-revalidate, stale-if-error=60, stale-while-revalidate=60";
        origin.on("/x", Answer.html("good").field("Cache-Control", control).field("ETag", "\"a\""));
        proxy.get("/x");
        origin.goDown();

        clock.advance(Duration.ofSeconds(11));

        assertThat(proxy.get("/x").status()).isEqualTo(504);
    }

    @Test
    void variantsLiveSideBySide() {
        origin.on(
                "/x",
                request ->
                        fragment("in " + request.field("Accept-Language"))
                                .field("Vary", "Accept-Language"));

        for (int i = 0; i < 2; i++) {
            assertThat(proxy.get("/x", "Accept-Language", "ko").text()).isEqualTo("in ko");
            assertThat(proxy.get("/x", "Accept-Language", "en").text()).isEqualTo("in en");
            assertThat(proxy.get("/x").text()).isEqualTo("in null");
        }

        assertThat(origin.requests("/x")).hasSize(3);
        assertThat(proxy.get("/x").field("Vary")).contains("Accept-Language");
    }

    @Test
    void variantByCapabilityIsOneForAllAndHiddenFromClients() {
        origin.on("/page", page("x").field("Vary", "Surrogate-Capability"));
        proxy.get("/page");

        var hit = proxy.get("/page", "Surrogate-Capability", "other=\"ESI/1.0\"");

        assertThat(hit.fields().all("Vary")).noneMatch(vary -> vary.contains("Surrogate"));
        assertThat(origin.requests("/page")).hasSize(1);
    }

    @Test
    void staleWithValidatorIsRevalidated() {
        origin.on("/x", CachingIT::validated);
        proxy.get("/x");

        clock.advance(Duration.ofSeconds(30));
        var revalidated = proxy.get("/x");
        var hit = proxy.get("/x");

        assertThat(revalidated.status()).isEqualTo(200);
        assertThat(revalidated.text()).isEqualTo("tagged");
        assertThat(hit.field("X-Checked")).isEqualTo("yes");
        assertThat(origin.requests("/x")).hasSize(2);
        assertThat(origin.requests("/x").getLast().field("If-None-Match")).isEqualTo("\"v1\"");
    }

    private static Answer validated(ReceivedRequest request) {
        var answer =
                "\"v1\"".equals(request.field("If-None-Match"))
                        ? Answer.status(304).field("X-Checked", "yes")
                        : Answer.html("tagged");
        return answer.field("ETag", "\"v1\"").field("Surrogate-Control", "max-age=10+0");
    }

    @Test
    void clientThatHasItAlreadyIsToldSo() {
        origin.on("/x", fragment("tagged").field("ETag", "\"v1\""));
        proxy.get("/x");

        var response = proxy.get("/x", "If-None-Match", "W/\"v0\", \"v1\"");

        assertThat(response.status()).isEqualTo(304);
        assertThat(response.field("ETag")).isEqualTo("\"v1\"");
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void purgedUrlIsFetchedByTheNextRequest() {
        origin.on("/x", fragment("old"), fragment("new")).on("/y", fragment("other"));
        proxy.get("/x");
        proxy.get("/y");

        proxy.purge("/x");

        assertThat(proxy.get("/x").text()).isEqualTo("new");
        proxy.get("/y");
        assertThat(origin.requests("/y")).hasSize(1);
    }

    @Test
    void purgedTagTakesOnlyWhatBearsIt() {
        origin.on("/page", page(include("/live") + include("/footer")).field("xkey", "page"));
        origin.on(
                "/live",
                fragment("old ").field("Surrogate-Key", "election region-11"),
                fragment("new ").field("Surrogate-Key", "election region-11"));
        origin.on("/footer", fragment("footer").field("Cache-Tag", "footer, static"));
        proxy.get("/page");
        origin.forget();

        proxy.purgeTags("region-11");

        assertThat(proxy.get("/page").text()).isEqualTo("new footer");
        assertThat(origin.paths()).containsExactly("/live");
    }

    @Test
    void fetchThatBeganBeforeAPurgeIsNotStored() {
        origin.on("/x", fragment("old"), fragment("new"));
        var held = origin.hold("/x");

        try (var client = proxy.connect()) {
            client.request("GET", "/x");
            held.awaitWaiting(1);
            proxy.purge("/x");
            held.release();
            client.response();
        }

        assertThat(proxy.get("/x").text()).isEqualTo("new");
    }

    @Test
    void changeAtTheOriginDropsWhatIsStored() {
        origin.on("/x", request -> fragment(request.method() + " " + request.order()));
        proxy.get("/x");

        try (var client = proxy.connect()) {
            client.request("POST", "/x", NO_BODY).response();
        }

        assertThat(proxy.get("/x").text()).isEqualTo("GET 3");
    }

    @Test
    void errorsWithoutALifetimeAreNotStored() {
        origin.on("/x", Answer.status(500), Answer.status(404), fragment("recovered"));

        assertThat(proxy.get("/x").status()).isEqualTo(500);
        assertThat(proxy.get("/x").status()).isEqualTo(404);
        assertThat(proxy.get("/x").text()).isEqualTo("recovered");
    }

    @Test
    void noStoreIsNotStored() {
        origin.on("/x", Answer.html("x").field("Cache-Control", "no-store, max-age=60"));

        proxy.get("/x");
        proxy.get("/x");

        assertThat(origin.requests("/x")).hasSize(2);
    }

    @Test
    void surrogateControlGovernsAlone() {
        origin.on("/x", fragment("max-age=60+0", "x").field("Cache-Control", "no-store"));

        proxy.get("/x");
        var hit = proxy.get("/x");

        assertThat(hit.field("Cache-Control")).isEqualTo("no-store");
        assertThat(origin.requests("/x")).hasSize(1);
    }

    @Test
    void reusablePageTellsClientsTheShortestLifetimeOfItsParts() {
        origin.on(
                "/page",
                Answer.html("<" + include("/part") + ">")
                        .field("Cache-Control", "max-age=300")
                        .field("Surrogate-Control", "max-age=300, " + Answers.ESI));
        origin.on("/part", Answer.html("part").field("Cache-Control", "max-age=20"));

        var response = proxy.get("/page");

        assertThat(response.text()).isEqualTo("<part>");
        assertThat(response.field("Cache-Control")).contains("max-age=20");
        assertThat(response.field("Content-Length")).isEqualTo("6");
    }
}
