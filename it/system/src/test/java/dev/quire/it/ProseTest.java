package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The words of comments, messages and documents: none of {@link #AVOIDED}, and lines of documents
 * of at most {@value #COLUMNS} columns. Code, quotations, tables and the targets of links are
 * exempt.
 */
class ProseTest {
    private static final int COLUMNS = 100;

    /** Tests run in the folder of their module. */
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final List<String> SOURCES =
            List.of(
                    "pom.xml",
                    "esi-core",
                    "esi-proxy",
                    "spring-starter",
                    "it",
                    "samples",
                    "bin",
                    ".ci",
                    "docker");

    private static final String CASES = "it/system/src/test/resources/cases/README.md";

    private static final String ATTACKS = "it/system/src/test/resources/attacks/README.md";

    /** A pattern of words to avoid, each with a remedy. */
    private static final List<Avoided> AVOIDED =
            List.of(
                    new Avoided("whoever", "name the role: a client, the caller"),
                    new Avoided("(?:every|no|some)body", "name the role, or use the passive"),
                    new Avoided("he|him|his|himself", "a client is it, a reader is they"),
                    new Avoided("besides", "also, in addition, except"),
                    new Avoided("is none|(?<!there )is no(?! longer| more)", "is not a, is absent"),
                    new Avoided("stands?", "is, applies, remains"),
                    new Avoided("bears?|borne", "has, contains, carries"),
                    new Avoided("(?:told|tells?|telling) of", "is notified about, reports"),
                    new Avoided("(?:comes?|came|coming) of", "results from"),
                    new Avoided("made untrue|for want of|parted by", "the plain verb"),
                    new Avoided(
                            "well again|(?:ill|well) (?:servers?|origins?|endpoints?|ones?)"
                                    + "|(?:is|are|was|were|be|been|gets?|becomes?|turns?) (?:ill\\b(?!-)"
                                    + "|well\\b(?!-| (?:again|known|defined|tested)))",
                            "healthy, failed, unhealthy"));

    /** A free relative clause as the subject of a sentence. */
    private static final Pattern WHAT =
            Pattern.compile("(?:^|(?<=[.;!] )|(?<=\\*\\* ))What\\b(?! \\|)(?![^.!]*\\?)");

    private static final Pattern TARGET_OF_LINK = Pattern.compile("]\\([^)]*\\)");

    private static final Pattern WORDS =
            Pattern.compile(
                    String.join(
                            "|", AVOIDED.stream().map(a -> "\\b(?:" + a.words() + ")\\b").toList()),
                    Pattern.CASE_INSENSITIVE);

    private record Avoided(String words, String remedy) {}

    @Test
    void sourcesUsePlainWords() {
        assertThat(found(sources())).isEmpty();
    }

    @Test
    void documentsUsePlainWords() {
        assertThat(found(documents())).isEmpty();
    }

    @Test
    void documentsWrap() {
        var tooLong = new ArrayList<String>();
        for (var document : documents()) {
            tooLong(document, read(document), tooLong);
        }

        assertThat(tooLong).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "A.java        | /** What is stored. */                       | What",
                "A.java        | /** Told of it by {@code whoever}. */        | Told of",
                "A.java        | // nobody reads it                           | nobody",
                "A.java        | log.warn(\"for want of budget\");            | for want of",
                "A.java        | /** There is no longer one. Is no page. */   | Is no",
                "A.java        | /** Nothing is stored; what differs goes. */ |",
                "A.java        | int stands = 1; // ok                        |",
                "A.java        | throw new E(\"stands\");                     |",
                "A.java        | x(\"\"\"~  a page~  bears a tag\"\"\");        | bears",
                "A.java        | x(\"\"\"~<a href='/a/stand'>x</a>\"\"\");           |",
                "A.java        | // for want~    // of it                     | for want of",
                "a.yml         | # for want~# of it~key: 1                    | for want of",
                "A.java        | // once the origin is well again             | well again",
                "A.java        | // an ill server gets no requests            | ill server",
                "A.java        | // is well-formed and is well known          |",
                "A.java        | // is read as well                           |",
                "pom.xml       | <!-- A plugin, besides~  others. -->         | besides",
                "pom.xml       | <a/>~  <b> </b>~  <!-- It stands. -->        | stands",
                "pom.xml       | <description>For whoever builds</description> | whoever",
                "pom.xml       | <besides>text</besides>                      |",
                "esi.tld       | <description>He includes it</description>    | He",
                "a.yml         | key: 1 # told of it                          | told of",
                "a.yaml        | besides: 1                                   |",
                "a.json        | {\"description\": \"There is none.\"}          | is none",
                "a.json        | {\"name\": \"he is\"}                          |",
                "a.jsonl       | {\"notes\": \"as it stands\"}                  | stands",
                "a.properties  | # nobody~key=nobody                          | nobody",
                "a.lua         | x = 1 -- comes of y                          | comes of",
                "a.css         | /* it~ * stands */ .besides {}               | stands",
                "a.sh          | echo \"no cache: it is none\"                 | is none",
                "run           | #!/bin/sh~printf '%s~whoever\\n' \"$1\"       | whoever",
                "run           | #!/bin/sh~x || die \"started~ besides it\"    | besides",
                "run           | #!/bin/sh~say '%s' \"$1\" \"whoever it is\"   | whoever",
                "run           | #!/bin/sh~echo somebody knows                | somebody",
                "run           | #!/bin/sh~cat <<EOF~as it stands~EOF         | stands",
                "run           | #!/bin/sh~x=1 # for want of y                | for want of",
                "run           | #!/bin/sh~stands --besides                   |",
                "a.md          | The page~stands.                             | stands",
                "a.md          | The page `stands`.                           |"
            })
    void wordsOfProseAreFound(String file, String content, @Nullable String expected) {
        var found = new ArrayList<String>();

        check(ROOT.resolve(file), content.replace('~', '\n'), found);

        if (expected == null) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).hasSize(1).first().asString().contains("'" + expected + "'");
        }
    }

    /** The place of a long line is what remains of it without the targets of its links. */
    @ParameterizedTest
    @CsvSource({
        "90,  '',                          false",
        "110, '',                          true",
        "110, ' [link](docs/images/a.md)', true",
        "80,  ' [link](docs/images/a.md)', false",
        "80,  ' [link](b.md), [c](d.md)',  false"
    })
    void longLinesAreFound(int length, String end, boolean isFound) {
        var found = new ArrayList<String>();

        tooLong(ROOT.resolve("a.md"), "word ".repeat(length / 5) + end, found);

        assertThat(found).hasSize(isFound ? 1 : 0);
    }

    private static void tooLong(Path document, String content, List<String> found) {
        var lines = Prose.withoutBlocks(content).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            var line = TARGET_OF_LINK.matcher(lines.get(i)).replaceAll("]()");
            boolean isTable = line.startsWith("|");
            if (line.length() > COLUMNS && !isTable && line.contains(" ")) {
                found.add(at(document, i + 1) + line.length() + " columns");
            }
        }
    }

    private static List<String> found(List<Path> files) {
        var found = new ArrayList<String>();
        files.forEach(file -> check(file, read(file), found));
        return found;
    }

    private static void check(Path file, String content, List<String> found) {
        for (var prose : Prose.of(file, content)) {
            Stream.concat(
                            WORDS.matcher(prose.text()).results(),
                            WHAT.matcher(prose.text()).results())
                    .map(match -> at(file, prose.line()) + message(match, prose.text()))
                    .forEach(found::add);
        }
    }

    private static String message(MatchResult match, String text) {
        var words = match.group();
        var remedy =
                AVOIDED.stream()
                        .filter(avoided ->
                                Pattern.compile(avoided.words(), Pattern.CASE_INSENSITIVE)
                                        .matcher(words)
                                        .matches())
                        .map(Avoided::remedy)
                        .findFirst()
                        .orElse("name the thing with its noun");
        var around =
                text.substring(
                        Math.max(0, match.start() - 30), Math.min(text.length(), match.end() + 30));
        return "'%s' (%s) in: %s".formatted(words, remedy, around);
    }

    private static String at(Path file, int line) {
        return ROOT.relativize(file) + ":" + line + ": ";
    }

    private static List<Path> documents() {
        return files(
                file -> file.toString().endsWith(".md"),
                List.of(
                        "README.md",
                        "ARCHITECTURE.md",
                        "CHANGELOG.md",
                        "SECURITY.md",
                        "docs",
                        CASES,
                        ATTACKS));
    }

    private static List<Path> sources() {
        var all = files(file -> !isExempt(file), SOURCES);
        // Fewer than these cannot be the whole project.
        assertThat(all).hasSizeGreaterThan(1200);
        assertThat(all)
                .contains(
                        ROOT.resolve(".ci/run"),
                        ROOT.resolve("bin/lib/common.sh"),
                        ROOT.resolve("docker/Dockerfile"),
                        ROOT.resolve("pom.xml"),
                        ROOT.resolve("samples/news/src/main/resources/application.yml"),
                        ROOT.resolve("spring-starter/src/main/resources/META-INF/esi.tld"));
        return all;
    }

    /** The lists of words themselves, built files, and texts of the samples' and tests' sites. */
    private static boolean isExempt(Path file) {
        var path = ROOT.relativize(file).toString();
        return path.endsWith("ProseTest.java")
                || path.contains("target/")
                || path.endsWith(".md")
                || (path.endsWith(".html") && !path.contains("it/harness/src/main/"));
    }

    private static List<Path> files(Predicate<Path> filter, List<String> places) {
        var all = new ArrayList<Path>();
        for (var place : places) {
            try (var files = Files.walk(ROOT.resolve(place))) {
                files.filter(Files::isRegularFile).filter(filter).forEach(all::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return all;
    }

    private static String read(Path file) {
        try {
            // Inputs of fuzz tests need not be UTF-8.
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
