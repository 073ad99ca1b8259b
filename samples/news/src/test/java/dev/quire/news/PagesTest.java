package dev.quire.news;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

@NewsSiteTest
class PagesTest {
    private static final Pattern INCLUDE = Pattern.compile("<esi:include src=\"([^\"]+)\"\\s*/>");

    @LocalServerPort int port;

    private Browser browser;

    @BeforeEach
    void open() {
        browser = new Browser(port);
    }

    @AfterEach
    void close() {
        browser.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /main/home.nhn                          | headline live map candidates most-read
                    /main/read.nhn?oid=014&aid=0000004665   | tools?oid=014&amp;aid=0000004665 live most-read
                    /president2012/index.nhn                | headline live candidates map regions most-read
                    /president2012/news/index.nhn           | headline live candidates most-read
                    /president2012/trend/index.nhn          | trend live regions most-read
                    /president2012/candidate/index.nhn      | candidates live table map most-read
                    /main.nhn?mode=LSD&sid=100              | live most-read
                    /main.nhn?mode=LSD&sid=106              | live most-read
                    """)
    void everyPageAnswersWithItsIncludes(String path, String fragments) {
        var expected = new ArrayList<>(List.of("/fragment/greeting", "/fragment/scrap-count"));
        for (String fragment : fragments.split(" ", -1)) {
            expected.add("/fragment/" + fragment);
        }
        expected.add("/fragment/footer");

        var answer = browser.getAsSurrogate(path);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Surrogate-Control"))
                .hasValueSatisfying(control -> assertThat(control).contains("content=\"ESI/1.0\""));
        assertThat(includes(answer.body())).containsExactlyElementsOf(expected);
        assertThat(lifetime(answer.headers().firstValue("Surrogate-Control").orElseThrow()))
                .isGreaterThanOrEqualTo(60);
        assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(answer.body()).doesNotContain("<form", "_csrf", "jsessionid");
    }

    @ParameterizedTest
    @CsvSource({
        "headline, 60, election",
        "live, 3, election",
        "candidates, 30, election",
        "regions, 30, election",
        "map, 30, election",
        "table, 30, election",
        "trend, 30, election",
        "most-read, 60, most-read",
        "footer, 86400, frame"
    })
    void everyPublicFragmentHasALifetimeOfItsOwn(String name, long seconds, String tag) {
        var answer = browser.getAsSurrogate("/fragment/" + name);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(lifetime(answer.headers().firstValue("Surrogate-Control").orElseThrow()))
                .isEqualTo(seconds);
        // lists bear the tags of the articles they show besides
        assertThat(answer.headers().firstValue("Surrogate-Key"))
                .hasValueSatisfying(tags -> assertThat(tags.split(" ", -1)).contains(tag));
        assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(answer.body())
                .startsWith("<")
                .doesNotContain("<html", "<form", "_csrf", "jsessionid", "<esi:");
    }

    @Test
    void wordsOfAChartAreInItsLegendToo() {
        var trend = browser.getAsSurrogate("/fragment/trend").body();

        var atTheLines = groups("<text class=\"line-words\"[^>]*>([^<]+)", trend);
        var inTheLegends = groups("<span>(No\\. [^<]+)</span>", trend);

        assertThat(atTheLines).hasSize(2 + 6).allMatch(text -> text.startsWith("No. "));
        assertThat(inTheLegends).containsExactlyInAnyOrderElementsOf(atTheLines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"greeting", "scrap-count"})
    void privateFragmentsAreStoredNowhereAndStartNoSession(String name) {
        var answer = browser.getAsSurrogate("/fragment/" + name);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("private, no-store");
        assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/main/home.nhn",
                "/main/read.nhn?oid=014&aid=0000004665",
                "/president2012/index.nhn",
                "/president2012/news/index.nhn",
                "/president2012/trend/index.nhn",
                "/president2012/candidate/index.nhn",
                "/main.nhn?mode=LSD&sid=100",
                "/main.nhn?mode=LSD&sid=106"
            })
    void withoutASurrogateAPageIsWholeAndTheSameEachTime(String path) {
        var first = browser.get(path);
        var second = browser.get(path);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body())
                .doesNotContain("esi:")
                .contains("Log in", "Live count", "Most read", "This paper is a sample");
        assertThat(second.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/main/home.nhn",
                "/main/read.nhn?oid=014&aid=0000004665",
                "/president2012/candidate/index.nhn",
                "/login"
            })
    void nothingIsAskedOfAnotherHost(String path) {
        var html = browser.get(path).body();

        assertThat(html).doesNotContainPattern("(?:src|href|action)=\"(?:https?:)?//");
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
    void whatIsNotThereIsAnErrorThatNobodyStores(String path, int status) {
        var answer = browser.getAsSurrogate(path);

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Cache-Control"))
                .hasValueSatisfying(control -> assertThat(control).contains("no-store"));
        assertThat(answer.body()).contains("The Daily Quire");
    }

    @Test
    void theRootLeadsToTheFrontPage() {
        var answer = browser.get("/");

        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location"))
                .hasValueSatisfying(location -> assertThat(location).endsWith("/main/home.nhn"));
    }

    @Test
    void assetsMayBeKeptForAYearBecauseTheirNamesChangeWithThem() {
        var asset = Pattern.compile("href=\"(/assets/site-[0-9a-f]+\\.css)\"");
        var link = asset.matcher(browser.get("/main/home.nhn").body());

        assertThat(link.find()).isTrue();
        var answer = browser.get(link.group(1));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cache-Control"))
                .hasValueSatisfying(
                        control -> assertThat(control).contains("max-age=31536000", "public"));
    }

    @Test
    void theSitemapListsEveryArticleByAnAddressThatWorks() {
        var addresses =
                Pattern.compile("<loc>[^<]*?(/main/read[^<]*)</loc>")
                        .matcher(browser.get("/sitemap.xml").body())
                        .results()
                        .map(match -> match.group(1).replace("&amp;", "&"))
                        .toList();

        assertThat(addresses).hasSize(20_000).doesNotHaveDuplicates();
        assertThat(browser.get(addresses.getLast()).statusCode()).isEqualTo(200);
    }

    private static List<String> includes(String html) {
        return INCLUDE.matcher(html).results().map(match -> match.group(1)).toList();
    }

    /** What {@code pattern} captures, wherever it is found. */
    private static List<String> groups(String pattern, String html) {
        return Pattern.compile(pattern)
                .matcher(html)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** The seconds of {@code max-age=seconds+stale}. */
    private static long lifetime(String surrogateControl) {
        var maxAge = Pattern.compile("max-age=([0-9]+)").matcher(surrogateControl);
        assertThat(maxAge.find()).as(surrogateControl).isTrue();
        return Long.parseLong(maxAge.group(1));
    }
}
