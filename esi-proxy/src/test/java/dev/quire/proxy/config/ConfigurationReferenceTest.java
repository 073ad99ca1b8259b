package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tables of docs/configuration.md are those of the code that reads the keys. {@code
 * -Dquire.reference=update} rewrites them.
 */
class ConfigurationReferenceTest {
    private static final Path DOCUMENT = Path.of("../docs/configuration.md");
    private static final String BEGIN = "<!-- Generated: begin -->\n";
    private static final String END = "<!-- Generated: end -->\n";

    private static final List<Key> KEYS = ConfigurationReader.keys();

    @Test
    void theDocumentIsCurrent() throws IOException {
        var tables = new ReferenceTables(KEYS, KeyNote.all()).text();
        var written = Files.readString(DOCUMENT);
        int begin = written.indexOf(BEGIN) + BEGIN.length();
        int end = written.indexOf(END);
        var current = written.substring(0, begin) + "\n" + tables + "\n" + written.substring(end);
        if ("update".equals(System.getProperty("quire.reference"))) {
            Files.writeString(DOCUMENT, current);
        }

        assertThat(Files.readString(DOCUMENT))
                .describedAs(
                        "docs/configuration.md (run bin/test -Dquire.reference=update"
                                + " after a change)")
                .isEqualTo(current);
    }

    @Test
    void everyKeyIsDescribedAndNoOther() {
        var read = KEYS.stream().map(Key::path).collect(Collectors.toSet());

        assertThat(KeyNote.all().keySet())
                .describedAs("the keys in keys.yml, and those that are read")
                .containsExactlyInAnyOrderElementsOf(read);
    }

    @Test
    void aKeyThatIsReadWithoutItsNotationIsFound() {
        assertThatThrownBy(() ->
                        Section.describe(
                                root -> root.section("cache", cache -> cache.has("grace"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cache.grace");
    }

    @Test
    void descriptionsAreSentences() {
        KeyNote.all()
                .forEach((path, note) ->
                        assertThat(note.text())
                                .describedAs(path)
                                .matches("\\p{Lu}[^\n]{10,200}\\."));
    }

    @Test
    void everyDefaultIsAValueOfItsKey() {
        var values =
                KEYS.stream()
                        .filter(key -> key.kind() == Key.Kind.VALUE)
                        .filter(key -> key.fallback().isPresent())
                        .toList();

        assertThat(values).hasSizeGreaterThan(50);
        assertThat(values)
                .allSatisfy(key -> {
                    var text = key.fallback().orElseThrow().replace("\"", "");
                    assertThat(key.notation().orElseThrow().reading().apply(text))
                            .describedAs(key.path())
                            .isPresent();
                });
    }

    /** A value that {@code list} or {@code value} would not have reported as the default. */
    @Test
    void theDefaultsWrittenInAFileAreTheDefaults(@TempDir Path directory) throws Exception {
        var file = directory.resolve("quire.yml");
        var yaml = new StringBuilder("origins: { a: { urls: ['http://a'] } }\n");
        yaml.append("routes: [{ origin: a }]\n");
        for (var section :
                List.of(
                        "listen", "disk", "shared", "fleet", "cache", "esi", "log", "deliver",
                        "drain", "limits")) {
            yaml.append(section).append(":\n");
            KEYS.stream()
                    .filter(key -> key.parent().equals(section) && key.fallback().isPresent())
                    .forEach(key ->
                            yaml.append("  %s: %s%n".formatted(key.name(), key.fallback().get())));
        }
        Files.writeString(file, yaml);

        var configuration = Configuration.check(file);

        var defaults = Configuration.DEFAULTS;
        assertThat(yaml.toString().lines().count()).isGreaterThan(40);
        assertThat(configuration.listen()).isEqualTo(defaults.listen());
        assertThat(configuration.disk()).isEqualTo(defaults.disk());
        assertThat(configuration.shared()).isEqualTo(defaults.shared());
        assertThat(configuration.fleet()).isEqualTo(defaults.fleet());
        assertThat(configuration.cache()).isEqualTo(defaults.cache());
        assertThat(configuration.esi()).isEqualTo(defaults.esi());
        assertThat(configuration.log()).isEqualTo(defaults.log());
        assertThat(configuration.deliver()).isEqualTo(defaults.deliver());
        assertThat(configuration.drain()).isEqualTo(defaults.drain());
        assertThat(configuration.limits()).isEqualTo(defaults.limits());
    }
}
