package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.proxy.route.OriginSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AliasesTest {
    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = directory.resolve("quire.yml");
    }

    @Test
    void anAliasIsACopyOfTheValueThatItsAnchorNames() throws Exception {
        write(
                """
                origins:
                  news: { urls: &urls ["http://a:81"], idle-timeout: &idle 2h }
                  sport: { urls: *urls, idle-timeout: *idle }
                routes:
                  - { origin: news }
                """);

        var origins = Configuration.check(file).origins();

        assertThat(origin(origins, "sport").urls()).isEqualTo(origin(origins, "news").urls());
        assertThat(origin(origins, "sport").deadlines().idle()).isEqualTo(Duration.ofHours(2));
    }

    @Test
    void aMergeKeyAddsTheKeysThatTheMappingLacks() throws Exception {
        write(
                """
                x-origin: &origin { max-connections: 3, max-queue: 4, retries: 0 }
                x-slow: &slow { <<: *origin, max-queue: 5, first-byte-timeout: 1m }
                origins:
                  news: { <<: *origin, urls: ["http://a"] }
                  sport: { <<: *slow, urls: ["http://b"] }
                  photos:
                    <<: [*origin, *slow]
                    urls: ["http://c"]
                    retries: 1
                routes:
                  - { origin: news }
                """);

        var origins = Configuration.check(file).origins();

        assertThat(origins).containsOnlyKeys("news", "sport", "photos");
        assertThat(origin(origins, "news").maxQueue()).isEqualTo(4);
        assertThat(origin(origins, "sport").maxQueue()).isEqualTo(5);
        assertThat(origin(origins, "sport").maxConnections()).isEqualTo(3);
        assertThat(origin(origins, "sport").deadlines().firstByte())
                .isEqualTo(Duration.ofMinutes(1));
        var photos = origin(origins, "photos");
        assertThat(photos.maxQueue()).isEqualTo(4);
        assertThat(photos.retries().most()).isEqualTo(1);
        assertThat(photos.urls().getFirst().url()).isEqualTo(URI.create("http://c"));
    }

    @Test
    void aFaultOfACopyIsReportedAtItsAnchorForEachUse() throws Exception {
        write(
                """
                x-origin: &origin { retries: 7 }
                origins:
                  news: { <<: *origin, urls: ["http://a"] }
                  sport: { <<: *origin, urls: ["http://b"] }
                routes: [{ origin: news }]
                """);

        assertThat(problems())
                .containsExactly(
                        file
                                + ":1:30: origins.news.retries: invalid value '7'"
                                + " (expected a whole number from 0 to 1)",
                        file
                                + ":1:30: origins.sport.retries: invalid value '7'"
                                + " (expected a whole number from 0 to 1)");
    }

    @Test
    void aKeyTwiceIsAnErrorBesideAMergeKeyToo() throws Exception {
        write(
                """
                x-cache: &cache { grace: 1s }
                cache: { <<: *cache, grace: 2s, grace: 3s }
                """);

        assertThat(problems()).singleElement().asString().contains(":2:33: cache.grace: is a dup");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a: &a [*a]; :1:8: the alias *a is part of the value it names",
                "a: &a { b: { <<: *a } }; :1:18: the alias *a is part of the value it names",
                "cache: { <<: 3 }; :1:17: is not valid YAML: Expected mapping node",
                "x-a: &a 1s~cache: { <<: *a }; :2:18: is not valid YAML: Expected mapping node",
                "x-cache: {}~cache: { grace: *x }; :2:17: is not valid YAML: found undefined alias",
            })
    void anAliasThatCannotBeResolvedIsRefused(String yaml, String said) throws Exception {
        write(yaml.replace("~", "\n"));

        assertThat(problems()).singleElement().asString().contains(said);
    }

    /** Nine levels of nine aliases would be 400 million strings. */
    @Test
    @Timeout(10)
    void manyCopiesOfCopiesAreRefusedWhereTheyExceedTheLimit() throws Exception {
        var bomb = new StringBuilder("x0: &x0 [lol]\n");
        for (int i = 1; i <= 9; i++) {
            var alias = "*x" + (i - 1);
            bomb.append("x%d: &x%d [".formatted(i, i))
                    .append(String.join(",", Collections.nCopies(9, alias)))
                    .append("]\n");
        }
        write(bomb.toString());

        assertThat(problems())
                .containsExactly(
                        file
                                + ":6:34: has too many values, each alias counted as a copy"
                                + " (expected at most 100000 keys and values)");
    }

    @Test
    @Timeout(10)
    void manyMergedKeysAreRefused() throws Exception {
        var keys =
                IntStream.range(0, 1000)
                        .mapToObj(i -> "k" + i + ": 1")
                        .collect(Collectors.joining(","));
        write("x-a: &a {" + keys + "}\nroutes:\n" + "  - { <<: *a }\n".repeat(60));

        assertThat(problems())
                .containsExactly(
                        file
                                + ":51:11: has too many values, each alias counted as a copy"
                                + " (expected at most 100000 keys and values)");
    }

    @Test
    void aFileOfManyValuesIsRefused() throws Exception {
        write("trusted: [" + "1,".repeat(100_000) + "]");

        assertThat(problems()).singleElement().asString().contains("has too many values");
    }

    @Test
    void copiesDoNotNestDeeperThanWrittenValues() throws Exception {
        write("x-a: &a [[[[[[[[[[1]]]]]]]]]]\nx-b: [[[[[*a]]]]]\nx-c: [[[[[[*a]]]]]]\n");

        assertThat(problems())
                .containsExactly(file + ":3:12: is nested too deeply (expected at most 16 levels)");
    }

    private static OriginSettings origin(Map<String, OriginSettings> origins, String name) {
        return Objects.requireNonNull(origins.get(name));
    }

    private List<String> problems() {
        var invalid =
                catchThrowableOfType(InvalidConfiguration.class, () -> Configuration.check(file));
        return invalid.problems().stream().map(Problem::toString).toList();
    }

    private void write(String yaml) throws IOException {
        Files.writeString(file, yaml);
    }
}
