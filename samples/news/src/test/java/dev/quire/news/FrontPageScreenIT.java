package dev.quire.news;

import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.Browser.Screen;
import dev.quire.test.Assembling;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.RunningProxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;

/** The home page through the proxy, in a real browser. */
@NewsSiteTest
@AutoConfigureEsi
@TestPropertySource(properties = "news.database=jdbc:h2:mem:front;DB_CLOSE_DELAY=-1")
class FrontPageScreenIT {
    private static final int BAR_OF_NO_1 = 0xb3261e;

    @Autowired ApplicationContext paper;
    @TempDir Path profile;

    @Test
    void theHomePageShowsTheLiveCount() throws Exception {
        var chromium = Browser.program();
        var started = new AtomicReference<RunningProxy>();
        try (var site =
                SpringSite.over(paper, EsiMode.PROXY)
                        .assembledBy(Assembling.proxy(setup -> setup.whenStarted(started::set)))) {
            assertThat(site.get(FRONT_PAGE)).hasStatus(200);
            var url = started.get().url(FRONT_PAGE);

            try (var browser = Browser.open(chromium, profile, url, Screen.DESKTOP)) {
                var dom = Jsoup.parse(browser.dom());
                assertThat(dom.select("section.live h2").text()).startsWith("Live count");
                assertThat(dom.select("section.live .duel li")).hasSize(2);
                assertThat(dom.select("section.live .votes").text())
                        .containsPattern("[1-9][0-9,]+ votes");

                var image = browser.screenshot("home.png");
                assertThat(image.getWidth()).isEqualTo(Screen.DESKTOP.width());
                assertThat(image.getHeight()).isEqualTo(Screen.HEIGHT);
                assertThat(Browser.pixels(image, BAR_OF_NO_1))
                        .as("pixels of the first bar")
                        .isGreaterThan(500);
            }
        }
    }
}
