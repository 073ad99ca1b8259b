package dev.quire.it.broken;

import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.User;
import dev.quire.test.junit.EsiTest;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Assertions about the news site for each assembler. Run by {@link BrokenProxyIT}, which selects
 * the assembler through {@link CandidateSource}.
 */
@EsiTest
class HealthySite {
    /** Tag of tests that need a cache between clients and application. */
    static final String IN_BETWEEN = "in-between";

    private static final User ANNA = User.user("anna").withCookie("reader", "anna-4711");
    private static final User OTTO = User.user("otto").withCookie("reader", "otto-0815");

    @Test
    void frontPageIsMadeOfItsFragments(EsiSite site) {
        var page = site.get("/");

        assertThat(page)
                .hasStatus(200)
                .hasFragments(
                        "/fragments/live",
                        "/fragments/map",
                        "/fragments/me",
                        "/fragments/imprint",
                        "/fragments/box",
                        "/fragments/region")
                .hasNoUnresolvedIncludes()
                .hasText("title", "Election night");
    }

    @Test
    void fragmentsIncludeFragments(EsiSite site) {
        assertThat(site.get("/"))
                .fragment("/fragments/region")
                .isInside("/fragments/box")
                .and()
                .hasText("#box i", "Region 5 has been counted")
                .trace()
                .hasDepth(2);
    }

    @Test
    void readersGetNothingOfTheTalkWithTheApplication(EsiSite site) {
        assertThat(site.get("/")).hasNoEsiMarkup();
        assertThat(site.get("/")).hasNoEsiMarkup();
    }

    @Test
    @Tag(IN_BETWEEN)
    void fragmentByItselfTellsItsReaderNothingOfItEither(EsiSite site) {
        assertThat(site.get("/fragments/live")).hasText("p", "turnout 61.4 %").hasNoEsiMarkup();
    }

    @Test
    void eachReaderIsGreeted(EsiSite site) {
        assertThat(site.as(ANNA).get("/")).hasText("header", "Good evening, anna-4711").isPrivate();
        assertThat(site).keepsApart("/", ANNA, OTTO);
    }

    @Test
    void resultsAreTheSameForAll(EsiSite site) {
        assertThat(site).showsTheSame("/fragments/live", ANNA, OTTO, User.anonymous());
    }

    @Test
    void fragmentsSayWhatTheyMayBeKeptFor(EsiSite site) {
        assertThat(site.get("/"))
                .fragment("/fragments/live")
                .isPublic()
                .ttl("30s")
                .stale("60s")
                .hasExactlyTags("election", "region-11")
                .and()
                .fragment("/fragments/me")
                .isPrivate()
                .setsNoCookies();
    }

    @Test
    @Tag(IN_BETWEEN)
    void resultsAreFreshForHalfAMinuteAndNeverOlderThanAMinuteAndAHalf(EsiSite site) {
        assertThat(site)
                .keeps("/fragments/live")
                .onPage("/")
                .freshFor("30s")
                .thenServesStaleFor("60s");
    }

    @Test
    @Tag(IN_BETWEEN)
    void whatWasKeptIsNotAskedForAgain(EsiSite site) {
        assertThat(site.as(ANNA).get("/"))
                .trace()
                .madeRequestsOnly(
                        "/",
                        "/fragments/live",
                        "/fragments/map",
                        "/fragments/me",
                        "/fragments/imprint",
                        "/fragments/box",
                        "/fragments/region");
        assertThat(site.as(OTTO).get("/"))
                .trace()
                .madeRequestsOnly("/fragments/me")
                .and()
                .fragment("/fragments/live")
                .wasHit()
                .and()
                .fragment("/fragments/me")
                .wasPassed();
    }

    @Test
    @Tag(IN_BETWEEN)
    void stampedeIsOneRequest(EsiSite site) {
        assertThat(site)
                .answersStampedeOf(20, "/")
                .withStatus(200)
                .withRequests("/", 1)
                .withRequests("/fragments/live", 1)
                .withRequests("/fragments/map", 1);
    }

    @Test
    @Tag(IN_BETWEEN)
    void newCountRefetchesTheResultsOfItsRegion(EsiSite site) {
        assertThat(site)
                .afterInvalidating("region-11")
                .onPage("/")
                .refetchesOnly("/fragments/live");
    }

    @Test
    @Tag(IN_BETWEEN)
    void droppedMapIsFetchedAgain(EsiSite site) {
        assertThat(site).afterPurging("/fragments/map").onPage("/").refetchesOnly("/fragments/map");
    }

    @Test
    @Tag(IN_BETWEEN)
    void somethingStandsInForTheMapThatFails(EsiSite site, Faults faults) {
        var page = site.with(faults.fail("/fragments/map", 503)).get("/");

        assertThat(page)
                .degrades()
                .keepsStatus(200)
                .showsEverythingBut("/fragments/map")
                .showsFallback("/fragments/map", "no map tonight")
                .showsNoErrorBody();
    }

    @Test
    @Tag(IN_BETWEEN)
    void nothingIsShownOfTheMapThatBreaksOff(EsiSite site, Faults faults) {
        var page = site.with(faults.truncate("/fragments/map", 12)).get("/");

        assertThat(page)
                .degrades()
                .showsNoErrorBody()
                .showsFallback("/fragments/map", "no map tonight");
    }

    @Test
    @Tag(IN_BETWEEN)
    void mapThatBrokeOffIsAskedForAgain(EsiSite site, Faults faults) {
        site.with(faults.truncate("/fragments/map", 12)).get("/");

        assertThat(site.get("/")).fragment("/fragments/map").wasMiss();
    }

    @Test
    @Tag(IN_BETWEEN)
    void slowFragmentsAreFetchedSideBySide(EsiSite site, Faults faults) {
        var page =
                site.with(
                                faults.slow("/fragments/live", Duration.ofMillis(150))
                                        .slow("/fragments/map", Duration.ofMillis(150)))
                        .get("/");

        assertThat(page).trace().ranInParallel("/fragments/live", "/fragments/map");
    }
}
