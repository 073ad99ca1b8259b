package dev.quire.news;

import static dev.quire.test.User.anonymous;
import static dev.quire.test.User.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.Application;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.FragmentContract;
import dev.quire.test.LeakDetector;
import dev.quire.test.spring.SpringFragments;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;

/** The paper as it is shows nobody what is another reader's. */
@NewsSiteTest
@TestPropertySource(properties = "quire.variants.secret=known-to-the-paper-and-to-its-proxy")
class SafeToCacheTest {
    @LocalServerPort int port;
    @Autowired ApplicationContext paper;

    private EsiSite site;

    @BeforeEach
    void open() {
        site =
                EsiSite.over(
                                Application.at(URI.create("http://127.0.0.1:" + port))
                                        .declaring(SpringFragments.of(paper)))
                        .assembledBy(Assembling.APPLICATION);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void noPublicPageOrFragmentShowsWhoReadsIt() {
        var report =
                LeakDetector.check(site)
                        .users(
                                anonymous(),
                                user("reader1").logsIn("/login", "paper-first"),
                                user("reader2").logsIn("/login", "paper-second"),
                                user("editor1").logsIn("/login", "paper-night"))
                        .example("ArticlePage#read", "/main/read.nhn?oid=014&aid=0000004665")
                        .example("ArticleTools#tools", "/fragment/tools?oid=014&aid=0000004665")
                        .example("SectionPage#section", "/main.nhn?mode=LSD&sid=100")
                        .allPublicFragments();

        assertThat(report.checked())
                .hasSize(18)
                .contains("/main/home.nhn", "/fragment/live", "/sitemap.xml");
        assertThat(report.notes()).isEmpty();
    }

    @Test
    void everyFragmentKeepsToTheContract() {
        assertThat(
                        FragmentContract.verifyAll(
                                site,
                                "/main/read.nhn?oid=014&aid=0000004665",
                                "/fragment/tools?oid=014&aid=0000004665",
                                "/main.nhn?mode=LSD&sid=100"))
                .hasSize(20)
                .contains("/fragment/greeting", "/fragment/live", "/main/home.nhn");
    }
}
