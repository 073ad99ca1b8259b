package dev.quire.news;

import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;

/** Compares the front page with its reviewed DOM, with the feed off. */
@NewsSiteTest
@AutoConfigureEsi
@TestPropertySource(properties = "news.database=jdbc:h2:mem:front;DB_CLOSE_DELAY=-1")
class FrontPageEverywhereIT {

    @ParameterizedTest
    @EnumSource
    void theFrontPageIsTheSameWhoeverPutsItTogether(
            EsiMode mode, @Autowired ApplicationContext paper) {
        try (var site = SpringSite.over(paper, mode)) {
            assertThat(site.get(FRONT_PAGE))
                    // their names contain a content hash
                    .ignoring("link, script")
                    .matchesGolden("front-page");
        }
    }
}
