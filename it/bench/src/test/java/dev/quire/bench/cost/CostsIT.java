package dev.quire.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * No request costs much more than it did. None of these figures is a time, so that neither a slow
 * machine nor a busy one fails the build; a request that costs double, or allocates a kibibyte
 * more, or is written twice, does.
 */
class CostsIT {
    private static final long DEADLINE_MINUTES = 30;

    private static final Properties FIGURES = new Properties();

    /**
     * Measures in a JVM of its own: what watches over tests here, for coverage and for leaks, costs
     * more than the requests.
     */
    @BeforeAll
    static void measure(@TempDir Path folder) throws Exception {
        var figures = folder.resolve("figures");
        var process =
                new ProcessBuilder(command())
                        .redirectOutput(figures.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES))
                    .as("measured within %s minutes", DEADLINE_MINUTES)
                    .isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        load(figures);
    }

    /**
     * A figure of {@link Costs}, what it was when its bound was set, and the bound: for bytes less
     * than a kibibyte more, for writes less than one more in two requests, for ratios less than
     * double.
     */
    @ParameterizedTest
    @CsvSource({
        "hit.allocated-bytes,     1144,  1700",
        "hit.writes,              1.00,  1.40",
        "hit.cpu-ratio,           1.28,  2.00",
        "page.allocated-bytes,    7271,  8000",
        "page.writes,             1.00,  1.40",
        "page.cpu-ratio,          1.77,  2.70",
        "gzip.allocated-bytes,    7856,  8600",
        "gzip.writes,             1.00,  1.40",
        "gzip.cpu-ratio,          2.07,  3.10",
        "private.allocated-bytes, 19975, 20900",
        "private.writes,          2.00,  2.40",
    })
    void requestCostsNoMoreThanItsBound(String figure, double before, double bound) {
        var measured = FIGURES.getProperty(figure);
        if (figure.endsWith(".writes")) {
            assumeTrue(measured != null || OS.LINUX.isCurrentOs(), "writes are counted on Linux");
        }

        System.out.printf(
                "figure cost: %s: %s (was %s, bound: %s)%n", figure, measured, before, bound);
        assertThat(measured).as(figure).isNotNull();
        assertThat(Double.parseDouble(measured)).as(figure).isPositive().isLessThan(bound);
    }

    private static List<String> command() {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Compiled code is waited for, so that how much of it there is hangs on the number of
        // requests and not on how busy the machine is.
        command.addAll(
                List.of(
                        "-Xbatch",
                        "-XX:+UseSerialGC",
                        "-Xms256m",
                        "-Xmx256m",
                        "-XX:MaxDirectMemorySize=256m",
                        "--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(
                List.of(
                        "-Dio.netty.leakDetection.level=disabled",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.quire.bench.cost.Costs"));
        return command;
    }

    private static void load(Path figures) throws IOException {
        try (var in = Files.newBufferedReader(figures)) {
            FIGURES.load(in);
        }
    }
}
