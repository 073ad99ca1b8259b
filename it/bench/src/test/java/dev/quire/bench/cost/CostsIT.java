package dev.quire.bench.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards the cost of a request. None of these figures is a time, so a slow or busy machine does not
 * fail the build; a request does that costs double, allocates 1 KiB more or is written twice.
 */
class CostsIT {
    private static final long DEADLINE_MINUTES = 5;

    /** The kernel's write counters of a thread, if it has them. */
    private static final Path COUNTED = Path.of("/proc/thread-self/io");

    private static final Properties FIGURES = new Properties();

    /**
     * Measures in separate JVMs: coverage and leak detection of this one cost more than the
     * requests.
     */
    @BeforeAll
    static void measure(@TempDir Path folder) throws Exception {
        // -Xbatch waits for compiled code, so that its share depends on the number of requests and
        // not on the load of the machine.
        measure(folder.resolve("costs"), "dev.quire.bench.cost.Costs", "-Xbatch");
        measure(
                folder.resolve("writes"),
                "dev.quire.bench.cost.Writes",
                "-Dio.netty.transport.noNative=true");
    }

    /**
     * A figure of {@link Costs} or {@link Writes}, its value when the bound was set, and the bound:
     * for bytes less than 1 KiB more, for writes less than one more in two requests, for ratios
     * about double, since load on the machine changes them by up to half. The compiler may remove
     * up to 800 of the bytes of a page: they differ from run to run.
     */
    @ParameterizedTest
    @CsvSource({
        "hit.allocated-bytes,      896,  1500",
        "hit.writes,              1.00,  1.40",
        "hit.cpu-ratio,           1.31,  2.60",
        "ruled.allocated-bytes,   2000,  2900",
        "ruled.writes,            1.00,  1.40",
        "ruled.cpu-ratio,         1.30,  2.60",
        "page.allocated-bytes,    4816,  5600",
        "page.writes,             1.00,  1.40",
        "page.cpu-ratio,          1.43,  2.85",
        "gzip.allocated-bytes,    5096,  5900",
        "gzip.writes,             1.00,  1.40",
        "gzip.cpu-ratio,          1.55,  3.10",
        "private.allocated-bytes, 15500, 16500",
        "private.writes,          2.00,  2.40",
    })
    void requestCostsNoMoreThanItsBound(String figure, double before, double bound) {
        var measured = FIGURES.getProperty(figure);
        if (figure.endsWith(".writes")) {
            assumeTrue(Files.isReadable(COUNTED), COUNTED + " can be read");
        }

        System.out.printf(
                "figure cost: %s: %s (was %s, bound: %s)%n", figure, measured, before, bound);
        assertThat(measured).as(figure).isNotNull();
        assertThat(Double.parseDouble(measured)).as(figure).isPositive().isLessThan(bound);
    }

    private static void measure(Path figures, String main, String option) throws Exception {
        var process =
                new ProcessBuilder(command(main, option))
                        .redirectOutput(figures.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES))
                    .as("%s ends within %s minutes", main, DEADLINE_MINUTES)
                    .isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        try (var in = Files.newBufferedReader(figures)) {
            FIGURES.load(in);
        }
    }

    private static List<String> command(String main, String option) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        option,
                        "-XX:+UseSerialGC",
                        "-Xms256m",
                        "-Xmx256m",
                        "-XX:MaxDirectMemorySize=256m",
                        "-Dio.netty.leakDetection.level=disabled",
                        "--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        return command;
    }
}
