package dev.quire.news;

import static dev.quire.news.Paper.AN_ARTICLE;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.THE_CANDIDATES;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.test.EsiSite;
import org.jsoup.Jsoup;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of pages as readers get them, for each way of assembling. */
abstract class PagesAsRead {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /main/home.nhn                          | headline live map candidates most-read
                    /main/read.nhn?oid=014&aid=0000004665   | tools?oid=014&aid=0000004665 live most-read
                    /president2012/index.nhn                | headline live candidates map regions most-read
                    /president2012/news/index.nhn           | headline live candidates most-read
                    /president2012/trend/index.nhn          | trend live regions most-read
                    /president2012/candidate/index.nhn      | candidates live table map most-read
                    /main.nhn?mode=LSD&sid=100              | live most-read
                    /main.nhn?mode=LSD&sid=106              | live most-read
                    """)
    void everyPageIsMadeOfItsFragmentsAndShowsNoTraceOfThat(
            String path, String fragments, EsiSite site) {
        var made = "greeting scrap-count %s footer".formatted(fragments);

        var page = site.get(path);

        assertThat(page)
                .hasStatus(200)
                .hasFragments(("/fragment/" + made.replace(" ", " /fragment/")).split(" ", -1))
                .hasNoUnresolvedIncludes()
                .hasNoEsiMarkup()
                .hasNoField("Surrogate-Control")
                .contains("Log in", "Live count", "Most read", "This paper is a sample");
        assertThat(site.get(path)).hasSameBytesAs(page);
    }

    @ParameterizedTest
    @ValueSource(strings = {FRONT_PAGE, AN_ARTICLE, THE_CANDIDATES, "/login"})
    void nothingIsAskedOfAnotherHost(String path, EsiSite site) {
        assertThat(site.get(path))
                .hasNoElement("[src*='://'], [href*='://'], [action*='://']")
                .hasNoElement("[src^='//'], [href^='//'], [action^='//']");
    }

    @ParameterizedTest
    @CsvSource({
        "/main/read.nhn?oid=014&aid=0000099999, 404",
        "/main/read.nhn?oid=001&aid=0000004665, 404",
        "/main/read.nhn?oid=014&aid=x, 404",
        "/main/read.nhn?oid=014, 400",
        "/main.nhn?mode=LSD&sid=104, 404",
        "/main.nhn?mode=LSD&sid=politics, 400",
        "/main.nhn?mode=LSD&sid=100&page=0, 404",
        "/main.nhn?mode=LSD&sid=100&page=100000, 404",
        "/no/such/page, 404"
    })
    void whatIsNotThereIsAnErrorThatNobodyKeeps(String path, int status, EsiSite site) {
        assertThat(site.get(path)).hasStatus(status).isNotStored().contains("The Daily Quire");
        assertThat(site.get(path)).trace().madeRequestsOnly(path);
    }

    @Test
    void theRootLeadsToTheFrontPage(EsiSite site) {
        assertThat(site.get("/")).hasStatus(302).redirectsTo(FRONT_PAGE);
    }

    @Test
    void assetsMayBeKeptForAYearBecauseTheirNamesChangeWithThem(EsiSite site) {
        var style = site.get(FRONT_PAGE).dom().select("link[rel=stylesheet]").attr("href");

        assertThat(style).matches("/assets/site-[0-9a-f]+\\.css");
        assertThat(site.get(style)).hasStatus(200).isCacheableFor("365d");
        assertThat(site.get(style).headers().first("Cache-Control")).contains("public");
    }

    @Test
    void theSitemapListsEveryArticleByAnAddressThatWorks(EsiSite site) {
        var sitemap = Jsoup.parse(site.get("/sitemap.xml").html(), Parser.xmlParser());
        var articles =
                sitemap.select("loc").eachText().stream()
                        .map(address -> address.substring(address.indexOf("/main/read")))
                        .toList();

        assertThat(articles).hasSize(20_000).doesNotHaveDuplicates();
        assertThat(site.get(articles.getLast())).hasStatus(200);
    }
}
