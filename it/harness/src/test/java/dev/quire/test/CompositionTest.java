package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.PageAssertTest.fails;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import org.junit.jupiter.api.Test;

class CompositionTest {
    private static final String STAMP = "q3V0bW9kZXJuLXN0YW1wcw";

    private static MadePage page(String document, String html) {
        return MadePage.of("/home")
                .html(html)
                .part(
                        MadePart.page("/home")
                                .fields("Surrogate-Control", "content=\"ESI/1.0\"")
                                .body(document));
    }

    private static final String TWO =
            "<i><esi:include src=\"/one\"/></i><i><esi:include src=\"two?x=1&amp;y=2\"/></i>";

    @Test
    void fragmentsInTheirPlacesAreWell() {
        assertThat(
                        page(TWO, "<i>first</i><i>second</i>")
                                .part(MadePart.of("/one").body(" first\n"))
                                .part(MadePart.of("/two?x=1&y=2").body("second"))
                                .made())
                .hasNoUnresolvedIncludes();
    }

    @Test
    void fragmentIsReadInTheCharsetOfItsPage() {
        assertThat(
                        page(TWO, "<i>Zürich</i><i>Genève</i>")
                                .field("Content-Type", "text/html;charset=iso-8859-1")
                                .part(MadePart.of("/one").body("Zürich"))
                                .part(
                                        MadePart.of("/two?x=1&y=2")
                                                .fields("Content-Type", "text/html;charset=utf-8")
                                                .body("Genève"))
                                .made())
                .hasNoUnresolvedIncludes();
    }

    @Test
    void includeThatWasDroppedIsNamed() {
        fails(
                () ->
                        assertThat(
                                        page(TWO, "<i>first</i><i></i>")
                                                .part(MadePart.of("/one").body("first"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "expected every include of /home to be resolved",
                "/two?x=1&y=2 was never requested, although /home includes it");
    }

    @Test
    void fragmentThatWasFetchedAndNotWrittenIsNamed() {
        fails(
                () ->
                        assertThat(
                                        page(TWO, "<i>first</i><i></i>")
                                                .part(MadePart.of("/one").body("first"))
                                                .part(MadePart.of("/two?x=1&y=2").body("second"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "/two?x=1&y=2 is not in the place where /home includes it: \"second\"");
    }

    @Test
    void wrongOrderIsNamed() {
        fails(
                () ->
                        assertThat(
                                        page(TWO, "<i>second</i><i>first</i>")
                                                .part(MadePart.of("/one").body("first"))
                                                .part(MadePart.of("/two?x=1&y=2").body("second"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "/two?x=1&y=2 appears before /one, although /home includes it after that");
    }

    @Test
    void attemptThatSucceededHasItsPlaceToo() {
        var document =
                "<esi:try><esi:attempt><esi:include src=\"/one\"/></esi:attempt><esi:except>none"
                        + "</esi:except></esi:try><esi:include src=\"/two\"/>";

        fails(
                () ->
                        assertThat(
                                        page(document, "second first")
                                                .part(MadePart.of("/one").body("first"))
                                                .part(MadePart.of("/two").body("second"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "/two appears before /one, although /home includes it after that");
        assertThat(
                        page(document, "none second")
                                .part(MadePart.of("/one").body("first"))
                                .part(MadePart.of("/two").body("second"))
                                .made())
                .as("the attempt was given up for another reason")
                .hasNoUnresolvedIncludes();
    }

    @Test
    void whatIsAssignedIsWrittenWhereItIsUsed() {
        assertThat(
                        page(
                                        "<esi:assign name=\"box\"><esi:include src=\"/one\"/></esi:assign>"
                                                + "<esi:include src=\"/two\"/><esi:vars>$(box)</esi:vars>",
                                        "second first")
                                .part(MadePart.of("/one").body("first"))
                                .part(MadePart.of("/two").body("second"))
                                .made())
                .hasNoUnresolvedIncludes();
    }

    @Test
    void failureNobodyHasProvidedForIsNamed() {
        fails(
                () ->
                        assertThat(
                                        page("<esi:include src=\"/one\"/>", "")
                                                .part(MadePart.of("/one").failed(503, "status 503"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "/one is missing: status 503, and its include has neither alt nor onerror nor a try");
        assertThat(
                        page("<esi:include src=\"/one\" onerror=\"continue\"/>", "")
                                .part(MadePart.of("/one").failed(503, "status 503"))
                                .made())
                .hasNoUnresolvedIncludes();
    }

    @Test
    void fragmentOfAFragmentIsHeldAgainstItsParent() {
        fails(
                () ->
                        assertThat(
                                        page("<esi:include src=\"/one\"/>", "<b></b>")
                                                .part(
                                                        MadePart.of("/one")
                                                                .fields(
                                                                        "Surrogate-Control",
                                                                        "content=\"ESI/1.0\"")
                                                                .body(
                                                                        "<b><esi:include src=\"/inner\"/></b>"))
                                                .made())
                                .hasNoUnresolvedIncludes(),
                "/inner was never requested, although /one includes it");
    }

    @Test
    void whatDependsOnTheRequestIsNotExpected() {
        assertThat(
                        page(
                                        "<esi:choose><esi:when test=\"$(QUERY_STRING{a})=='1'\"><esi:include src=\"/a\"/></esi:when></esi:choose><esi:include src=\"/$(HTTP_COOKIE{x})\"/><!-- <esi:include src=\"/comment\"/> -->",
                                        "")
                                .made())
                .hasNoUnresolvedIncludes();
    }

    @Test
    void stampedTagsAloneAreIncludes() {
        var document = "<esi:include src=\"/text\"/><esi:" + STAMP + ":include src=\"/one\"/>";

        fails(
                () -> assertThat(page(document, "").made()).hasNoUnresolvedIncludes(),
                "seen:     /one was never requested, although /home includes it\n\n");
    }

    @Test
    void documentThatIsNoneHasNoIncludes() {
        assertThat(
                        MadePage.of("/home")
                                .part(
                                        MadePart.page("/home")
                                                .as(CacheOutcome.HIT)
                                                .body("<esi:include src=\"/one\"/>"))
                                .made())
                .hasNoUnresolvedIncludes();
    }
}
