package dev.quire.news;

import static dev.quire.news.Paper.AN_ARTICLE;
import static dev.quire.news.Paper.EDITOR;
import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.POLITICS;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.User.anonymous;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.FragmentContract;
import dev.quire.test.LeakDetector;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** The unmodified paper has no leaks between readers. */
@NewsSiteTest
@AutoConfigureEsi
class SafeToCacheTest {
    private static final String ITS_TOOLS = "/fragment/tools?oid=014&aid=0000004665";

    @Autowired ApplicationContext paper;

    @ParameterizedTest
    @EnumSource(names = {"LIVE", "MOCK_MVC"})
    void noPublicPageOrFragmentShowsWhoReadsIt(EsiMode mode) {
        try (var site = SpringSite.over(paper, mode)) {
            var report =
                    LeakDetector.check(site)
                            .users(anonymous(), FIRST_READER, SECOND_READER, EDITOR)
                            .example("ArticlePage#read", AN_ARTICLE)
                            .example("ArticleTools#tools", ITS_TOOLS)
                            .example("SectionPage#section", POLITICS)
                            .allPublicFragments();

            assertThat(report.checked())
                    .hasSize(18)
                    .contains("/main/home.nhn", "/fragment/live", "/sitemap.xml");
            assertThat(report.notes()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIVE", "MOCK_MVC"})
    void everyFragmentKeepsToTheContract(EsiMode mode) {
        try (var site = SpringSite.over(paper, mode)) {
            assertThat(FragmentContract.verifyAll(site, AN_ARTICLE, ITS_TOOLS, POLITICS))
                    .hasSize(20)
                    .contains("/fragment/greeting", "/fragment/live", "/main/home.nhn");
        }
    }
}
