package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.MadePage.MadePart;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;

class AssemblyTraceTest {
    private static final Page ELECTION_NIGHT =
            MadePage.of("/home")
                    .by(User.user("reader-a"))
                    .with(Faults.none().fail("/maps/*", 503))
                    .part(
                            MadePart.page("/home")
                                    .during(0, 40)
                                    .kept(0, 30, 10, 0)
                                    .fields("Surrogate-Key", "front"))
                    .part(
                            MadePart.of("/live?region=<b>\"11\"")
                                    .as(CacheOutcome.HIT)
                                    .during(5, 5)
                                    .kept(18, 30, 60, 0)
                                    .fields("Cache-Tag", "election, <region>"))
                    .part(
                            MadePart.of("/me")
                                    .as(CacheOutcome.PASS)
                                    .during(5, 25)
                                    .fields("Cache-Control", "private"))
                    .part(
                            MadePart.of("/name")
                                    .inside("/me", 2)
                                    .as(CacheOutcome.STALE)
                                    .during(25, 25)
                                    .kept(31, 30, 10, 0))
                    .part(MadePart.of("/map").failed(503, "status 503").during(5, 40))
                    .request("/home", 0, 4)
                    .request("/me", 6, 25)
                    .request("/map", 6, 39, new Reply.None("dropped by the test"))
                    .made();

    @Test
    void textIsATreeWithBarsAndWhatReachedTheApplication() {
        assertThat(ELECTION_NIGHT.trace().text())
                .isEqualTo(
                        """
                        /home as received by reader-a, assembled by the proxy, at 12:00:00 on the site's clock
                          part                    outcome  status  ms                                 stored                   tags
                          /home                   miss     200     0-40   |========================|  30s of 30s left          front
                            /live?region=<b>"11"  hit      200     5-5    |   .                    |  12s of 30s left          election <region>
                            /me                   pass     200     5-25   |   ============         |  not stored: private
                              /name               stale    200     25-25  |               .        |  stale since 1s (of 30s)
                            /map                  failed   503     5-40   |   =====================|  status 503
                        requests that reached the application:
                          GET /home -> 200, 0-4 ms
                          GET /me -> 200, 6-25 ms
                          GET /map -> no answer (dropped by the test), 6-39 ms
                        faults that matched no request: /maps/* fails with 503
                        """);
    }

    @Test
    void textOfAPageNobodyTellsOfSaysSo() {
        var page = MadePage.of("/home").untold().made();

        assertThat(page.trace().text())
                .isEqualTo(
                        """
                        /home as received by anonymous, assembled by the proxy, at 12:00:00 on the site's clock
                          (the proxy does not report its parts)
                        requests that reached the application: none
                        """);
    }

    @Test
    void ofManyRequestsTheFirstAreListed() {
        var page = MadePage.of("/home").untold();
        for (int i = 0; i < 23; i++) {
            page.request("/live", i, i + 1);
        }

        assertThat(page.made().trace().text())
                .contains("GET /live -> 200, 19-20 ms\n  and 3 more\n")
                .doesNotContain("20-21 ms");
    }

    @Test
    void documentShowsEachPartWithItsBarOnTheAxis() {
        var document = Jsoup.parse(ELECTION_NIGHT.trace().html());

        var rows = document.select("tbody tr");
        assertThat(rows.eachAttr("class"))
                .containsExactly("miss", "hit", "pass", "stale", "failed");
        assertThat(rows.select("th.part").eachText())
                .containsExactly("/home", "/live?region=<b>\"11\"", "/me", "/name", "/map");
        assertThat(rows.select("th.part").eachAttr("style"))
                .containsExactly("--level:0", "--level:1", "--level:1", "--level:2", "--level:1");
        assertThat(rows.select(".bar").eachAttr("style"))
                .containsExactly(
                        "margin-left:0.00%;width:100.00%",
                        "margin-left:12.50%;width:0.00%",
                        "margin-left:12.50%;width:50.00%",
                        "margin-left:62.50%;width:0.00%",
                        "margin-left:12.50%;width:87.50%");
        assertThat(document.select(".axis span").eachText())
                .containsExactly("0", "10", "20", "30", "40 ms");
        assertThat(document.select("ul.requests li").eachText())
                .containsExactly(
                        "GET /home -> 200, 0-4 ms",
                        "GET /me -> 200, 6-25 ms",
                        "GET /map -> no answer (dropped by the test), 6-39 ms");
        assertThat(document.select(".warning").text()).contains("/maps/* fails with 503");
    }

    @Test
    void documentNeedsNothingBesideItAndRunsNothing() {
        var document = Jsoup.parse(ELECTION_NIGHT.trace().html());

        assertThat(document.select("script, link, img, iframe, object")).isEmpty();
        assertThat(ELECTION_NIGHT.trace().html())
                .doesNotContain("http:", "https:", "url(", "@import", "<b>\"");
        assertThat(document.select("th:not([scope])")).isEmpty();
        assertThat(document.select("html").attr("lang")).isEqualTo("en");
    }

    @Test
    void severalPagesAreOneDocument() {
        var other = MadePage.of("/results").untold().made();

        var document = Jsoup.parse(AssemblyTrace.html(List.of(ELECTION_NIGHT, other)));

        assertThat(document.title()).isEqualTo("Traces of 2 pages");
        assertThat(document.select("h2").eachText())
                .containsExactly("1. GET /home", "2. GET /results");
    }
}
