package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.test.programs.Chromium;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Error pages of the proxy in a real browser. */
class ErrorPagesScreenIT {
    private static final String SCRIPT = "<!doctype html><script>alert(1)</script>";

    @TempDir Path folder;

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).origin("retries: 0").start();
    private Path chromium = Path.of("chromium");

    @BeforeEach
    void find() {
        var found = System.getenv("CHROMIUM");
        assumeTrue(found != null && !found.isEmpty(), "no browser (bin/test looks for one)");
        chromium = Path.of(found);
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @ParameterizedTest
    @CsvSource({"502, Bad Gateway, /gone", "400, Bad Request, /%00"})
    void errorPageIsDisplayedWithItsIdAndStyle(int status, String title, String target)
            throws Exception {
        origin.goDown();
        var picture = screenshots().resolve("error-" + status + ".png");

        var visit = Chromium.open(chromium, folder, proxy.url(target), picture);

        assertThat(visit.dom())
                .contains("<title>" + status + " " + title + "</title>", "<h1>" + title + "</h1>")
                .containsPattern("Request id: <code>[0-9A-HJKMNP-TV-Z]{26}</code>");
        assertThat(visit.console()).isEmpty();
        // The style centres the text.
        assertThat(ink(ImageIO.read(picture.toFile()), 0, 100)).isZero();
        assertThat(ink(ImageIO.read(picture.toFile()), 200, 400)).isGreaterThan(1000);
    }

    /** Shows that the browser reports violations of a page's policy. */
    @Test
    void violationIsInTheConsole() throws Exception {
        origin.on(
                "/page",
                Answer.html(SCRIPT).field("Content-Security-Policy", "default-src 'none'"));

        var visit =
                Chromium.open(
                        chromium, folder, proxy.url("/page"), folder.resolve("violation.png"));

        assertThat(visit.console()).singleElement().asString().contains("Content Security Policy");
    }

    private static Path screenshots() throws IOException {
        return Files.createDirectories(Path.of("target", "screenshots")).toAbsolutePath();
    }

    /** The pixels in rows from {@code top} to {@code bottom} that differ from the first pixel. */
    private static long ink(BufferedImage image, int top, int bottom) {
        return IntStream.range(top * image.getWidth(), bottom * image.getWidth())
                .map(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()))
                .filter(pixel -> pixel != image.getRGB(0, 0))
                .count();
    }
}
