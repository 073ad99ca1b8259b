package dev.quire.test.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.test.programs.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Applications of other projects behind Quire. A failure names its row. */
class SitesIT {
    private static final Scale SCALE = Scale.SHORT;

    private static Run run;

    @BeforeAll
    static void askAll() throws IOException {
        // Paths are relative to the module's folder, where its tests run.
        var paths = new HashMap<String, Path>();
        paths.put("resources", Path.of("src/test/resources/sites"));
        RunningProgram.find("node").ifPresent(path -> paths.put("node", path));
        RunningProgram.find("nginx").ifPresent(path -> paths.put("nginx", path));
        var tomcat = System.getProperty("tomcat.home");
        if (tomcat != null) {
            paths.put("tomcat", Path.of(tomcat));
        }
        var chromium = System.getenv("CHROMIUM");
        if (chromium != null && !chromium.isEmpty()) {
            paths.put("chromium", Path.of(chromium));
        }
        var missing = Tools.missing(paths);
        if (System.getenv("CI") != null) {
            assertThat(missing).as("tools that are not installed (see bin/test)").isEmpty();
            assertThat(paths).containsKey("chromium");
        }
        assumeTrue(missing.isEmpty(), () -> "not installed: " + missing);
        run = Run.of(Tools.of(paths), SCALE, EnumSet.of(Column.Kind.ORIGIN, Column.Kind.QUIRE));
    }

    static List<String> rows() {
        return Run.rows(SCALE, false).stream().map(Row::toString).toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void holds(String name) {
        var row =
                run.cells().keySet().stream()
                        .filter(candidate -> candidate.toString().equals(name))
                        .findFirst()
                        .orElseThrow();

        assertThat(run.failures(row)).isEmpty();
    }
}
