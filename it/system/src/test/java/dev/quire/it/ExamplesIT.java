package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.check.ExampleFiles;
import dev.quire.proxy.config.Configuration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests in the files of docs/examples, which {@code quire check} runs without sockets, in a
 * running proxy: both must agree.
 */
class ExamplesIT {
    private static final Path EXAMPLES = Path.of("../../docs/examples");

    @TempDir private Path directory;

    static List<Path> examples() throws IOException {
        return ExampleFiles.in(EXAMPLES);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theProxyDoesAsItsTestsExpect(Path example) throws Exception {
        var report = replayed(example, UnaryOperator.identity());

        assertThat(report.differences).as(report.toString()).isEmpty();
        assertThat(report.compared).as(report.toString()).isGreaterThan(2 * report.unseen.size());
    }

    /** Otherwise nothing would be compared. */
    @ParameterizedTest
    @MethodSource("examples")
    void withoutItsRulesItDoesNot(Path example) throws Exception {
        assertThat(replayed(example, ExampleFiles::withoutRules).differences).isNotEmpty();
    }

    private ExampleReplay.Report replayed(Path example, UnaryOperator<Configuration> changed)
            throws Exception {
        var report = new ExampleReplay.Report();
        try (var site = ExampleSite.of(example, directory)) {
            for (var test : site.tests()) {
                ExampleReplay.run(site, test, changed.apply(site.configuration(test)), report);
            }
        }
        return report;
    }
}
