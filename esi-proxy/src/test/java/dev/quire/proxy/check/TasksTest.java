package dev.quire.proxy.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cli.Cli;
import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.Problem;
import io.netty.pkitesting.CertificateBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The blocks and commands of docs/tasks.md. */
class TasksTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Path DOCUMENT = DOCS.resolve("tasks.md");

    private static final Pattern FENCE =
            Pattern.compile("^```([a-z]+)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);

    private static final Pattern LINK = Pattern.compile("]\\(([^)#]*)(?:#([^)]*))?\\)");

    /** A command alone, with its folder, or as the value of a key of systemd. */
    private static final Pattern COMMAND = Pattern.compile("(?:[A-Za-z]+=)?(?:\\S*/)?quire (.+)");

    private static final Pattern CODE_SPAN = Pattern.compile("`([^`\n]+)`");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static final Pattern METRIC = Pattern.compile("\\bquire_[a-z_]+");

    private static final Pattern DESCRIBED_METRIC = Pattern.compile("`(quire\\.[a-z.]+)[`{]");

    @TempDir Path directory;

    @BeforeEach
    void writeNamedFiles() throws Exception {
        write("maintenance.html", "<h1>Back soon</h1>");
        write("admin.token", "0123456789abcdefghijklmnop");
        write(
                "users.htpasswd",
                "anna:$2y$10$n6QsJe3xZ3zFyfQC8/RfIebaumDkQssETWbVfQ1nyZK5uLKPRwka2\n");
        Files.createDirectory(directory.resolve("conf.d"));
        write("conf.d/cache.yml", "cache: { grace: 30s }\n");
        writeCertificates();
    }

    private void writeCertificates() throws Exception {
        var pair =
                new CertificateBuilder()
                        .subject("CN=shop.example")
                        .addSanDnsName("shop.example")
                        .setIsCertificateAuthority(true)
                        .ecp256()
                        .buildSelfSigned();
        Files.createDirectories(directory.resolve("tls/blog.example"));
        for (var name : List.of("shop", "clients-ca", "internal-ca", "blog.example/fullchain")) {
            write("tls/" + name + ".pem", pair.getCertificatePEM());
        }
        for (var name : List.of("shop.key", "blog.example/privkey.pem")) {
            write("tls/" + name, pair.getPrivateKeyPEM());
        }
        write("tls/tickets.keys", "k".repeat(48));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    /** A block of the document, shown as its heading and first line. */
    record Block(String heading, String text) {
        /** Its keys of the root, each with its value as text. */
        List<String> sections() {
            return Pattern.compile("^(?=[a-z-]+:)", Pattern.MULTILINE).splitAsStream(text).toList();
        }

        boolean has(String key) {
            return sections().stream().anyMatch(section -> section.startsWith(key + ":"));
        }

        String section(String key) {
            return sections().stream()
                    .filter(section -> section.startsWith(key + ":"))
                    .findFirst()
                    .orElseThrow();
        }

        Block without(String key) {
            return new Block(
                    heading,
                    sections().stream()
                            .filter(section -> !section.startsWith(key + ":"))
                            .collect(Collectors.joining()));
        }

        @Override
        public String toString() {
            return heading + ": " + text.lines().findFirst().orElse("");
        }
    }

    static List<Block> blocks() throws IOException {
        return blocks("yaml");
    }

    static List<Block> blocksWithRules() throws IOException {
        return blocks().stream().filter(block -> block.has("rules")).toList();
    }

    private static List<Block> blocks(String language) throws IOException {
        var document = Files.readString(DOCUMENT);
        return FENCE.matcher(document)
                .results()
                .filter(fence -> fence.group(1).equals(language))
                .map(fence ->
                        new Block(
                                HEADING.matcher(document.substring(0, fence.start()))
                                        .results()
                                        .reduce((first, second) -> second)
                                        .map(heading -> heading.group(1))
                                        .orElse(""),
                                fence.group(2)))
                .toList();
    }

    /** Completed by the first block of the document. */
    private CheckedFile checked(Block block, List<Problem> warnings) throws Exception {
        var first = blocks().getFirst();
        var text =
                Stream.of("origins", "routes")
                        .filter(key -> !block.has(key))
                        .map(first::section)
                        .collect(Collectors.joining("", block.text(), ""));
        write(
                "quire.yml",
                text.replace("/etc/quire", directory.toString())
                        .replace("/var/log/quire", directory.toString()));
        return CheckedFile.of(directory.resolve("quire.yml"), warnings::add);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void blockIsValidAndItsTestsPass(Block block) throws Exception {
        var warnings = new ArrayList<Problem>();

        var checked = checked(block, warnings);

        assertThat(warnings).isEmpty();
        assertThat(RuleTests.of(checked, Instant.EPOCH).differences()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("blocksWithRules")
    void everyRuleAppliesInATest(Block block) throws Exception {
        var checked = checked(block, new ArrayList<>());
        var configuration = checked.configuration();
        var router = TestRun.router(configuration);

        assertThat(checked.tests()).isNotEmpty();
        assertThat(
                        checked.tests().stream()
                                .map(test -> TestRun.of(configuration, router, test, Instant.EPOCH))
                                .flatMap(outcome -> outcome.rules().stream()))
                .containsAll(configuration.rules().names());
    }

    /** Otherwise its tests would pass for any rules. */
    @ParameterizedTest
    @MethodSource("blocksWithRules")
    void testsFailWithoutTheRules(Block block) throws Exception {
        var ruleless = checked(block.without("rules"), new ArrayList<>());

        assertThat(RuleTests.of(ruleless, Instant.EPOCH).differences()).isNotEmpty();
    }

    static List<String> commands() throws IOException {
        var prose = FENCE.matcher(Files.readString(DOCUMENT)).replaceAll("");
        var spans = CODE_SPAN.matcher(prose).results().map(span -> span.group(1));
        var lines =
                Stream.concat(blocks("sh").stream(), blocks("ini").stream())
                        .flatMap(block -> block.text().lines());
        return Stream.concat(spans, lines)
                .map(line -> line.replaceFirst("\\s+# .*", "").replaceFirst(" > .*", "").strip())
                .map(COMMAND::matcher)
                .filter(command -> command.matches())
                .map(command -> command.group(1).replaceFirst("^--build ?", ""))
                .filter(command -> !command.isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandIsKnownToTheCommandLine(String command) throws Exception {
        assertThat(problemsOf(command)).isEmpty();
    }

    @Test
    void unknownCommandsAndOptionsAreFound() throws Exception {
        assertThat(commands()).hasSizeGreaterThan(30).contains("unban 1");

        assertThat(problemsOf("purge --tags poll")).contains("--tag");
        assertThat(problemsOf("flush")).contains("unknown command");
    }

    /** Parses {@code command} without executing it. */
    private static String problemsOf(String command) throws InterruptedException {
        var err = new StringWriter();
        var cli =
                new Cli(
                        configuration -> {
                            throw new AssertionError("started by " + command);
                        },
                        () -> {},
                        new Cli.Machine(
                                (key, address) -> Optional.empty(),
                                configuration -> Optional.empty(),
                                variable -> null),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err));
        var words =
                WORD.matcher(command + " --help")
                        .results()
                        .map(word -> Optional.ofNullable(word.group(1)).orElse(word.group(2)));
        int status = cli.execute(words.toArray(String[]::new));
        return status == 0 ? "" : err.toString();
    }

    @Test
    void metricsExist() throws IOException {
        var described =
                DESCRIBED_METRIC
                        .matcher(
                                Files.readString(DOCS.resolve("operating.md"))
                                        + Files.readString(DOCS.resolve("origins.md")))
                        .results()
                        .map(name -> name.group(1).replace('.', '_').replaceFirst("_seconds$", ""))
                        .collect(Collectors.toSet());
        var names =
                METRIC.matcher(Files.readString(DOCUMENT))
                        .results()
                        .map(name ->
                                name.group()
                                        .replaceFirst("(_seconds)?(_total|_bucket|_count)?$", ""))
                        .toList();

        assertThat(names).hasSizeGreaterThan(12);
        assertThat(described).containsAll(names);
    }

    @Test
    void linksHaveTargets() throws IOException {
        var text = Files.readString(DOCUMENT);

        assertThat(LINK.matcher(text).results())
                .hasSizeGreaterThan(20)
                .allSatisfy(link -> {
                    var file = link.group(1).isEmpty() ? DOCUMENT : DOCS.resolve(link.group(1));
                    assertThat(file).exists();
                    if (link.group(2) != null) {
                        assertThat(anchors(Files.readString(file))).contains(link.group(2));
                    }
                });
    }

    private static List<String> anchors(String document) {
        return HEADING.matcher(document)
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
                .toList();
    }
}
