package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.PageAssertTest.fails;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import java.util.List;
import org.junit.jupiter.api.Test;

class DegradationAssertTest {
    private static final String DOCUMENT =
            """
            <h1>Home</h1>
            <esi:include src="/alt-ed" alt="/stand-in"/>
            <esi:try><esi:attempt><esi:include src="/tried"/></esi:attempt>\
            <esi:except>results are late</esi:except></esi:try>
            <esi:include src="/optional" onerror="continue"/>
            <esi:include src="/bare"/>
            <esi:include src="/well"/>
            """;

    private static final String LATIN = "text/html;charset=iso-8859-1";

    private static MadePage home(String html) {
        return MadePage.of("/home")
                .html(html)
                .part(
                        MadePart.page("/home")
                                .fields("Surrogate-Control", "content=\"ESI/1.0\"")
                                .body(DOCUMENT))
                .part(MadePart.of("/alt-ed").failed(503, "status 503"))
                .part(MadePart.of("/stand-in").body("instead"))
                .part(MadePart.of("/tried").failed(0, "no answer"))
                .part(MadePart.of("/optional").failed(503, "status 503"))
                .part(MadePart.of("/bare").failed(503, "status 503"))
                .part(MadePart.of("/well").body("all is open"))
                .request(
                        "/bare",
                        0,
                        1,
                        new Reply.Whole(MadePage.response(503, "<h1>Whitelabel error</h1>")))
                .request(
                        "/tried",
                        0,
                        1,
                        new Reply.Cut(MadePage.response(200, "<ul><li>CDU 31 %<li>SPD"), 16));
    }

    private final Page page = home("<h1>Home</h1>instead results are late all is open").made();

    @Test
    void whatHoldsIsSaidInOneSentence() {
        assertThat(page)
                .degrades()
                .keepsStatus(200)
                .showsFallback("/alt-ed")
                .showsFallback("/tried")
                .showsFallback("/tried", "results are late")
                .showsEverythingBut("/alt-ed", "/tried", "/optional", "/bare")
                .showsNoErrorBody()
                .and()
                .contains("all is open");
    }

    @Test
    void staleCopyIsAFallback() {
        var live = MadePart.of("/live").as(CacheOutcome.STALE);
        var pages =
                List.of(
                        stale(live.kept(31, 30, 60, 600))
                                .request(
                                        "/live",
                                        0,
                                        1,
                                        new Reply.Whole(MadePage.response(503, "closed"))),
                        stale(live).request("/live", 0, 1, new Reply.None("no answer")),
                        // its server was not even asked
                        stale(live.kept(91, 30, 60, 600)));

        for (var page : pages) {
            assertThat(page.made()).degrades().showsFallback("/live").showsFallback("/live", "");
        }
    }

    @Test
    void staleCopyWithinItsGraceIsNoDegradation() {
        var page =
                stale(MadePart.of("/live").as(CacheOutcome.STALE).kept(31, 30, 60, 600))
                        .request("/live", 0, 1);

        fails(
                () -> assertThat(page.made()).degrades(),
                "expected a part of /home to have failed",
                "seen:     no failure");
        var other = page.request("/map", 0, 1, new Reply.None("no answer")).made();
        fails(
                () -> assertThat(other).degrades().showsFallback("/live"),
                "expected /live of /home to have failed",
                "seen:     /live STALE");
        fails(
                () -> assertThat(other).degrades().showsFallback("/live", ""),
                "seen:     /live STALE");
    }

    private static MadePage stale(MadePart fragment) {
        return MadePage.of("/home").part(MadePart.page("/home")).part(fragment);
    }

    @Test
    void nothingThatFailedIsNoDegradation() {
        var page =
                MadePage.of("/home")
                        .with(Faults.none().fail("/lives", 503))
                        .part(MadePart.page("/home"))
                        .part(MadePart.of("/live"))
                        .request("/home", 0, 1)
                        .made();

        fails(
                () -> assertThat(page).degrades(),
                "expected a part of /home to have failed",
                "no failure; faults that matched no request: /lives fails with 503",
                "site.with(Faults.none().fail(\"/live\", 503)).get(\"/home\")");
    }

    @Test
    void storedPageMeetsNoFault() {
        var page = MadePage.of("/home").part(MadePart.page("/home").as(CacheOutcome.HIT)).made();

        fails(
                () -> assertThat(page).degrades(),
                "every part came from the cache, so no fault could occur");
    }

