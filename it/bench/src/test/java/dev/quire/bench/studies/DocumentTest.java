package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentTest {
    @TempDir private Path folder;

    @Test
    void runReplacesItsOwnChapterAndKeepsTheOthers() throws IOException {
        var images = Studies.titles().getFirst();
        Files.writeString(folder.resolve("head.md"), "# Case studies\n");
        Files.writeString(folder.resolve("images.md"), "{{run}}\n\n{{rates}}\n\n{{claims}}\n");
        Files.writeString(folder.resolve("django.md"), "{{run}}\n");
        var document = new Document(folder, folder.resolve("out.md"), folder.resolve("pictures"));

        document.write(new DjangoSite(), found(""), made("cccc"), folder.resolve("rounds.json"));
        document.write(new Images(), found("first"), made("aaaa"), folder.resolve("rounds.json"));
        document.write(new Images(), found("second"), made("bbbb"), folder.resolve("rounds.json"));

        assertThat(folder.resolve("out.md"))
                .content()
                .startsWith("# Case studies\n\n## " + images + "\n\n| | |")
                .contains("## " + new DjangoSite().title() + "\n\n| | |", "| commit | cccc |")
                .contains("| commit | bbbb |", "| second |", "| as fast | 2 × | holds |")
                .doesNotContain("aaaa", "first", "{{");
        assertThat(folder.resolve("pictures/study-images.svg")).content().contains("100 × faster");
    }

    private static Findings found(String row) {
        return new Findings(
                Map.of("rates", "| " + row + " |\n"),
                List.of(Claim.atLeast("as fast", 2, 1, "×")),
                List.of(
                        new BarChart.Group(
                                "rate", List.of(new BarChart.Bar("a", 1, "100 × faster", "ours")))),
                List.of(),
                List.of());
    }

    private static Document.Made made(String revision) {
        var machine = new Machine("processor", 2, 1L << 30, "system", "kernel", "java");
        return new Document.Made(
                revision, "2026-01-01", 16, "bin/bench studies", 3, machine, "", Map.of());
    }
}
