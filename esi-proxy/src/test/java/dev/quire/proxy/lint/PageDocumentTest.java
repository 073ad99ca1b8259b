package dev.quire.proxy.lint;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages in files; fetched pages are covered by tests over sockets. */
class PageDocumentTest {
    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "a.html, HTML",
        "a.HTM, HTML",
        "a.xhtml, HTML",
        "a.xml, XML",
        "a.rss, XML",
        "a.txt, TEXT",
        "a.js, TEXT",
        "a.json, JSON"
    })
    void suffixTellsTheType(String name, PageType type) throws Exception {
        Files.writeString(directory.resolve(name), "x");

        var page = page(name, Optional.empty());

        assertThat(page.type()).isEqualTo(type);
        assertThat(page.bytes()).isEqualTo("x".getBytes(UTF_8));
        assertThat(page.address()).isEmpty();
    }

    @Test
    void typeThatIsSaidWins() throws Exception {
        Files.writeString(directory.resolve("page.jsp"), "x");
        Files.writeString(directory.resolve("page.html"), "x");

        assertThat(page("page.jsp", Optional.of(PageType.HTML)).type()).isEqualTo(PageType.HTML);
        assertThat(page("page.html", Optional.of(PageType.JSON)).type()).isEqualTo(PageType.JSON);
    }

    @Test
    void nameThatTellsNothingNeedsAType() throws Exception {
        Files.writeString(directory.resolve("page.jsp"), "x");

        assertThatThrownBy(() -> page("page.jsp", Optional.empty()))
                .isInstanceOf(UnreadablePage.class)
                .hasMessageContaining("has a name that does not show its type");
    }

    @Test
    void whatIsNoFileIsNoPage() {
        assertThatThrownBy(() -> page("none.html", Optional.empty()))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage("does not exist");
        assertThatThrownBy(() -> page(".", Optional.of(PageType.HTML)))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage("is not a file");
        assertThatThrownBy(() -> PageDocument.named("http://a b", Optional.empty(), "q", List.of()))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage("is not a file name or URL");
    }

    @Test
    void whatIsNoTextIsNoPage() throws Exception {
        Files.write(directory.resolve("page.html"), "<p>".getBytes(UTF_16LE));

        assertThatThrownBy(() -> page("page.html", Optional.empty()))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage("is not text in an encoding that contains ASCII");
    }

    @Test
    void pageMayHaveEightMebibytesAndNoMore() throws Exception {
        Files.write(directory.resolve("fits.txt"), "x".repeat(8 << 20).getBytes(UTF_8));
        Files.write(directory.resolve("long.txt"), "x".repeat((8 << 20) + 1).getBytes(UTF_8));

        assertThat(page("fits.txt", Optional.empty()).bytes()).hasSize(8 << 20);
        assertThatThrownBy(() -> page("long.txt", Optional.empty()))
                .isInstanceOf(UnreadablePage.class)
                .hasMessage("is too long");
    }

    private PageDocument page(String name, Optional<PageType> type) throws Exception {
        return PageDocument.named(directory.resolve(name).toString(), type, "quire", List.of());
    }
}
