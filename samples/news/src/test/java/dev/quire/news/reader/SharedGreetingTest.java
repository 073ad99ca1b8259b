package dev.quire.news.reader;

import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.GREETING;
import static dev.quire.news.Paper.SCRAP_COUNT;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.NewsSiteTest;
import dev.quire.test.EsiSite;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;

/** Personal parts of pages that readers share while they are not logged in. */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.MOCK_MVC)
@TestPropertySource(properties = "news.shared-greeting=true")
class SharedGreetingTest {

    @Test
    void readersWhoAreNotLoggedInShareTheGreeting(EsiSite site) {
        site.get(FRONT_PAGE);

        var page = site.get(FRONT_PAGE);

        assertThat(page).fragment(GREETING).wasHit().isPublic().contains("Log in");
        assertThat(page).fragment(SCRAP_COUNT).wasHit().isPublic();
        assertThat(page).trace().madeNoRequests();
    }

    @Test
    void greetingOfAMemberIsPrivate(EsiSite site) {
        site.get(FRONT_PAGE);
        var first = site.as(FIRST_READER).loggedIn();
        var second = site.as(SECOND_READER).loggedIn();

        for (int time = 0; time < 2; time++) {
            assertThat(first.get(FRONT_PAGE)).fragment(GREETING).isPrivate().contains("reader1");
            assertThat(second.get(FRONT_PAGE)).fragment(GREETING).isPrivate().contains("reader2");
            assertThat(second.get(FRONT_PAGE)).fragment(SCRAP_COUNT).isPrivate();
        }
        assertThat(site.get(FRONT_PAGE))
                .contains("Log in")
                .doesNotContain("reader1", "reader2")
                .fragment(GREETING)
                .wasHit();
    }
}