    @Test
    void missingFallbackNamesWhatWasProvided() {
        fails(
                () -> assertThat(page).degrades().showsFallback("/optional"),
                "expected /home to show a fallback in place of /optional",
                "a fallback (its include has only onerror=\"continue\")");
        fails(
                () -> assertThat(page).degrades().showsFallback("/bare"),
                "a fallback (its include has none)",
                "an include without alt or try leaves nothing");
        fails(
                () -> assertThat(home("<h1>Home</h1>").made()).degrades().showsFallback("/tried"),
                "expected: except \"results are late\"",
                "the page has none: \"<h1>Home</h1>\"");
        fails(
                () -> assertThat(page).degrades().showsFallback("/tried", "sorry"),
                "expected /home to show \"sorry\" in place of /tried");
        fails(
                () -> assertThat(page).degrades().showsFallback("/well"),
                "expected /well of /home to have failed",
                "Faults.none().fail(\"/well\", 503)");
    }

    @Test
    void whatElseIsMissingIsNamed() {
        fails(
                () -> assertThat(page).degrades().showsEverythingBut("/alt-ed", "/tried", "/bare"),
                "expected /home to show everything but /alt-ed, /tried, /bare",
                "/optional is missing too: status 503");
        fails(
                () ->
                        assertThat(home("<h1>Home</h1>instead results are late").made())
                                .degrades()
                                .showsEverythingBut("/alt-ed", "/tried", "/optional", "/bare"),
                "/well is not in the place where /home includes it: \"all is open\"");
    }

    @Test
    void errorPageInThePageIsFound() {
        fails(
                () ->
                        assertThat(home("<p><h1>Whitelabel error</h1></p>").made())
                                .degrades()
                                .showsNoErrorBody(),
                "expected /home to show no part of a failed response",
                "/bare answered 503, and \"<h1>Whitelabel error</h1>\" is in the page");
    }

    @Test
    void textsAreReadInTheCharsetOfThePage() {
        var page =
                MadePage.of("/home")
                        .html("<b>später</b><h1>Störung</h1>")
                        .field("Content-Type", LATIN)
                        .part(
                                MadePart.page("/home")
                                        .fields("Content-Type", LATIN)
                                        .body(
                                                DOCUMENT.replace(
                                                        "results are late", "<b>später</b>")))
                        .part(MadePart.of("/tried").failed(503, "status 503"))
                        .request(
                                "/tried",
                                0,
                                1,
                                new Reply.Whole(MadePage.response(503, "<h1>Störung</h1>")))
                        .made();

        assertThat(page).degrades().showsFallback("/tried");
        fails(() -> assertThat(page).degrades().showsNoErrorBody(), "/tried answered 503");
    }

    @Test
    void pieceOfWhatBrokeOffIsFound() {
        fails(
                () ->
                        assertThat(home("<div><ul><li>CDU 31 %</div>").made())
                                .degrades()
                                .showsNoErrorBody(),
                "/tried answered 200, broken off after 16 bytes, and \"<ul><li>CDU 31 %\" is");
        assertThat(home("<div><ul><li>CDU 31 %<li>SPD</div>").made()).degrades().showsNoErrorBody();
    }

    @Test
    void otherStatusIsShown() {
        fails(
                () -> assertThat(home("gone").status(502).made()).degrades().keepsStatus(200),
                "expected /home to have status 200 although a part failed",
                "seen:     502, \"gone\"",
                "onerror=\"fail\"");
    }

    @Test
    void failureThatWasTakenForAFragmentIsNamed() {
        var pasted =
                MadePage.of("/home")
                        .html("<h1>Whitelabel error</h1>")
                        .part(MadePart.page("/home").body(DOCUMENT))
                        .part(MadePart.of("/bare").body("<h1>Whitelabel error</h1>"))
                        .request(
                                "/bare",
                                0,
                                1,
                                new Reply.Whole(
                                        MadePage.response(503, "<h1>Whitelabel error</h1>")))
                        .made();

        fails(
                () -> assertThat(pasted).degrades().showsEverythingBut("/bare"),
                "expected /bare of /home to have failed",
                "/bare MISS, although the application answered 503",
                "next: the proxy accepted a failed response as a fragment, or retried");
    }
}
