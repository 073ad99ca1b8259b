package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.PageAssertTest.fails;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import org.junit.jupiter.api.Test;

class FragmentAssertTest {
    private final Page page =
            MadePage.of("/home")
                    .part(MadePart.page("/home").kept(0, 30, 10, 0))
                    .part(
                            MadePart.of("/live")
                                    .as(CacheOutcome.HIT)
                                    .kept(0, 30, 60, 3600)
                                    .fields(
                                            "Surrogate-Control",
                                            "max-age=30+60",
                                            "Surrogate-Key",
                                            "election region-11",
                                            "Cache-Tag",
                                            "party,x")
                                    .body("<b>42 %</b>"))
                    .part(
                            MadePart.of("/me")
                                    .as(CacheOutcome.PASS)
                                    .fields(
                                            "Cache-Control",
                                            "private, no-cache",
                                            "Set-Cookie",
                                            "sid=1; Path=/")
                                    .body("Hello reader-a"))
                    .part(
                            MadePart.of("/name")
                                    .inside("/me", 2)
                                    .fields("Cache-Control", "max-age=5"))
                    .part(MadePart.of("/map").failed(503, "status 503"))
                    .made();

    @Test
    void whatHoldsIsSaidInOneSentence() {
        assertThat(page)
                .fragment("/live")
                .isPublic()
                .ttl("30s")
                .stale("60s")
                .staleIfError("1h")
                .hasTags("election", "party")
                .hasExactlyTags("x", "party", "election", "region-11")
                .wasHit()
                .hasStatus(200)
                .setsNoCookies()
                .isInside("/home")
                .contains("42 %")
                .doesNotContain("reader")
                .hasField("Cache-Tag", "party,x")
                .and()
                .fragment("/me")
                .isPrivate()
                .wasPassed()
                .and()
                .fragment("/map")
                .isMissing()
                .failedWith(503)
                .and()
                .document()
                .isPublic()
                .ttl("30s");
    }

    @Test
    void termsAreJudgedByTheRulesOfTheProxyWhereNoCacheTells() {
        assertThat(page).fragment("/name").isPublic().ttl("5s").stale("10s").isInside("/me");
    }

    @Test
    void privateFragmentSaysWhyItIs() {
        fails(
                () -> assertThat(page).fragment("/me").isPublic(),
                "expected fragment /me of /home to be public",
                "it is private: Cache-Control says private",
                "Cache-Control: private, no-cache",
                "docs/testing.md#private");
    }

    @Test
    void refusalsAreToldInWords() {
        refused("Cache-Control says no-store", "Cache-Control", "no-store");
        refused("it sets the cookie sid", "Cache-Control", "max-age=9", "Set-Cookie", "sid=1");
        refused("it has Vary: *", "Cache-Control", "max-age=9", "Vary", "*");
        refused("it has no lifetime and no validator");
        refused("Surrogate-Control says no-store", "Surrogate-Control", "no-store");
    }

    @Test
    void publicFragmentSaysForHowLong() {
        fails(
                () -> assertThat(page).fragment("/live").isPrivate(),
                "expected fragment /live of /home to be private",
                "it may be stored for other readers for 30s",
                "Surrogate-Control: max-age=30+60");
    }

    @Test
    void otherTimesAreShownWithWhatSaysThem() {
        fails(
                () -> assertThat(page).fragment("/live").ttl("5m"),
                "expected fragment /live of /home to be fresh for 300s",
                "seen:     30s",
                "Surrogate-Control: max-age=30+60");
        fails(
                () -> assertThat(page).fragment("/live").stale("10s"),
                "to be served stale, while it is refreshed, for 10s",
                "seen:     60s");
        fails(
                () -> assertThat(page).fragment("/live").staleIfError("10s"),
                "to be served stale on errors for 10s",
                "seen:     1h");
        fails(
                () -> assertThat(page).fragment("/me").ttl("10s"),
                "seen:     0s, because it is not stored: Cache-Control says private");
    }

    @Test
    void tagsAreListedWithWhatIsMissing() {
        fails(
                () -> assertThat(page).fragment("/live").hasTags("election", "region-12"),
                "expected fragment /live of /home to have the tags election, region-12",
                "election, region-11, party, x",
                "missing: region-12");
        fails(
                () -> assertThat(page).fragment("/live").hasExactlyTags("election", "y"),
                "missing: y; unexpected: region-11, party, x");
        fails(
                () -> assertThat(page).fragment("/me").hasTags("a"),
                "seen:     none",
                "a tag expression without a result adds no tag");
    }

    @Test
    void otherOutcomeSaysWhatToDo() {
        fails(
                () -> assertThat(page).fragment("/live").wasMiss(),
                "expected fragment /live of /home to have the outcome miss",
                "miss: fetched, and may be stored",
                "hit: stored, and fresh",
                "site.reset() clears the site, site.purge(\"/live\") removes it");
        fails(
                () -> assertThat(page).fragment("/me").wasHit(),
                "it is not stored: Cache-Control says private");
        fails(
                () -> assertThat(page).fragment("/name").wasHit(),
                "was the page requested before",
                "within its ttl of 5s");
        fails(
                () -> assertThat(page).fragment("/live").wasStale(),
                "site.clock().advance(...)",
                "it is fresh for 30s, then stale for 60s");
        fails(
                () -> assertThat(page).fragment("/map").wasRevalidated(),
                "failed: no usable response",
                "status 503",
                "site.ask(\"/map\")");
        fails(() -> assertThat(page).fragment("/live").isMissing(), "to have the outcome failed");
        fails(
                () -> assertThat(page).fragment("/map").failedWith(404),
                "expected fragment /map of /home to have failed with 404",
                "seen:     503: status 503");
        fails(() -> assertThat(page).fragment("/live").hasStatus(204), "to have status 204");
    }

    @Test
    void cookiesAreNamed() {
        fails(
                () -> assertThat(page).fragment("/me").setsNoCookies(),
                "expected fragment /me of /home to set no cookie",
                "sid=...; Path=/",
                "next: sid: find the code that sets it.");
    }

    @Test
    void placeAndTextAreShown() {
        fails(
                () -> assertThat(page).fragment("/name").isInside("/home"),
                "expected fragment /name of /home to be included by /home",
                "seen:     /me");
        fails(() -> assertThat(page).document().isInside("/x"), "it is the page itself");
        fails(
                () -> assertThat(page).fragment("/live").contains("43 %"),
                "seen:     \"<b>42 %</b>\"");
        fails(() -> assertThat(page).fragment("/me").doesNotContain("reader-a"), "LeakDetector");
        fails(
                () -> assertThat(page).fragment("/live").hasField("Cache-Tag", "z"),
                "seen:     party,x");
        fails(
                () -> assertThat(page).fragment("/name").contains("x"),
                "the application's response for /name is unknown");
    }

    private static void refused(String why, String... fields) {
        var page =
                MadePage.of("/home")
                        .part(MadePart.page("/home"))
                        .part(MadePart.of("/x").as(CacheOutcome.PASS).fields(fields))
                        .made();
        fails(() -> assertThat(page).fragment("/x").isPublic(), why);
    }
}
