package dev.quire.news;

import static dev.quire.news.Paper.AN_ARTICLE;
import static dev.quire.news.Paper.CANDIDATES;
import static dev.quire.news.Paper.ELECTION_NEWS;
import static dev.quire.news.Paper.ENTERTAINMENT;
import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FOOTER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.GREETING;
import static dev.quire.news.Paper.KEPT_ARTICLES;
import static dev.quire.news.Paper.LIVE_COUNT;
import static dev.quire.news.Paper.MAP;
import static dev.quire.news.Paper.POLITICS;
import static dev.quire.news.Paper.SCRAP_COUNT;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.news.Paper.THE_CANDIDATES;
import static dev.quire.news.Paper.THE_ELECTION;
import static dev.quire.news.Paper.THE_NIGHT_SO_FAR;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.election.VoteFeed;
import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.Page;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** Tests of the election night: expiry, new votes, many readers and failing fragments. */
abstract class ElectionNight {
    @Autowired ApplicationContext paper;
    @Autowired VoteFeed feed;

    @Test
    void aReaderIsGreetedOnAPageThatIsStoredForEveryone(EsiSite site) {
        var first = site.as(FIRST_READER).loggedIn();
        var second = site.as(SECOND_READER).loggedIn();

        assertThat(first.get(FRONT_PAGE)).contains("reader1").doesNotContain("reader2");
        var page = second.get(FRONT_PAGE);

        assertThat(page).contains("reader2").doesNotContain("reader1").document().wasHit();
        assertThat(page).fragment(LIVE_COUNT).wasHit().isPublic().ttl("3s").hasTags("election");
        assertThat(page).fragment(GREETING).wasPassed().isPrivate().contains("reader2");
        assertThat(page).fragment(SCRAP_COUNT).wasPassed().isPrivate();
        assertThat(page).trace().madeRequestsOnly(GREETING, SCRAP_COUNT);
    }

    @Test
    void onlyWhatHasAgedIsFetchedAgain(EsiSite site, TestClock clock) {
        site.get(FRONT_PAGE);

        clock.advance(Duration.ofSeconds(4));

        assertThat(site.get(FRONT_PAGE))
                .trace()
                .madeRequestsOnly(LIVE_COUNT, GREETING, SCRAP_COUNT);

        clock.advance(Duration.ofSeconds(27));

        assertThat(site.get(FRONT_PAGE))
                .trace()
                .madeRequestsOnly(LIVE_COUNT, CANDIDATES, MAP, GREETING, SCRAP_COUNT);
    }

    @Test
    void theLiveCountIsFreshForThreeSecondsAndThePageAroundItForAMinute(EsiSite site) {
        assertThat(site)
                .keeps(LIVE_COUNT)
                .onPage(FRONT_PAGE)
                .freshFor("3s")
                .thenServesStaleFor("10s");
        assertThat(site).keeps(FRONT_PAGE).freshFor("60s").thenServesStaleFor("30s");
        assertThat(site).keeps(FOOTER).freshFor("1d").thenServesStaleFor("1h");
    }

