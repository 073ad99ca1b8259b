package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncludedFilesTest {
    private static final String SPORT =
            """
            origins:
              sport: { urls: ["http://sport"] }
            routes:
              - { path: /sport/**, origin: sport }
            """;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = directory.resolve("quire.yml");
    }

    @Test
    void keysOfASectionMayBeInSeveralFiles() throws Exception {
        write("quire.yml", "include: [cache.yml, conf.d/*.yml]\ncache: { grace: 7s }\n");
        write("cache.yml", "cache: { stale-if-error: 8s }");
        write("conf.d/sport.yml", SPORT);
        write("conf.d/news.yml", SPORT.replace("sport", "news"));

        var configuration = Configuration.check(file);

        assertThat(configuration.cache().grace()).isEqualTo(Duration.ofSeconds(7));
        assertThat(configuration.cache().staleIfError()).isEqualTo(Duration.ofSeconds(8));
        assertThat(configuration.origins()).containsOnlyKeys("news", "sport");
        assertThat(configuration.origins().values())
                .extracting(origin -> origin.urls().getFirst().url())
                .containsExactly(URI.create("http://news"), URI.create("http://sport"));
    }

    @Test
    void listsAreJoinedInTheOrderOfNamesAfterTheMainFile() throws Exception {
        write("quire.yml", "include: '*.yml'\n" + SPORT.replace("sport", "main"));
        for (var name : List.of("b", "a10", "a2", "Z")) {
            write(name + ".yml", SPORT.replace("sport", name));
        }

        assertThat(Configuration.check(file).routes())
                .extracting(RouteConfig::origin)
                .containsExactly("main", "Z", "a10", "a2", "b");
    }

    @Test
    void aFileOfTwoPatternsIsReadOnce() throws Exception {
        write("quire.yml", "include: [z.yml, '*.yml', z.yml]");
        write("a.yml", SPORT.replace("sport", "a"));
        write("z.yml", SPORT.replace("sport", "z"));

        assertThat(Configuration.check(file).routes())
                .extracting(RouteConfig::origin)
                .containsExactly("z", "a");
    }

    @Test
    void hiddenFilesAndDirectoriesDoNotMatch() throws Exception {
        write("quire.yml", "include: conf.d/*\n" + SPORT);
        write("conf.d/.#edited.yml", "[");
        write("conf.d/more/a.yml", "[");

        assertThat(warnings())
                .containsExactly(
                        file
                                + ":1:10: include: 'conf.d/*' matches no file"
                                + " (expected the name of a file)");
    }

    @Test
    void theNameMayHaveAVariableWithADefault() throws Exception {
        write("quire.yml", "include: ${QUIRE_NO_SUCH_VARIABLE:sites}/*.yml");
        write("sites/sport.yml", SPORT);

        assertThat(Configuration.check(file).routes()).hasSize(1);
    }

    @Test
    void anchorsAreThoseOfOneFile() throws Exception {
        write("quire.yml", "include: [a.yml, b.yml]\n" + SPORT);
        write("a.yml", "x-grace: &grace 5s\ncache: { grace: *grace }");
        write("b.yml", "x-grace: &grace 6s\ncache: { hit-for-miss: *grace }");

        var cache = Configuration.check(file).cache();

        assertThat(cache.grace()).isEqualTo(Duration.ofSeconds(5));
        assertThat(cache.hitForMiss()).isEqualTo(Duration.ofSeconds(6));

        write("b.yml", "cache: { hit-for-miss: *grace }");
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith(at("b.yml") + ":1:24: is not valid YAML: found undefined alias grace");
    }

    @Test
    void aKeyTwiceIsReportedWithBothPlaces() throws Exception {
        write("quire.yml", "include: '[a-z].yml'\ncache: { grace: 1s }\n" + SPORT);
        write("a.yml", "cache: { max-object: 1MiB, grace: 2s }\nlog: { slow: 1s }");
        write("b.yml", "log: { slow: 2s }\norigins:\n  sport: { urls: ['http://b'] }");

        assertThat(problems())
                .containsExactly(
                        at("a.yml")
                                + ":1:28: cache.grace: is a duplicate key, first at "
                                + file
                                + ":2:10 (expected the key once)",
                        at("b.yml")
                                + ":1:8: log.slow: is a duplicate key, first at "
                                + at("a.yml")
                                + ":2:8 (expected the key once)",
                        at("b.yml")
                                + ":3:3: origins.sport: is a duplicate key, first at "
                                + file
                                + ":4:3 (expected the key once)");
    }

    @Test
    void aKeyTwiceInOneIncludedFileIsReported() throws Exception {
        write("quire.yml", "include: a.yml\n" + SPORT);
        write("a.yml", "routes: []\nroutes: []");

        assertThat(problems())
                .containsExactly(
                        at("a.yml")
                                + ":2:1: routes: is a duplicate key, first at "
                                + file
                                + ":4:1 (expected the key once)");
    }

    @Test
    void problemsNameTheirFileTheMainFileFirst() throws Exception {
        write("quire.yml", "include: '*.yml'\n\n\n\ncache: { grace: soon }");
        write("b.yml", SPORT + "log: { slow: never }");
        write("a.yml", "routes: [{ origin: spart }]\nfoo: 1");

        assertThat(problems())
                .containsExactly(
                        file
                                + ":5:17: cache.grace: invalid value 'soon'"
                                + " (expected a duration such as 200ms, 15s, 5m, 1h or 7d)",
                        at("a.yml")
                                + ":1:20: routes[0].origin: unknown origin 'spart'"
                                + " (expected 'sport', the nearest match)",
                        at("a.yml")
                                + ":2:1: foo: is an unknown key (expected 'log', the nearest match)",
                        at("b.yml")
                                + ":5:14: log.slow: invalid value 'never'"
                                + " (expected a duration such as 200ms, 15s, 5m, 1h or 7d)");
    }

    @Test
    void everyUnreadableFileIsReported() throws Exception {
        write("quire.yml", "include: ['*.yml', missing.yml]");
        write("a.yml", "a: [");
        write("b.yml", "a: *b");

        assertThat(problems())
                .satisfiesExactly(
                        it ->
                                assertThat(it)
                                        .isEqualTo(
                                                file
                                                        + ":1:20: include[1]: '"
                                                        + at("missing.yml")
                                                        + "' does not exist (expected a readable"
                                                        + " file of at most 1MiB)"),
                        it -> assertThat(it).startsWith(at("a.yml") + ":1:5: is not valid YAML"),
                        it -> assertThat(it).startsWith(at("b.yml") + ":1:4: is not valid YAML"));
    }

    @Test
    void aPipeIsNotOpened() throws Exception {
        write("quire.yml", "include: pipe.yml");
        var made = new ProcessBuilder("mkfifo", at("pipe.yml").toString()).start();
        assertThat(made.waitFor()).isZero();

        assertThat(assertTimeoutPreemptively(Duration.ofSeconds(20), this::problems))
                .singleElement()
                .asString()
                .startsWith(file + ":1:10: include: '" + at("pipe.yml") + "' is not a file");

        write("quire.yml", "admin: { token-file: '" + at("pipe.yml") + "' }\n" + SPORT);
        assertThat(assertTimeoutPreemptively(Duration.ofSeconds(20), this::problems))
                .singleElement()
                .asString()
                .startsWith(file + ":1:22: admin.token-file: invalid value");
    }

    @Test
    void aFileThatIsNotTextIsNamedWhereItIsIncluded() throws Exception {
        write("quire.yml", "include:\n  - '*.yml'\n" + SPORT);
        Files.write(at("a.yml"), new byte[] {'a', (byte) 0xff});
        Files.write(at("b.yml"), new byte[(1 << 20) + 1]);

        assertThat(problems())
                .satisfiesExactly(
                        it ->
                                assertThat(it)
                                        .startsWith(
                                                file
                                                        + ":2:5: include[0]: '"
                                                        + at("a.yml")
                                                        + "' is not UTF-8 ("),
                        it -> assertThat(it).contains("b.yml' is a file of more than 1MiB"));
    }

    @Test
    void anIncludedFileIncludesNoOthersAndIsAMapping() throws Exception {
        write("quire.yml", "include: [a.yml, b.yml, c.yml]\n" + SPORT);
        write("a.yml", "include: b.yml");
        write("b.yml", "- 1");
        write("c.yml", "# nothing yet");

        assertThat(problems())
                .containsExactly(
                        at("a.yml")
                                + ":1:1: include: is a key of an included file (expected include in "
                                + file
                                + " only)",
                        at("b.yml") + ":1:1: is not a mapping (expected keys and values)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "conf.d/",
                "'*/a.yml'",
                "'[.yml'",
                "['{a/b.yml']",
                "\"a\\0b\"",
                "\"a\\0/b\""
            })
    void aPatternThatCannotBeReadIsRefused(String pattern) throws Exception {
        write("quire.yml", "include: " + pattern + "\n" + SPORT);

        assertThat(problems())
                .singleElement()
                .asString()
                .contains(": invalid value '")
                .endsWith(
                        "(expected a file name such as conf.d/*.yml,"
                                + " wildcards only after the last /)");
    }

    @Test
    void aDirectoryThatDoesNotExistIsReported() throws Exception {
        write("quire.yml", "include: conf.d/*.yml\n" + SPORT);

        assertThat(problems()).singleElement().asString().contains("conf.d' cannot be listed");
    }

    @Test
    void theValuesOfAllFilesAreLimitedTogether() throws Exception {
        write("quire.yml", "include: '*.yml'\n" + SPORT);
        var half = "trusted: [" + "10.0.0.1,".repeat(40_000) + "]";
        write("a.yml", half);
        write("b.yml", half);

        assertThat(Configuration.check(file).trust().trusted()).hasSize(80_000);

        write("c.yml", half);
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith(at("c.yml") + ":1:")
                .contains("has too many values");
    }

    private Path at(String name) {
        return directory.resolve(name);
    }

    private List<String> problems() {
        var invalid =
                catchThrowableOfType(InvalidConfiguration.class, () -> Configuration.check(file));
        return invalid.problems().stream().map(Problem::toString).toList();
    }

    private List<String> warnings() throws InvalidConfiguration {
        var warnings = new ArrayList<String>();
        Configuration.check(file, warning -> warnings.add(warning.toString()));
        return warnings;
    }

    private void write(String name, String yaml) throws IOException {
        var path = at(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, yaml);
    }
}
