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

    /** Per response, in addition to its field names, field values and body. */
    private static final long MOST_OVERHEAD_BYTES = HAS_COMPACT_HEADERS ? 700 : 770;

    /** The JVM options of {@code bin/quire} that affect the layout of objects and buffers. */
    private static final List<String> OF_THE_LAUNCHER =
            Stream.concat(
                            Stream.of(
                                    "--add-opens=java.base/java.nio=ALL-UNNAMED",
                                    "-Dio.netty.tryReflectionSetAccessible=true"),
                            HAS_COMPACT_HEADERS
                                    ? Stream.of("-XX:+UseCompactObjectHeaders")
                                    : Stream.empty())
                    .toList();

    /** The options under which objects and buffers are largest. */
    private static final List<String> OF_THE_JVM = List.of();

    /**
     * An empty store and the code that fills it: 14 KB, of which the store is 9, half of it the
     * timer wheel, plus a few KB that the JVM adds during the run. Everything else grows with the
     * stored responses and is part of their weight, including tables and sketch.
     */
    private static final long CONSTANT_BYTES = 64L << 10;

    /** Weights may exceed the actual size by this factor. */
    private static final double MOST_OVERWEIGHT = 1.06;

    /** Figures by name. */
    private record Figures(Map<String, Long> byName) {
        long of(String name) {
            var figure = byName.get(name);
            if (figure == null) {
                throw new AssertionError("no figure " + name + " in " + byName);
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
        assertThat(overhead).as("figures: %s", figures).isLessThan(MOST_OVERHEAD_BYTES);
    }

    @Test
    void weightOfEachKindIsWhatItCosts() throws Exception {
        var figures = told("kinds", "-Xmx256m", OF_THE_JVM);

        for (var kind : List.of("plain", "tagged", "varying", "long", "page", "evaluated")) {
            double truth = (double) figures.of(kind + ".heap") + figures.of(kind + ".direct");
            assertThat(figures.of(kind + ".weight") / truth)
                    .as("weight of one %s compared to its size, from %s", kind, figures)
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
        assertThat(weight).as("figures: %s", figures).isBetween(bound / 2, bound);
        assertThat(kept)
                .as("figures: %s", figures)
                .isBetween((long) (weight / MOST_OVERWEIGHT), weight + CONSTANT_BYTES);
        assertThat(figures.of("transit")).isZero();
        assertThat(figures.of("left")).isZero();
    }

    /** The figures printed by {@link StoreFootprint}. */
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
                        // Otherwise a full collection leaves up to a twentieth of the old
                        // generation as garbage, which would be measured as used.
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
