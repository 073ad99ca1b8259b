package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Documents in any charset do not contain the placeholder, on Tomcat. */
@SpringBootTest(
        classes = StrangeSite.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.stamp.placeholder=" + StampTest.SECRET)
@ExtendWith(OutputCaptureExtension.class)
class StrangeCharsetTest {

    private static final List<Charset> ENCODINGS =
            List.of(
                    StandardCharsets.UTF_8,
                    StandardCharsets.UTF_16BE,
                    StandardCharsets.UTF_16LE,
                    Charset.forName("UTF-32BE"),
                    Charset.forName("UTF-32LE"),
                    Charset.forName("IBM1047"));

    @LocalServerPort private int port;

    private List<Visitor> visitors() {
        var visitor = Visitor.of(port);
        return List.of(
                visitor,
                visitor.with("Surrogate-Capability", "varnish=\"Surrogate/1.0 ESI/1.0\""),
                visitor.with(
                        "Surrogate-Capability",
                        "quire=\"ESI/1.0 Stamp/1.nonce_of_this-request0\""));
    }

    private static void hasNoPlaceholder(HttpResponse<byte[]> answer) {
        var bytes = new String(answer.body(), StandardCharsets.ISO_8859_1);
        for (var encoding : ENCODINGS) {
            var secret = StampTest.SECRET.getBytes(encoding);
            assertThat(bytes)
                    .as("%s of %s", encoding, answer.uri())
                    .doesNotContain(new String(secret, StandardCharsets.ISO_8859_1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-32", "\"utf-16be\"", "IBM1047"})
    void clientsDoNotChooseACharsetWithoutAscii(String charset) {
        for (var visitor : visitors()) {
            for (var target : List.of("/text", "/entity", "/view")) {
                var page =
                        visitor.with("Accept", "text/html; charset=" + charset + ";q=0.9")
                                .getBytes(target);

                hasNoPlaceholder(page);
                assertThat(page.statusCode()).as(target).isEqualTo(200);
                assertThat(new String(page.body(), StandardCharsets.UTF_8))
                        .containsAnyOf(
                                "part", "<esi:include", "<esi:nonce_of_this-request0:include");
                assertThat(page.headers().firstValue("Content-Type"))
                        .get()
                        .asString()
                        .doesNotContainIgnoringCase(charset.replace("\"", ""));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-32", "x-UTF-16LE-BOM", "IBM1047"})
    void tagsInACharsetWithoutAsciiAreRefused(String charset, CapturedOutput output) {
        for (var visitor : visitors()) {
            for (var target : List.of("/chosen/entity", "/chosen/writer")) {
                var page = visitor.getBytes(target + "?charset=" + charset);

                hasNoPlaceholder(page);
                assertThat(page.statusCode()).as(target).isEqualTo(500);
                assertThat(page.headers().map()).doesNotContainKey("surrogate-control");
            }
        }
        assertThat(output)
                .contains("#chosen has ESI tags, but its body is encoded in", "expected UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-32"})
    void norWhereNobodySaysWhichCharsetItIs(String charset) {
        for (var visitor : visitors()) {
            var page = visitor.getBytes("/chosen/silent?charset=" + charset);

            hasNoPlaceholder(page);
            assertThat(page.statusCode()).isEqualTo(500);
        }
    }

    @Test
    void norOnceTheHeadIsOut() {
        for (var visitor : visitors()) {
            assertThatThrownBy(() -> visitor.getBytes("/chosen/late?charset=UTF-16"))
                    .isInstanceOf(UncheckedIOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-32", "IBM1047"})
    void whatWasRenderedEarlierLosesItsStampOnTheWay(String charset) {
        for (var visitor : visitors()) {
            hasNoPlaceholder(visitor.getBytes("/chosen/kept?charset=" + charset));
        }
    }

    @Test
    void aFragmentInACharsetWithoutAsciiIsRefused() {
        var page = Visitor.of(port).get("/around?src=" + encoded("/chosen/entity?charset=UTF-16"));

        assertThat(page.body()).isEqualTo("[]");
    }

    @Test
    void aDocumentWithoutTagsIsInWhateverCharsetItLikes() {
        for (var visitor : visitors()) {
            var page = visitor.getBytes("/chosen/plain?charset=UTF-16");

            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).isEqualTo("no tags".getBytes(StandardCharsets.UTF_16));
        }
    }
}
