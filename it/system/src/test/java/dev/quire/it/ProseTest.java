package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The words of comments, messages and documents: none of {@link #AVOIDED}, and lines of documents
 * of at most {@value #COLUMNS} columns. Code, quotations, tables and links are exempt.
 */
class ProseTest {
    private static final int COLUMNS = 100;

    /** Tests run in the folder of their module. */
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final List<String> SOURCES =
            List.of("esi-core", "esi-proxy", "spring-starter", "it", "samples");

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
                    new Avoided("made untrue|for want of|parted by", "the plain verb"));

    /** A free relative clause as the subject of a sentence. */
    private static final Pattern WHAT =
            Pattern.compile("(?:^|(?<=[.;!] )|(?<=\\*\\* ))What\\b(?! \\|)(?![^.!]*\\?)");

    private static final Pattern WORDS =
            Pattern.compile(
                    String.join(
                            "|", AVOIDED.stream().map(a -> "\\b(?:" + a.words() + ")\\b").toList()),
                    Pattern.CASE_INSENSITIVE);

    /** Comments and literals; possessive, so that a long one needs no stack. */
    private static final Pattern JAVA =
            Pattern.compile(
                    "(?s)/\\*(?:[^*]++|\\*(?!/))*+\\*/|//[^\n]*+"
                            + "|\"\"\"(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"\"\""
                            + "|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.)++'");

    private static final Pattern CODE_OF_JAVADOC =
            Pattern.compile("(?s)\\{@(?:code|link|linkplain|value)\\b[^}]*}|<pre>.*?</pre>");

    private static final Pattern PARAGRAPHS_OF_JAVADOC =
            Pattern.compile("\n\\s*(?:<p>|<li>|@param \\S+|@return|@throws \\S+|\n)");

    private static final Pattern BLOCKS_OF_MARKDOWN = Pattern.compile("(?s)```.*?```");

    private static final Pattern PARAGRAPHS_OF_MARKDOWN =
            Pattern.compile("\n\\s*\n|\n(?=\\s*(?:[-*|]|\\d+\\.) )");

    private record Avoided(String words, String remedy) {}

    /** A sentence or more, and the line it begins in. */
    private record Prose(int line, String text) {}

    @Test
    void commentsAndMessagesUsePlainWords() {
        var found = new ArrayList<String>();
        for (var source : files(".java")) {
            check(source, prose(read(source)), found);
        }

        assertThat(found).isEmpty();
    }

    @Test
    void documentsUsePlainWords() {
        var found = new ArrayList<String>();
        for (var document : documents()) {
            check(document, paragraphs(read(document)), found);
        }

        assertThat(found).isEmpty();
    }

    @Test
    void scriptsUsePlainWords() throws IOException {
        var found = new ArrayList<String>();
        try (var scripts = Files.walk(ROOT.resolve("bin"))) {
            for (var script : scripts.filter(Files::isRegularFile).toList()) {
                check(script, comments(read(script)), found);
            }
        }

        assertThat(found).isEmpty();
    }

    @Test
    void documentsWrap() {
        var tooLong = new ArrayList<String>();
        for (var document : documents()) {
            var lines = withoutBlocks(read(document)).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                var line = lines.get(i);
                boolean isExempt =
                        line.startsWith("|") || line.contains("](") || !line.contains(" ");
                if (line.length() > COLUMNS && !isExempt) {
                    tooLong.add(at(document, i + 1) + line.length() + " columns");
                }
            }
        }

        assertThat(tooLong).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/** What is stored. */                       | What",
                "/** Told of it by {@code whoever}. */        | Told of",
                "// nobody reads it                           | nobody",
                "log.warn(\"for want of budget\");            | for want of",
                "/** There is no longer one. Is no page. */   | Is no",
                "/** Nothing is stored; what differs goes. */ |",
                "int stands = 1; // ok                        |",
                "throw new E(\"stands\");                     |"
            })
    void checkFindsTheWordsOfProse(String source, String expected) {
        var found = new ArrayList<String>();

        check(ROOT.resolve("A.java"), prose(source), found);

        if (expected == null) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).hasSize(1).first().asString().contains("'" + expected + "'");
        }
    }

    private static void check(Path file, List<Prose> proses, List<String> found) {
        for (var prose : proses) {
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

    /** Comments, and string literals of more than one word. */
    private static List<Prose> prose(String source) {
        var proses = new ArrayList<Prose>();
        var matcher = JAVA.matcher(source);
        int line = 1;
        int counted = 0;
        while (matcher.find()) {
            line += lines(source, counted, matcher.start());
            counted = matcher.start();
            var token = matcher.group();
            if (token.startsWith("//")) {
                proses.add(new Prose(line, token.substring(2).strip()));
            } else if (token.startsWith("/*")) {
                var text = token.replaceAll("^/\\*+|\\*+/$", "").replaceAll("\n *\\*", "\n");
                text = CODE_OF_JAVADOC.matcher(text).replaceAll("x");
                for (var paragraph : PARAGRAPHS_OF_JAVADOC.splitAsStream(text).toList()) {
                    proses.add(new Prose(line, onOneLine(paragraph)));
                }
            } else if (token.startsWith("\"")
                    && !token.startsWith("\"\"\"")
                    && token.contains(" ")) {
                proses.add(new Prose(line, token.substring(1, token.length() - 1)));
            }
        }
        return proses;
    }

    private static List<Prose> paragraphs(String markdown) {
        var text = withoutBlocks(markdown).replaceAll("`[^`]*`", "x").replaceAll("(?m)^>.*$", "");
        var proses = new ArrayList<Prose>();
        var breaks = PARAGRAPHS_OF_MARKDOWN.matcher(text);
        int start = 0;
        while (start <= text.length()) {
            int end = breaks.find(start) ? breaks.start() : text.length();
            var paragraph = text.substring(start, end);
            proses.add(
                    new Prose(
                            1 + lines(text, 0, start),
                            onOneLine(paragraph.replaceFirst("^\\s*(?:[-*|]|\\d+\\.) ", ""))));
            start = end == text.length() ? end + 1 : breaks.end();
        }
        return proses;
    }

    private static List<Prose> comments(String script) {
        var proses = new ArrayList<Prose>();
        var lines = script.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            int start = lines.get(i).indexOf("# ");
            if (start >= 0) {
                proses.add(new Prose(i + 1, lines.get(i).substring(start + 2).strip()));
            }
        }
        return proses;
    }

    /** Blocks of code become empty lines. */
    private static String withoutBlocks(String markdown) {
        return BLOCKS_OF_MARKDOWN
                .matcher(markdown)
                .replaceAll(block -> "\n".repeat(lines(block.group(), 0, block.group().length())));
    }

    private static int lines(String text, int from, int to) {
        return (int) text.substring(from, to).chars().filter(c -> c == '\n').count();
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    private static List<Path> documents() {
        var documents = new ArrayList<Path>();
        for (var name : List.of("README.md", "ARCHITECTURE.md", "CHANGELOG.md")) {
            documents.add(ROOT.resolve(name));
        }
        try (var docs = Files.list(ROOT.resolve("docs"))) {
            docs.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return documents;
    }

    private static List<Path> files(String suffix) {
        var all = new ArrayList<Path>();
        for (var folder : SOURCES) {
            try (var files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file ->
                                file.toString().endsWith(suffix)
                                        && ROOT.relativize(file).toString().contains("src/")
                                        && !ROOT.relativize(file).toString().contains("target/")
                                        && !file.endsWith("ProseTest.java"))
                        .forEach(all::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        // Fewer than these cannot be the whole project.
        assertThat(all).hasSizeGreaterThan(900);
        return all;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
