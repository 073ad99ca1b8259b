package dev.quire.proxy.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files of docs/examples. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("../docs/examples");

    static List<Path> examples() throws IOException {
        return ExampleFiles.in(EXAMPLES);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void itsTestsPass(Path example) throws Exception {
        var warnings = new ArrayList<Problem>();

        var checked = CheckedFile.of(example, warnings::add);

        assertThat(warnings).isEmpty();
        assertThat(checked.tests()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(RuleTests.of(checked, Instant.EPOCH).differences()).isEmpty();
    }

    /** Otherwise its tests would pass for any rules. */
    @ParameterizedTest
    @MethodSource("examples")
    void itsTestsFailWithoutItsRules(Path example) throws Exception {
        var checked = CheckedFile.of(example, warning -> {});
        var origins = checked.configuration();
        var ruleless = new CheckedFile(ExampleFiles.withoutRules(origins), checked.tests());

        assertThat(RuleTests.of(ruleless, Instant.EPOCH).differences()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyRuleAppliesInATest(Path example) throws IOException, InvalidConfiguration {
        var checked = CheckedFile.of(example, warning -> {});
        var configuration = checked.configuration();
        var router = TestRun.router(configuration);

        assertThat(
                        checked.tests().stream()
                                .map(test -> TestRun.of(configuration, router, test, Instant.EPOCH))
                                .flatMap(outcome -> outcome.rules().stream()))
                .containsAll(configuration.rules().names());
    }

    @Test
    void thereIsOneForEachRecipe() throws IOException {
        assertThat(examples()).hasSizeGreaterThanOrEqualTo(12);
    }

    @Test
    void theTestsInTheDocumentPass(@TempDir Path directory) throws Exception {
        var document = Files.readString(EXAMPLES.resolveSibling("rules.md"));
        int begin = document.indexOf("```yaml\n", document.indexOf("\n## Tests\n")) + 8;
        var block = document.substring(begin, document.indexOf("```", begin));
        var file =
                Files.writeString(
                        directory.resolve("quire.yml"),
                        block
                                + "origins: { a: { urls: ['http://a'] } }\n"
                                + "routes: [{ origin: a }]\n");

        var tests = RuleTests.of(CheckedFile.of(file, warning -> {}), Instant.EPOCH);

        assertThat(tests.differences()).isEmpty();
        assertThat(document).contains("prints `" + tests.summary() + "`");
        for (var example : examples()) {
            assertThat(document).contains("(examples/" + example.getFileName() + ")");
        }
    }
}
