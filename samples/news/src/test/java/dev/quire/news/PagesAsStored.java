package dev.quire.news;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.User.anonymous;

import dev.quire.test.EsiSite;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the freshness lifetime and tags of pages and fragments. */
abstract class PagesAsStored extends PagesAsRead {

    @ParameterizedTest
    @CsvSource({
        "/main/home.nhn,                          60s, home",
        "/main/read.nhn?oid=014&aid=0000004665,   5m,  article-0000004665",
        "/president2012/index.nhn,                60s, election",
        "/president2012/news/index.nhn,           60s, election-stories",
        "/president2012/trend/index.nhn,          60s, election",
        "/president2012/candidate/index.nhn,      60s, election",
        "/main.nhn?mode=LSD&sid=100,              60s, section-100",
        "/main.nhn?mode=LSD&sid=106,              60s, section-106"
    })
    void everyPageIsStoredForEveryoneWithoutWhatIsTheReadersOwn(
            String path, String ttl, String tag, EsiSite site) {
        var reader = site.as(Paper.FIRST_READER).loggedIn();

        assertThat(site.get(path))
                .document()
                .wasMiss()
                .isPublic()
                .ttl(ttl)
                .stale("30s")
                .staleIfError("1h")
                .hasTags(tag)
                .setsNoCookies()
                .doesNotContain("<form", "_csrf", "jsessionid");
        assertThat(reader.get(path)).document().wasHit();
    }

    @ParameterizedTest
    @CsvSource({
        "headline,   60s, 30s, election",
        "live,       3s,  10s, election",
        "candidates, 30s, 15s, election",
        "regions,    30s, 15s, election",
        "map,        30s, 15s, election",
        "table,      30s, 15s, election",
        "trend,      30s, 15s, election",
        "most-read,  60s, 30s, most-read",
        "footer,     1d,  1h,  frame"
    })
    void everyPublicFragmentHasALifetimeOfItsOwn(
            String name, String ttl, String stale, String tag, EsiSite site) {
        var fragment = site.get("/fragment/" + name);

        assertThat(fragment)
                .hasStatus(200)
                .document()
                .isPublic()
                .ttl(ttl)
                .stale(stale)
                // lists also carry the tags of the articles they show
                .hasTags(tag)
                .setsNoCookies()
                .doesNotContain("<html", "<form", "_csrf", "jsessionid", "<esi:");
        assertThat(fragment.html()).startsWith("<");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/fragment/greeting", "/fragment/scrap-count"})
    void whatIsTheReadersOwnIsStoredNowhereAndStartsNoSession(String fragment, EsiSite site) {
        assertThat(site.get(fragment))
                .hasStatus(200)
                .document()
                .isPrivate()
                .hasField("Cache-Control", "private, no-store")
                .setsNoCookies();
        assertThat(site.as(anonymous()).cookies()).isEmpty();
        assertThat(site.get(fragment)).document().wasPassed();
    }

    @Test
    void wordsOfAChartAreInItsLegendToo(EsiSite site) {
        var trend = site.get("/fragment/trend").dom();

        var atTheLines = trend.select("text.line-words").eachText();
        var inTheLegends = trend.select("span:not([class]):matchesOwn(^No\\. )").eachText();

        assertThat(atTheLines).hasSize(2 + 6).allMatch(words -> words.startsWith("No. "));
        assertThat(inTheLegends).containsExactlyInAnyOrderElementsOf(atTheLines);
    }
}
