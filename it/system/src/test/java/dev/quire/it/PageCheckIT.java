package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.lint.Finding;
import dev.quire.proxy.lint.PageDocument;
import dev.quire.proxy.lint.PageLint;
import dev.quire.proxy.lint.UnreadablePage;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code quire check --page URL}. */
class PageCheckIT {
    private static final int MIB = 1 << 20;

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void commandPrintsWhatItFindsAndEndsWithOne() throws Exception {
        origin.on("/page", Answers.page("<p>\n<esi:include/></p>"));
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        var process =
                new ProcessBuilder(
                                java,
                                "-cp",
                                System.getProperty("java.class.path"),
                                "dev.quire.proxy.Main",
                                "check",
                                "--page",
                                url("/page"))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            var printed = new String(process.getInputStream().readAllBytes(), UTF_8);

            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(printed)
                    .isEqualTo(
                            """
                            %1$s:2:1: <esi:include> has no src (tag stripped)
                            %1$s: 1 finding
                            """
                                    .formatted(url("/page")));
            assertThat(process.exitValue()).isEqualTo(1);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void pageIsAskedForAsASurrogateWould() throws Exception {
        origin.on("/page", Answers.page("<p>"));

        assertThat(findings("/page")).isEmpty();

        assertThat(origin.awaitRequest("/page").field("Surrogate-Capability"))
                .isEqualTo("quire=\"Surrogate/1.0 ESI/1.0\"");
    }

    @Test
    void redirectsAreFollowed() throws Exception {
        origin.on("/old", Answer.status(302).field("Location", "/new"));
        origin.on("/new", Answers.page("<esi:include/>"));

        assertThat(document("/old").address()).hasToString("Optional[" + url("/new") + "]");
        assertThat(findings("/old")).hasSize(1);
    }

    @Test
    void responseThatWouldNotBeParsedIsSaidFirst() throws Exception {
        origin.on("/silent", Answer.html("<esi:include/>"));
        origin.on(
                "/json",
                Answer.status(200)
                        .field("Content-Type", "application/json")
                        .field("Surrogate-Control", Answers.ESI)
                        .body("{}"));

        assertThat(findings("/silent"))
                .extracting(Finding::what)
                .containsExactly(
                        "the response does not request ESI, so its tags are not processed",
                        "<esi:include> has no src");
        assertThat(findings("/json"))
                .extracting(Finding::what)
                .containsExactly("the Content-Type of the response is not one that is parsed");
    }

    @ParameterizedTest
    @CsvSource({
        "/gone, responded with status 404",
        "/image, has a Content-Type that is not text",
        "/coded, has a content coding that was not requested",
        "/binary, is not text in an encoding that contains ASCII",
        "/long, is too long",
        "/endless, is too long",
        "/nothing, did not respond",
        "/cut, did not respond"
    })
    void whatIsNoPageIsRefusedWithAReason(String path, String reason) {
        origin.on("/image", Answer.status(200).field("Content-Type", "image/png").body("x"));
        origin.on("/coded", Answer.html("x").field("Content-Encoding", "br"));
        origin.on("/binary", Answer.html("<\0p\0"));
        origin.on("/long", Answer.html("").repeating("x", 8L * MIB + 1));
        origin.on("/endless", Answer.html("").repeating("x", 64L * MIB).chunked());
        origin.on("/nothing", Answer.nothing());
        origin.on("/cut", Answer.html("half of it").cutAfter(4));

        assertThatThrownBy(() -> document(path))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage(reason);
    }

    private List<Finding> findings(String path) throws Exception {
        return PageLint.of(document(path)).findings();
    }

    private PageDocument document(String path) throws Exception {
        return PageDocument.named(url(path), Optional.empty(), "quire", List.of("text/html"));
    }

    private String url(String path) {
        return origin.url() + path;
    }
}
