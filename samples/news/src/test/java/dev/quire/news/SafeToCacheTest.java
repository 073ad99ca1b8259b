package dev.quire.news;

import static dev.quire.test.User.anonymous;
import static dev.quire.test.User.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.EsiSite;
import dev.quire.test.FragmentContract;
import dev.quire.test.LeakDetector;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;

/** The paper as it is shows nobody what is another reader's. */
@NewsSiteTest
@AutoConfigureMockMvc
@TestPropertySource(properties = "quire.variants.secret=known-to-the-paper-and-to-its-proxy")
class SafeToCacheTest {
    @Autowired ApplicationContext paper;

    private @Nullable EsiSite site;

    @AfterEach
    void close() {
        if (site != null) {
            site.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIVE", "MOCK_MVC"})
    void noPublicPageOrFragmentShowsWhoReadsIt(EsiMode mode) {
        var report =
                LeakDetector.check(open(mode))
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

    @ParameterizedTest
    @EnumSource(names = {"LIVE", "MOCK_MVC"})
    void everyFragmentKeepsToTheContract(EsiMode mode) {
        assertThat(
                        FragmentContract.verifyAll(
                                open(mode),
                                "/main/read.nhn?oid=014&aid=0000004665",
                                "/fragment/tools?oid=014&aid=0000004665",
                                "/main.nhn?mode=LSD&sid=100"))
                .hasSize(20)
                .contains("/fragment/greeting", "/fragment/live", "/main/home.nhn");
    }

    private EsiSite open(EsiMode mode) {
        var opened = SpringSite.over(paper, mode);
        site = opened;
        return opened;
    }
}
