package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Freshness lifetimes from the configuration and from targeted fields. */
class OperatorFreshnessIT {
    private static final String ROUTES =
            """
            [ { path: "/ttl/**", origin: tested, ttl: 1h },
              { path: "/windows/**", origin: tested, grace: 30s, stale-if-error: 2m },
              { path: "/defaults/**", origin: tested, default-ttl: 20s, default-grace: 5s, default-stale-if-error: 1m },
              { path: "/**", origin: tested } ]\
            """;

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private RunningProxy proxy = start("{ memory: 64MiB, grace: 0s }");

    private RunningProxy start(String cache) {
        return RunningProxy.inFrontOf(origin)
                .clock(clock)
                .with("routes", ROUTES)
                .with("cache", cache)
                .start();
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void lifetimeOfTheRouteStandsInPlaceOfTheOrigins() {
        origin.on("/ttl/x", control("max-age=1", "first"), control("max-age=1", "second"));
        proxy.get("/ttl/x");

        clock.advance(Duration.ofMinutes(59));
        assertThat(proxy.get("/ttl/x").text()).isEqualTo("first");
        clock.advance(Duration.ofMinutes(2));
        assertThat(proxy.get("/ttl/x").text()).isEqualTo("second");
    }

    @Test
    void whatTheOriginForbidsStaysForbidden() {
        origin.on("/ttl/x", control("private", "one"), control("no-store", "two"));

        assertThat(proxy.get("/ttl/x").text()).isEqualTo("one");
        assertThat(proxy.get("/ttl/x").text()).isEqualTo("two");
    }

    @Test
    void windowsOfTheRouteStandInPlaceOfTheOrigins() {
        origin.on(
                "/windows/x",
                control("max-age=10, stale-while-revalidate=0, stale-if-error=0", "good"),
                Answer.status(503).body("bad"));
        proxy.get("/windows/x");

        clock.advance(Duration.ofSeconds(35));
        var inGrace = proxy.get("/windows/x");
        proxy.awaitMetric("quire_background_refresh_total", 1);
        clock.advance(Duration.ofSeconds(85));
        var inError = proxy.get("/windows/x");
        clock.advance(Duration.ofSeconds(20));
        var past = proxy.get("/windows/x");

        assertThat(inGrace.text()).isEqualTo("good");
        assertThat(inError.text()).isEqualTo("good");
        assertThat(past.status()).isEqualTo(503);
    }

    @Test
    void defaultsOfTheRouteHoldWhereTheOriginSaysNothing() {
        origin.on(
                "/defaults/x",
                Answer.html("first"),
                Answer.html("second"),
                Answer.status(500).body("bad"));
        proxy.get("/defaults/x");

        clock.advance(Duration.ofSeconds(19));
        assertThat(proxy.get("/defaults/x").text()).isEqualTo("first");
        assertThat(origin.requests()).hasSize(1);
        clock.advance(Duration.ofSeconds(7));
        assertThat(proxy.get("/defaults/x").text()).isEqualTo("second");
        clock.advance(Duration.ofSeconds(60));
        assertThat(proxy.get("/defaults/x").text()).isEqualTo("second");
        clock.advance(Duration.ofSeconds(30));
        assertThat(proxy.get("/defaults/x").status()).isEqualTo(500);
    }

    @Test
    void withoutADefaultNothingIsReusedThatSaysNothing() {
        origin.on("/x", Answer.html("first"), Answer.html("second"));
        proxy.get("/x");

        assertThat(proxy.get("/x").text()).isEqualTo("second");
    }

    @Test
    void sharedMaxAgeForbidsStaleAndLeavesNoAnswerWithoutTheOrigin() {
        origin.on(
                "/x",
                control("s-maxage=10, stale-if-error=60", "secret of the page")
                        .field("ETag", "\"one\""));
        proxy.get("/x");
        origin.goDown();

        clock.advance(Duration.ofSeconds(11));
        var answer = proxy.get("/x");

        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.text()).doesNotContain("secret");
    }

    @Test
    void operatorMayReadSharedMaxAgeAsALifetimeAlone() {
        proxy.close();
        proxy = start("{ memory: 64MiB, grace: 0s, stale-despite-s-maxage: true }");
        origin.on("/x", control("s-maxage=10, stale-if-error=60", "good"));
        proxy.get("/x");
        origin.goDown();

        clock.advance(Duration.ofSeconds(11));

        assertThat(proxy.get("/x").text()).isEqualTo("good");
    }

    @Test
    void cdnCacheControlDecidesAloneAndGoesOn() {
        origin.on(
                "/x",
                control("no-store", "first").field("CDN-Cache-Control", "max-age=60"),
                control("max-age=60", "second").field("CDN-Cache-Control", "no-store"),
                control("max-age=60", "third").field("CDN-Cache-Control", "max-age=1, &&&&&"),
                Answer.html("fourth"));
        var first = proxy.get("/x");
        assertThat(first.field("CDN-Cache-Control")).isEqualTo("max-age=60");
        assertThat(proxy.get("/x").text()).isEqualTo("first");

        clock.advance(Duration.ofSeconds(61));
        assertThat(proxy.get("/x").text()).isEqualTo("second");
        assertThat(proxy.get("/x").text()).isEqualTo("third");
        clock.advance(Duration.ofSeconds(59));
        assertThat(proxy.get("/x").text()).isEqualTo("third");
        clock.advance(Duration.ofSeconds(2));
        assertThat(proxy.get("/x").text()).isEqualTo("fourth");
    }

    @Test
    void fieldsForOneReaderAreNotSentFromTheStore() {
        origin.on(
                "/x",
                control("max-age=60, no-cache=\"X-Once\", private=\"X-User\"", "text")
                        .field("X-Once", "1")
                        .field("X-User", "1")
                        .field("X-All", "1"));
        var first = proxy.get("/x");
        var hit = proxy.get("/x");

        assertThat(first.field("X-User")).isEqualTo("1");
        assertThat(first.field("X-Once")).isEqualTo("1");
        assertThat(hit.text()).isEqualTo("text");
        assertThat(hit.field("X-All")).isEqualTo("1");
        assertThat(hit.fields().contains("X-User")).isFalse();
        assertThat(hit.fields().contains("X-Once")).isFalse();
        assertThat(origin.requests("/x")).hasSize(1);
    }

    private static Answer control(String value, String text) {
        return Answer.html(text).field("Cache-Control", value);
    }
}