    @Test
    void votesShowOnceTheLiveCountHasAged(EsiSite site, TestClock clock) {
        var before = counted(site.get(FRONT_PAGE).dom());
        feed.advance();
        assertThat(counted(site.get(FRONT_PAGE).dom())).isEqualTo(before);

        clock.advance(Duration.ofSeconds(14));

        assertThat(counted(site.get(FRONT_PAGE).dom()))
                .isNotEqualTo(before)
                .isEqualTo(counted(Jsoup.parse(site.ask(LIVE_COUNT).text())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                FRONT_PAGE,
                AN_ARTICLE,
                THE_ELECTION,
                ELECTION_NEWS,
                THE_NIGHT_SO_FAR,
                THE_CANDIDATES,
                POLITICS,
                ENTERTAINMENT
            })
    void withoutASurrogateTheSameReaderGetsTheSameBytes(String path, EsiSite site) {
        try (var straight = SpringSite.over(paper, EsiMode.IN_APPLICATION)) {
            var expected = withoutToken(straight.as(FIRST_READER).get(path));

            var page = site.as(FIRST_READER).get(path);
            var again = site.as(FIRST_READER).get(path);

            assertThat(page).hasStatus(200).contains("reader1");
            assertThat(withoutToken(page)).isEqualTo(expected);
            assertThat(withoutToken(again)).isEqualTo(expected);
        }
    }

    @Test
    void aReadersOwnPageIsNeverStored(EsiSite site) {
        site.as(FIRST_READER).get(KEPT_ARTICLES);

        assertThat(site.as(FIRST_READER).get(KEPT_ARTICLES))
                .hasStatus(200)
                .isNotStored()
                .document()
                .isPrivate()
                .wasPassed();
        assertThat(site.get("/login")).isNotStored().document().isPrivate().wasPassed();
    }

    @Test
    void forgettingTheElectionLeavesTheArticlesAlone(EsiSite site) {
        site.get(AN_ARTICLE);
        site.get(THE_ELECTION);

        assertThat(site)
                .afterInvalidating("election")
                .refetchesOnly(
                        THE_ELECTION,
                        "/fragment/headline",
                        LIVE_COUNT,
                        CANDIDATES,
                        MAP,
                        "/fragment/regions");
    }

    @Test
    void forgettingTheMapFetchesTheMap(EsiSite site) {
        assertThat(site).afterPurging(MAP).onPage(FRONT_PAGE).refetchesOnly(MAP);
    }

    @Test
    void whenTwentyReadersComeAtOnceThePaperIsPrintedOnce(EsiSite site) {
        assertThat(site)
                .answersStampedeOf(20, FRONT_PAGE)
                .withStatus(200)
                .withRequests(FRONT_PAGE, 1)
                .withRequests(LIVE_COUNT, 1)
                .withRequests(MAP, 1)
                .withRequests(GREETING, 20);
    }

    @Test
    void whenTheLiveCountFailsThePaperComesWithoutIt(EsiSite site) {
        var page = site.with(Faults.none().fail(LIVE_COUNT, 503)).get(FRONT_PAGE);

        assertThat(page)
                .doesNotContain("Live count")
                .contains("Most read", "Log in")
                .degrades()
                .keepsStatus(200)
                .showsEverythingBut(LIVE_COUNT)
                .showsNoErrorBody();
        assertThat(page).fragment(LIVE_COUNT).failedWith(503);
    }

    @Test
    void whenTheLiveCountBreaksOffNoHalfOfItIsPrinted(EsiSite site) {
        var page = site.with(Faults.none().truncate(LIVE_COUNT, 200)).get(FRONT_PAGE);

        assertThat(page)
                .doesNotContain("Live count")
                .degrades()
                .keepsStatus(200)
                .showsEverythingBut(LIVE_COUNT)
                .showsNoErrorBody();
        assertThat(site.get(FRONT_PAGE)).contains("Live count").fragment(LIVE_COUNT).wasMiss();
    }

    @Test
    void whenTheLiveCountFailsLaterOnTheLastOneStandsIn(EsiSite site, TestClock clock) {
        site.get(FRONT_PAGE);
        clock.advance(Duration.ofMinutes(5));

        var page = site.with(Faults.none().drop(LIVE_COUNT)).get(FRONT_PAGE);

        assertThat(page).contains("Live count").degrades().showsFallback(LIVE_COUNT);
        assertThat(page).fragment(LIVE_COUNT).wasStale();
    }

    /** The CSRF token is masked differently each time. */
    private static String withoutToken(Page page) {
        return page.html().replaceAll("(name=\"_csrf\" value=\")[^\"]+", "$1");
    }

    /** Returns the counted polling places, as a page shows them. */
    private static String counted(Document page) {
        var counted = page.select(".live .detail").text();
        assertThat(counted).endsWith("polling places");
        return counted;
    }
}
