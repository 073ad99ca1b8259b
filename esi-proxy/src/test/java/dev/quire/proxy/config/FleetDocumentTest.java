package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration and the keys in docs/fleet.md. */
class FleetDocumentTest {
    private static final Path DOCUMENT = Path.of("../docs/fleet.md");

    private static final Pattern BLOCK =
            Pattern.compile("^```yaml\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern ROW =
            Pattern.compile("^\\| `(shared\\.[a-z-]+)` \\| (\\S+) \\|", Pattern.MULTILINE);

    @TempDir Path directory;

    @Test
    void theBlockTurnsTheSharedTierOn() throws Exception {
        var block = BLOCK.matcher(Files.readString(DOCUMENT));
        assertThat(block.find()).isTrue();
        var file = Files.writeString(directory.resolve("quire.yml"), block.group(1));

        assertThat(Configuration.check(file).shared().isOn()).isTrue();
    }

    @Test
    void theTableHasAllKeysWithTheirDefaults() throws IOException {
        var keys =
                ConfigurationReader.keys().stream()
                        .filter(key -> key.parent().equals("shared"))
                        .map(key ->
                                key.path()
                                        + " "
                                        + key.fallback().map(it -> "`" + it + "`").orElse("none"))
                        .toList();
        var rows =
                ROW.matcher(Files.readString(DOCUMENT))
                        .results()
                        .map(row -> row.group(1) + " " + row.group(2))
                        .toList();

        assertThat(rows).containsExactlyInAnyOrderElementsOf(keys);
    }
}
