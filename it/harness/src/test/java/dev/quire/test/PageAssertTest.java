package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.EsiAssertions.assertThatThrownBy;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import org.assertj.core.api.SoftAssertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PageAssertTest {
    private static final String STAMP = "q3V0bW9kZXJuLXN0YW1wcw";

    private static MadePage home() {
        return MadePage.of("/home")
                .html("<h1>Election  night</h1><p class=a>42 %</p><b>Hello</b>")
                .field("Cache-Control", "public, max-age=30")
                .part(
                        MadePart.page("/home")
                                .during(0, 8)
                                .kept(0, 30, 10, 0)
                                .fields("Surrogate-Control", "content=\"ESI/1.0\"")
                                .body(
                                        "<h1>Election  night</h1><esi:include src=\"/live?r=1\"/><esi:include src=\"/me\"/>"))
                .part(
                        MadePart.of("/live?r=1")
                                .during(1, 5)
                                .kept(0, 30, 60, 0)
                                .body("<p class=a>42 %</p>"))
                .part(MadePart.of("/me").as(CacheOutcome.PASS).during(1, 8).body("<b>Hello</b>"))
                .request("/home", 0, 1);
    }

    @Test
    void whatHoldsIsSaidInOneSentence() {
        assertThat(home().made())
                .hasStatus(200)
                .contains("Election", "42 %")
                .doesNotContain("reader-b")
                .hasText("h1", "Election night")
                .hasElement("p.a")
                .hasNoElement("script")
                .hasField("Cache-Control", "public, max-age=30")
                .hasField("cache-control")
                .hasNoField("Set-Cookie")
                .hasFragments("/live", "/me")
                .hasNoEsiMarkup()
                .hasNoUnresolvedIncludes()
                .isCacheableFor("30s");
    }

    @Test
    void wholeMessageSaysExpectedSeenTreeAndNext() {
        var page = home().status(503).made();

        assertThatThrownBy(() -> assertThat(page).hasStatus(200))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        """
                        expected /home to have status 200
                          expected: 200
                          seen:     503, "<h1>Election  night</h1><p class=a>42 %</p><b>Hello</b>"

                        /home as received by anonymous, assembled by the proxy, at 12:00:00 on the site's clock
                          part         outcome  status  ms                               stored                   tags
                          /home        miss     200     0-8  |========================|  30s of 30s left
                            /live?r=1  miss     200     1-5  |   ============         |  30s of 30s left
                            /me        pass     200     1-8  |   =====================|  not stored: no-lifetime
                        requests that reached the application:
                          GET /home -> 200, 0-1 ms

                        next: the trace above shows which part failed and the application's response\
                        """);
    }

    @Test
    void descriptionStandsInFront() {
        assertThatThrownBy(() -> assertThat(home().made()).as("on election night").hasStatus(404))
                .hasMessageStartingWith("[on election night] expected /home to have status 404");
    }

    @Test
    void softAssertionsCollectWhatFails() {
        var softly = new SoftAssertions();
        softly.check(() -> assertThat(home().made()).hasStatus(404));
        softly.check(() -> assertThat(home().made()).fragment("/live").isPrivate());
        softly.check(() -> assertThat(home().made()).hasStatus(200));

        assertThat(softly.assertionErrorsCollected()).hasSize(2);
    }

    @Test
    void missingTextAndElementsAreShownWithWhatIsThere() {
        fails(
                () -> assertThat(home().made()).contains("reader-a"),
                "expected /home to contain \"reader-a\"",
                "a page of 55 characters without it");
        fails(
                () -> assertThat(home().made()).doesNotContain("42 %"),
                "expected /home not to contain \"42 %\"",
                "in /live?r=1 MISS",
                "LeakDetector");
        fails(
                () -> assertThat(home().made()).hasText("h1", "Results"),
                "expected /home to have the text \"Results\" in h1",
                "seen:     \"Election night\"");
        fails(
                () -> assertThat(home().made()).hasElement("nav"),
                "expected /home to have an element nav",
                "none in a page of");
        fails(
                () -> assertThat(home().made()).hasNoElement("p"),
                "expected /home to have no element p",
                "html > body > p: \"<p class=\\\"a\\\">42 %</p>\"");
    }

    @Test
    void fieldsAreShownAsTheyCame() {
        fails(
                () -> assertThat(home().made()).hasField("Cache-Control", "no-store"),
                "expected /home to have Cache-Control: no-store",
                "seen:     public, max-age=30");
        fails(() -> assertThat(home().made()).hasField("ETag"), "none among [Cache-Control]");
        fails(
                () -> assertThat(home().made()).hasNoField("Cache-Control"),
                "expected /home to have no field Cache-Control");
    }

    @Test
    void redirectIsFollowedByName() {
        var page = MadePage.of("/a/old?x=1").status(302).field("Location", "../new").made();

        assertThat(page).redirectsTo("/new");
        fails(
                () -> assertThat(page).redirectsTo("/other"),
                "expected /a/old?x=1 to redirect to /other",
                "seen:     ../new");
        fails(
                () -> assertThat(home().made()).redirectsTo("/login"),
                "no redirect: status 200",
                "the reader is anonymous");
    }

    @Test
    void fragmentsAreHeldAgainstTheirOrder() {
        fails(
                () -> assertThat(home().made()).hasFragments("/me", "/live"),
                "expected /home to have 2 fragments",
                "expected: /me, /live",
                "seen:     /live?r=1, /me",
                "(the same, in another order)");
        fails(
                () -> assertThat(home().made()).hasFragments("/live", "/map"),
                "(missing: /map; unexpected: /me)");
        fails(() -> assertThat(home().made()).hasFragments(), "expected: none");
    }

    @Test
    void unknownFragmentNamesThoseThereAre() {
        fails(
                () -> assertThat(home().made()).fragment("/lives"),
                "expected a fragment /lives of /home",
                "only /live?r=1, /me",
                "check that the path is spelled as in the include");
        fails(
                () -> assertThat(home().made()).fragment("live"),
                "'live' is neither a path nor a handler of the application");
        fails(
                () -> assertThat(home().untold().made()).fragment("/live"),
                "the parts of /home are unknown: the proxy does not report them",
                "assembledBy(Assembling.PROXY)");
    }

    @Test
    void markupThatReachesAReaderIsFound() {
        fails(
                () ->
                        assertThat(home().html("<p><esi:include src=\"/x\"/></p>").made())
                                .hasNoEsiMarkup(),
                "expected /home to have no ESI markup",
                "the tag \"<esi:include src=\\\"/x\\\"/>\" in");
        fails(
                () -> assertThat(home().html("a<!--esi b-->").made()).hasNoEsiMarkup(),
                "the tag \"<!--esi\"");
        fails(
                () -> assertThat(home().html("Hi $(HTTP_COOKIE{name})").made()).hasNoEsiMarkup(),
                "the tag \"$(HTTP_COOKIE{name})\"");
        fails(
                () -> assertThat(home().field("Surrogate-Key", "a").made()).hasNoEsiMarkup(),
                "the field Surrogate-Key: a",
                "next: a surrogate removes these fields");
        fails(
                () ->
                        assertThat(
                                        home().html("<i>" + STAMP + "</i>")
                                                .request(
                                                        "/home",
                                                        0,
                                                        1,
                                                        new Reply.None(""),
                                                        "Surrogate-Capability",
                                                        "quire=\"ESI/1.0 Stamp/1." + STAMP + "\"")
                                                .made())
                                .hasNoEsiMarkup(),
                "a stamp in \"<i>" + STAMP + "</i>\"");
    }

    @Test
    void jqueryIsNoMarkupOfOurs() {
        assertThat(home().html("<script>$(document).ready($('.a'))</script>").made())
                .hasNoEsiMarkup();
    }

    @Test
    void pageThatIsNoDocumentIsNamedAsTheCause() {
        var page =
                MadePage.of("/home")
                        .html("<esi:include src=\"/x\"/>")
                        .part(MadePart.page("/home"))
                        .made();

        fails(
                () -> assertThat(page).hasNoEsiMarkup(),
                "the application did not send Surrogate-Control: content=\"ESI/1.0\", so");
    }

    @Test
    void lifetimeForReadersIsWhatTheyAreTold() {
        fails(
                () -> assertThat(home().made()).isCacheableFor("1m"),
                "expected readers of /home to be allowed to cache it for 60s",
                "seen:     30s",
                "Cache-Control: public, max-age=30",
                "assertThat(page).document().ttl(");
        assertThat(home().field("Age", "10").made()).isCacheableFor("20s");
        fails(() -> assertThat(home().made()).isPrivate(), "to be private to its reader");
        fails(() -> assertThat(home().made()).isNotStored(), "not to be stored by any cache");
        assertThat(MadePage.of("/").field("Cache-Control", "private, no-cache").made())
                .isPrivate()
                .isCacheableFor("0s");
        assertThat(MadePage.of("/").field("Cache-Control", "no-store").made())
                .isPrivate()
                .isNotStored();
    }

    @Test
    void pagesAreHeldAgainstOthers() {
        var page = home().made();
        var other = MadePage.of("/home").html("<h1>Election night</h1><p class=a>43 %</p>").made();

        assertThat(page).hasSameDomAs(page).hasSameBytesAs(page);
        assertThat(page).ignoring("p").ignoring("b").hasSameDomAs(other);
        fails(
                () -> assertThat(page).hasSameDomAs(other),
                "expected: \"43 %\"",
                "seen:     \"42 %\"",
                "the text of html > body > p");
        fails(
                () -> assertThat(page).hasSameBytesAs(other),
                "expected: \"night</h1><p class=a>43 %</p>\"",
                "from byte 13 on");
    }

    @Test
    void wrongTimeSaysWhatWouldBeOne() {
        fails(() -> assertThat(home().made()).isCacheableFor("soon"), "'soon' is not a duration");
    }

    static void fails(ThrowingCallable claim, String... messages) {
        assertThatThrownBy(claim).hasMessageContainingAll(messages);
    }
}
