package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreFootprintTest {
    private static final long DEADLINE_MINUTES = 5;

    private static final int JDK = Runtime.version().feature();
    private static final boolean HAS_COMPACT_HEADERS = JDK >= 25;

    /** Beside the names and values of its fields, its body, and nothing else. */
    private static final long MOST_OVERHEAD_BYTES = HAS_COMPACT_HEADERS ? 700 : 770;

    /** What {@code bin/quire} sets of all that says how objects and buffers lie in memory. */
    private static final List<String> OF_THE_LAUNCHER =
            Stream.concat(
                            Stream.of(
                                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                                    "-Dio.netty.tryReflectionSetAccessible=true"),
                            HAS_COMPACT_HEADERS
                                    ? Stream.of("-XX:+UseCompactObjectHeaders")
                                    : Stream.empty())
                    .toList();

    /** Where objects and buffers are largest. */
    private static final List<String> OF_THE_JVM = List.of();

    /**
     * A store that is empty and what fills it: 14 KB, of which the store is 9, half of that its
     * timer wheel; and some KB that the virtual machine adds meanwhile. All else grows with what is
     * stored and is in its weight, tables and sketch included.
     */
    private static final long CONSTANT_BYTES = 64L << 10;

    /** Weights are at most that much above what is there. */
    private static final double MOST_OVERWEIGHT = 1.06;

    /** Figures by name. */
    private record Figures(Map<String, Long> byName) {
        long of(String name) {
            var figure = byName.get(name);
            if (figure == null) {
                throw new AssertionError("no figure is called " + name + " in " + byName);
            }
            return figure;
        }
    }

    @TempDir private Path folder;

    @Test
    void plainObjectCostsLittleBesidesItsHeadAndItsBody() throws Exception {
        var figures = told("kinds", "-Xmx256m", OF_THE_LAUNCHER);

        long overhead =
                figures.of("plain.heap")
                        + figures.of("plain.direct")
                        - figures.of("plain.fields")
                        - figures.of("plain.body");

        System.out.printf(
                "figure footprint: overhead of a plain object: %d B (bound: %d B)%n",
                overhead, MOST_OVERHEAD_BYTES);
        assertThat(overhead).as("of %s", figures).isLessThan(MOST_OVERHEAD_BYTES);
    }

    @Test
    void weightOfEachKindIsWhatItCosts() throws Exception {
        var figures = told("kinds", "-Xmx256m", OF_THE_JVM);

        for (var kind : List.of("plain", "tagged", "varying", "long", "page", "evaluated")) {
            double truth = (double) figures.of(kind + ".heap") + figures.of(kind + ".direct");
            assertThat(figures.of(kind + ".weight") / truth)
                    .as("weight of one %s by what it costs, of %s", kind, figures)
                    .isBetween(0.98, MOST_OVERWEIGHT);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiny", "large"})
    void whatIsKeptStaysWithinTheBound(String objects) throws Exception {
        var figures = told(objects, "-Xmx192m", OF_THE_JVM);

        long kept = figures.of("heap") + figures.of("direct");
        long weight = figures.of("weight");
        long bound = figures.of("bound");
        assertThat(weight).as("of %s", figures).isBetween(bound / 2, bound);
        assertThat(kept)
                .as("of %s", figures)
                .isBetween((long) (weight / MOST_OVERWEIGHT), weight + CONSTANT_BYTES);
        assertThat(figures.of("transit")).isZero();
        assertThat(figures.of("left")).isZero();
    }

    /** The figures that {@link StoreFootprint} tells. */
    private Figures told(String what, String heap, List<String> options)
            throws IOException, InterruptedException {
        var out = folder.resolve("out");
        var command = new ArrayList<String>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.add(heap);
        command.addAll(options);
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        // Or else a full collection leaves garbage where it lies, up to a twentieth
                        // of the old generation, and that is taken for something kept.
                        "-XX:MarkSweepDeadRatio=0",
                        "-XX:MaxDirectMemorySize=256m",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Djdk.attach.allowAttachSelf=true",
                        "-Djol.magicFieldOffset=true",
                        "-Dio.netty.leakDetection.level=disabled"));
        if (JDK >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoreFootprint.class.getName(),
                        what));
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        var said = Files.readString(out);
        assertThat(process.exitValue()).as(said).isZero();
        var figures = new HashMap<String, Long>();
        for (var line : said.lines().toList()) {
            var words = line.split(" ", -1);
            if (words.length == 2 && words[1].matches("-?\\d+")) {
                figures.put(words[0], Long.parseLong(words[1]));
            }
        }
        return new Figures(figures);
    }
}
