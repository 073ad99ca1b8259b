package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Root;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import org.apache.commons.cli.Options;

/** {@code bin/bench start}: from the start of a process to the last byte of its first answer. */
final class Start {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String REQUEST =
            "GET /object/1024 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    private static final int OBJECT_BYTES = 1024;

    private Start() {}

    /** A way to start the proxy. */
    private record Variant(String title, List<String> command) {}

    /**
     * The figures of one start.
     *
     * @param cpuSeconds used up to the first response
     */
    private record Started(double millis, double cpuSeconds, long peakBytes) {}

    static int run(List<String> words) throws CannotMeasure, IOException, InterruptedException {
        var read =
                Arguments.read(
                        "bin/bench start",
                        "Measures from the start of the process to the first response: bin/quire"
                                + " as it is, and the same jar on a JVM without options.",
                        new Options()
                                .addOption(
                                        Arguments.taking(
                                                "times", "N", "Starts of each (default 10).")),
                        words);
        if (read.isEmpty()) {
            return 0;
        }
        int times = read.get().number("times", 10, 1, 1000);
        var root = Root.folder();
        var jar = root.resolve("esi-proxy/target/quire-proxy.jar");
        var variants =
                List.of(
                        new Variant("bin/quire", List.of(root.resolve("bin/quire").toString())),
                        new Variant(
                                "java -jar",
                                List.of(Running.java().toString(), "-jar", jar.toString())));
        var found = new LinkedHashMap<String, List<Started>>();
        variants.forEach(variant -> found.put(variant.title(), new ArrayList<>()));
        try (var grounds = Grounds.open(root)) {
            // A first start that is not measured, for caches it may create.
            for (var variant : variants) {
                start(variant, grounds);
            }
            for (int round = 0; round < times; round++) {
                for (int turn = 0; turn < variants.size(); turn++) {
                    var variant = variants.get((round + turn) % variants.size());
                    var started = start(variant, grounds);
                    found.getOrDefault(variant.title(), List.of()).add(started);
                    System.err.printf(
                            "%-12s %,7.0f ms  %.2f s CPU%n",
                            variant.title(), started.millis(), started.cpuSeconds());
                }
            }
        }
        System.out.println("| | median ms | fastest | slowest | CPU s | peak MiB |");
        System.out.println("| --- | --: | --: | --: | --: | --: |");
        found.forEach((title, all) ->
                System.out.printf(
                        "| %s | %,.0f | %,.0f | %,.0f | %.2f | %,.0f |%n",
                        title,
                        Statistics.median(millis(all)),
                        millis(all).min().orElse(Double.NaN),
                        millis(all).max().orElse(Double.NaN),
                        Statistics.median(all.stream().mapToDouble(Started::cpuSeconds)),
                        Statistics.median(all.stream().mapToDouble(Started::peakBytes))
                                / (1 << 20)));
        return 0;
    }

    private static DoubleStream millis(List<Started> all) {
        return all.stream().mapToDouble(Started::millis);
    }

    private static Started start(Variant variant, Grounds grounds)
            throws CannotMeasure, IOException, InterruptedException {
        int port = FreePort.next();
        var configuration = grounds.folder().resolve("start.yaml");
        Files.writeString(configuration, "log:\n  access: off\n");
        var command = new ArrayList<>(variant.command());
        command.addAll(
                List.of(
                        "run",
                        "--config",
                        configuration.toString(),
                        "--to",
                        "http://127.0.0.1:" + grounds.origin().port(),
                        "--listen",
                        "127.0.0.1:" + port,
                        "--admin",
                        "127.0.0.1:0"));
        long begin = System.nanoTime();
        try (var running =
                Running.start(
                        command, grounds.environment(), grounds.folder().resolve("start.log"))) {
            while (!answers(port)) {
                if (!running.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
                    throw new CannotMeasure(
                            variant.title() + " did not answer: " + running.output());
                }
                TimeUnit.MICROSECONDS.sleep(500);
            }
            double millis = (System.nanoTime() - begin) / 1e6;
            return new Started(millis, running.cpuSeconds(), running.peakBytes());
        }
    }

    /** Whether a complete response is received. */
    private static boolean answers(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(5000);
            socket.getOutputStream().write(REQUEST.getBytes(US_ASCII));
            var answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            return answer.startsWith("HTTP/1.1 200 ")
                    && answer.length() - answer.indexOf("\r\n\r\n") - 4 == OBJECT_BYTES;
        } catch (IOException notYet) {
            return false;
        }
    }
}
