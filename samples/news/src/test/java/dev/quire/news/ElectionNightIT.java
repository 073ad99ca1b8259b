package dev.quire.news;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.election.VoteFeed;
import dev.quire.test.HandSetClock;
import dev.quire.test.RunningProxy;
import dev.quire.test.TestClock;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

/** The site on its own Tomcat, behind the real proxy, with a clock that the test sets. */
@NewsSiteTest
@Import(RequestLog.class)
class ElectionNightIT {
    private static final String HOME = "/main/home.nhn";
    private static final String[] PRIVATE_PARTS = {"/fragment/greeting", "/fragment/scrap-count"};

    @LocalServerPort int port;
    @Autowired RequestLog log;
    @Autowired VoteFeed feed;

    private HandSetClock clock;
    private RunningProxy proxy;
    private Browser browser;

    @BeforeEach
    void open() {
        clock = TestClock.handSetBeforeRealServers();
        proxy = RunningProxy.inFrontOf(site()).clock(clock).start();
        browser = new Browser(proxy.http().getPort());
        log.forget();
    }

    @AfterEach
    void close() {
        browser.close();
        proxy.close();
    }

    @Test
    void theHomePageIsWholeAndShowsNoTraceOfItsMaking() {
        var page = browser.get(HOME);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("Live count", "Candidates", "Most read", "Log in")
                .doesNotContain("esi:", "<!--esi");
        assertThat(page.headers().map().keySet())
                .noneMatch(name -> name.regionMatches(true, 0, "surrogate-", 0, 10));
    }

    @Test
    void onlyWhatHasAgedIsFetchedAgain() {
        browser.get(HOME);
        log.forget();

        clock.advance(Duration.ofSeconds(4));
        browser.get(HOME);
        proxy.awaitMetric("quire_background_refresh_total", 1);

        assertThat(log.targets())
                .containsExactlyInAnyOrder("/fragment/live", PRIVATE_PARTS[0], PRIVATE_PARTS[1]);

        log.forget();
        clock.advance(Duration.ofSeconds(27));
        browser.get(HOME);
        proxy.awaitMetric("quire_background_refresh_total", 3);

        assertThat(log.targets())
                .containsExactlyInAnyOrder(
                        "/fragment/live",
                        "/fragment/candidates",
                        "/fragment/map",
                        PRIVATE_PARTS[0],
                        PRIVATE_PARTS[1]);
    }

    @Test
    void votesShowOnceTheLiveCountHasAged() {
        browser.get(HOME);
        feed.advance();
        assertThat(counted(browser.get(HOME).body()))
                .isNotEqualTo(counted(direct("/fragment/live")));

        clock.advance(Duration.ofSeconds(14));

        assertThat(counted(browser.get(HOME).body())).isEqualTo(counted(direct("/fragment/live")));
    }

    @Test
    void twoReadersSeeTheirOwnGreetingOnTheSameStoredPage() {
        try (var other = new Browser(proxy.http().getPort())) {
            browser.logIn("reader1", "paper-first");
            other.logIn("reader2", "paper-second");
            log.forget();

            var first = browser.get(HOME).body();
            var second = other.get(HOME).body();

            assertThat(first).contains("reader1").doesNotContain("reader2");
            assertThat(second).contains("reader2").doesNotContain("reader1");
            assertThat(Collections.frequency(log.targets(), HOME)).isEqualTo(1);
            assertThat(Collections.frequency(log.targets(), PRIVATE_PARTS[0])).isEqualTo(2);
            assertThat(proxy.stored())
                    .extracting(entry -> URI.create(entry.url()).getPath())
                    .contains(HOME, "/fragment/live", "/fragment/most-read")
                    .doesNotContain(PRIVATE_PARTS);
            assertThat(proxy.stored()).anyMatch(entry -> entry.contains("Live count"));
            assertThat(proxy.stored())
                    .noneMatch(entry -> entry.contains("reader1") || entry.contains("reader2"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                HOME,
                "/main/read.nhn?oid=014&aid=0000004665",
                "/president2012/index.nhn",
                "/president2012/news/index.nhn",
                "/president2012/trend/index.nhn",
                "/president2012/candidate/index.nhn",
                "/main.nhn?mode=LSD&sid=100",
                "/main.nhn?mode=LSD&sid=106"
            })
    void withoutTheProxyTheSameReaderGetsTheSameBytes(String path) {
        browser.logIn("reader1", "paper-first");

        var through = browser.get(path);
        var again = browser.get(path);
        browser.moveTo(port);
        var straight = browser.get(path);

        assertThat(through.statusCode()).isEqualTo(200);
        assertThat(through.body()).contains("reader1");
        assertThat(withoutToken(through)).isEqualTo(withoutToken(straight));
        assertThat(withoutToken(again)).isEqualTo(withoutToken(straight));
    }

    /** A token is written differently each time. */
    private static String withoutToken(HttpResponse<String> page) {
        return page.body().replaceAll("(name=\"_csrf\" value=\")[^\"]+", "$1");
    }

    @Test
    void aReadersOwnPageIsNeverStored() {
        browser.logIn("reader1", "paper-first");

        var scraps = browser.get("/main/scrap/index.nhn");

        assertThat(scraps.statusCode()).isEqualTo(200);
        assertThat(scraps.headers().firstValue("Cache-Control"))
                .hasValueSatisfying(control -> assertThat(control).contains("no-store"));
        assertThat(proxy.stored())
                .extracting(entry -> URI.create(entry.url()).getPath())
                .doesNotContain("/main/scrap/index.nhn", "/login");
    }

    @Test
    void purgingTheElectionLeavesTheArticlesAlone() {
        var article = "/main/read.nhn?oid=014&aid=0000004665";
        browser.get(article);
        browser.get("/president2012/index.nhn");
        log.forget();

        proxy.purgeTags("election");
        browser.get(article);
        browser.get("/president2012/index.nhn");

        assertThat(log.targets())
                .contains("/president2012/index.nhn", "/fragment/live")
                .doesNotContain(article, "/fragment/most-read", "/fragment/footer");
    }

    private URI site() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** What the site itself says, past the proxy. */
    private String direct(String path) {
        try (var visitor = new Browser(port)) {
            return visitor.get(path).body();
        }
    }

    private static String counted(String page) {
        int at = page.indexOf(" polling places");
        assertThat(at).as("a live count in the page").isPositive();
        return page.substring(page.lastIndexOf("<span>", page.lastIndexOf(" of ", at)), at);
    }
}
