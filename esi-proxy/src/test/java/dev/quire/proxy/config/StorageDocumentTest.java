package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The configurations and the keys in docs/storage.md, and the events of the disk tier. */
class StorageDocumentTest {
    private static final Path DOCUMENT = Path.of("../docs/storage.md");

    private static final Pattern BLOCK =
            Pattern.compile("^```yaml\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern ROW =
            Pattern.compile("^\\| `(disk\\.[a-z-]+)` \\| (\\S+) \\|", Pattern.MULTILINE);

    private static final Path SOURCES = Path.of("src/main/java/dev/quire/proxy");

    private static final Pattern EVENT = Pattern.compile("\"(disk-[a-z]+)\"");

    @TempDir Path directory;

    static Stream<String> blocks() throws IOException {
        return BLOCK.matcher(Files.readString(DOCUMENT)).results().map(block -> block.group(1));
    }

    @Test
    void allBlocksAreFound() throws IOException {
        assertThat(blocks()).hasSizeGreaterThan(1);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void blockTurnsTheDiskTierOn(String block) throws Exception {
        var file = Files.writeString(directory.resolve("quire.yml"), block);

        assertThat(Configuration.check(file).disk().isOn()).isTrue();
    }

    @Test
    void tableHasAllKeysWithTheirDefaults() throws IOException {
        var keys =
                ConfigurationReader.keys().stream()
                        .filter(key -> key.parent().equals("disk"))
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

        assertThat(rows).containsExactlyElementsOf(keys);
    }

    @Test
    void allEventsOfTheDiskAreDescribed() throws IOException {
        var table = Files.readString(Path.of("../docs/operating.md"));

        var names =
                Stream.of("DiskStorage.java", "disk/DiskFaults.java")
                        .flatMap(source -> EVENT.matcher(read(SOURCES.resolve(source))).results())
                        .map(event -> "`" + event.group(1) + "`")
                        .toList();

        assertThat(names).hasSizeGreaterThan(8).allMatch(table::contains);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
