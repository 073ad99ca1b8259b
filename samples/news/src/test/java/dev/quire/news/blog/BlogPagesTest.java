package dev.quire.news.blog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.NewsSiteTest;
import io.micrometer.core.instrument.MeterRegistry;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@NewsSiteTest
class BlogPagesTest {
    @Autowired MockMvcTester site;
    @Autowired MeterRegistry metrics;

    @ParameterizedTest
    @ValueSource(strings = {"/blog/1/", "/blog/9/", "/blog/255/", "/blog/500/"})
    void postIsAPageOf41Statements(String path) {
        double before = statements();

        var page = get(path);

        assertThat(page).hasStatusOk();
        assertThat(statements() - before).isEqualTo(41);
        assertThat(body(page).length()).isBetween(24 * 1024, 36 * 1024);
    }

    @Test
    void pageMayBeCachedForAMinuteByAllCaches() {
        var page = get("/blog/255/");

        assertThat(page)
                .headers()
                .hasValue(HttpHeaders.CACHE_CONTROL, "max-age=60, public")
                .doesNotContainHeaders(HttpHeaders.SET_COOKIE, "Surrogate-Control");
    }

    @Test
    void pageIsTheSameEachTime() {
        assertThat(body(get("/blog/255/"))).isEqualTo(body(get("/blog/255/")));
    }

    @Test
    void postShowsItsCommentsAndNineOthers() {
        var page = Jsoup.parse(body(get("/blog/255/")));

        var comments = page.select(".comments li");
        assertThat(page.select(".post .facts").text()).endsWith(comments.size() + " comments");
        assertThat(comments).hasSizeGreaterThan(10);
        assertThat(page.select(".card h3 a").eachAttr("href"))
                .containsExactly(
                        "/blog/254/",
                        "/blog/253/",
                        "/blog/252/",
                        "/blog/251/",
                        "/blog/250/",
                        "/blog/249/",
                        "/blog/248/",
                        "/blog/247/",
                        "/blog/246/");
        assertThat(page.select(".neighbours a").eachAttr("href"))
                .containsExactly("/blog/254/", "/blog/256/");
    }

    @Test
    void oldestPostsShowTheNewest() {
        var page = Jsoup.parse(body(get("/blog/2/")));

        assertThat(page.select(".card h3 a").eachAttr("href"))
                .startsWith("/blog/1/", "/blog/500/")
                .hasSize(9);
    }

    @Test
    void frontPageShowsTheNewest() {
        var page = Jsoup.parse(body(get("/blog/")));

        assertThat(page.select("h1 a, h3 a").eachAttr("href"))
                .startsWith("/blog/500/", "/blog/499/")
                .hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/blog/", "/blog/255/"})
    void nothingIsRequestedFromAnotherHost(String path) {
        var page = Jsoup.parse(body(get(path)));

        assertThat(page.select("[src*='://'], [href*='://'], [src^='//'], [href^='//']")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/blog/0/", "/blog/501/"})
    void unknownPostIsNotFound(String path) {
        assertThat(get(path)).hasStatus(404);
    }

    private MvcTestResult get(String path) {
        return site.get().uri(path).exchange();
    }

    private static String body(MvcTestResult page) {
        return new String(page.getResponse().getContentAsByteArray(), UTF_8);
    }

    private double statements() {
        return metrics.get("news.blog.statements").counter().count();
    }
}
