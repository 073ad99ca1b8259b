package dev.quire.news;

import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.Browser.Screen;
import dev.quire.test.Assembling;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.RunningProxy;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestPropertySource;

/** A post of the blog through the proxy, in a real browser. */
@NewsSiteTest
@AutoConfigureEsi
@TestPropertySource(properties = "news.database=jdbc:h2:mem:front;DB_CLOSE_DELAY=-1")
class BlogScreenIT {
    private static final String POST = "/blog/255/";
    private static final String WIDTH = "document.documentElement.scrollWidth";
    private static final String LARGE_PICTURES =
            "Array.from(document.querySelectorAll('.cover svg'))"
                    + ".filter(svg => svg.getBoundingClientRect().height > 100).length";

    /** Of the style sheet: behind the text of the post. */
    private static final int SHEET = 0xfffdf8;

    @Autowired ApplicationContext paper;
    @TempDir Path profile;

    @ParameterizedTest
    @EnumSource(Screen.class)
    void postIsWholeAndFitsOnTheScreen(Screen screen) throws Exception {
        var chromium = Browser.program();
        var started = new AtomicReference<RunningProxy>();
        try (var site =
                SpringSite.over(paper, EsiMode.PROXY)
                        .assembledBy(Assembling.proxy(setup -> setup.whenStarted(started::set)))) {
            assertThat(site.get(POST)).hasStatus(200);
            var url = started.get().url(POST);

            try (var browser = Browser.open(chromium, profile, url, screen)) {
                var post = Jsoup.parse(browser.dom());
                checkText(post);
                assertThat(browser.number(WIDTH)).as("its width").isEqualTo(screen.width());
                assertThat(browser.number(LARGE_PICTURES)).as("pictures").isEqualTo(10);
                checkColours(browser, screen, post);
                assertThat(browser.errors()).isEmpty();
            }
        }
    }

    private static void checkText(Document post) {
        var title = post.select(".post h1").text();
        assertThat(title).isNotEmpty();
        assertThat(post.title()).isEqualTo(title + " · Deckle");
        var comments = post.select(".comments li");
        assertThat(comments).hasSizeGreaterThan(10);
        assertThat(post.select(".post .facts").text()).endsWith(comments.size() + " comments");
    }

    private static void checkColours(Browser browser, Screen screen, Document post)
            throws Exception {
        var name = "blog-%s.png".formatted(screen.name().toLowerCase(Locale.ROOT));
        var image = browser.screenshot(name);
        int ground = Integer.decode(post.select(".post .cover rect").attr("fill"));
        assertThat(image.getWidth()).isEqualTo(screen.width());
        assertThat(Browser.pixels(image, SHEET)).as("pixels of the sheet").isGreaterThan(10_000);
        assertThat(Browser.pixels(image, ground)).as("pixels of the cover").isGreaterThan(1000);
    }
}
