package dev.quire.news;

import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.test.EsiAssertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.test.Assembling;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.RunningProxy;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
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
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 1120;
    private static final int BAR_OF_NO_1 = 0xb3261e;

    @Autowired ApplicationContext paper;
    @TempDir Path profile;

    @Test
    void theHomePageShowsTheLiveCount() throws Exception {
        var chromium = System.getenv("CHROMIUM");
        assumeTrue(chromium != null && !chromium.isEmpty(), "no browser (bin/test looks for one)");
        var picture = screenshots().resolve("home.png");

        var started = new AtomicReference<RunningProxy>();
        try (var site =
                SpringSite.over(paper, EsiMode.PROXY)
                        .assembledBy(Assembling.proxy(setup -> setup.whenStarted(started::set)))) {
            assertThat(site.get(FRONT_PAGE)).hasStatus(200);
            var dom = Jsoup.parse(open(chromium, started.get().url(FRONT_PAGE), picture));

            assertThat(dom.select("section.live h2").text()).startsWith("Live count");
            assertThat(dom.select("section.live .duel li")).hasSize(2);
            assertThat(dom.select("section.live .votes").text())
                    .containsPattern("[1-9][0-9,]+ votes");
        }
        var image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(WIDTH);
        assertThat(image.getHeight()).isEqualTo(HEIGHT);
        assertThat(pixels(image, BAR_OF_NO_1)).as("pixels of the first bar").isGreaterThan(500);
    }

    /** Loads {@code url}, writes a screenshot to {@code picture}, and returns the DOM. */
    private String open(String chromium, String url, Path picture)
            throws IOException, InterruptedException {
        var dom = profile.resolve("dom.html").toFile();
        var browser =
                new ProcessBuilder(
                                chromium,
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--hide-scrollbars",
                                "--user-data-dir=" + profile,
                                "--window-size=" + WIDTH + "," + HEIGHT,
                                "--screenshot=" + picture,
                                "--dump-dom",
                                url)
                        .redirectOutput(dom)
                        .redirectError(profile.resolve("errors.txt").toFile())
                        .start();
        if (!browser.waitFor(120, TimeUnit.SECONDS)) {
            browser.destroyForcibly();
            throw new AssertionError("the browser did not exit within two minutes");
        }
        assertThat(browser.exitValue())
                .as(() -> "output of the browser: " + text(profile.resolve("errors.txt")))
                .isZero();
        return Files.readString(dom.toPath());
    }

    private static Path screenshots() throws IOException {
        var folder =
                Path.of(
                        System.getProperty(
                                "screenshots", "target" + File.separator + "screenshots"));
        return Files.createDirectories(folder).toAbsolutePath();
    }

    private static long pixels(BufferedImage image, int rgb) {
        return IntStream.range(0, image.getWidth() * image.getHeight())
                .map(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()))
                .filter(pixel -> (pixel & 0xffffff) == rgb)
                .count();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
