package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.HttpWire;
import dev.quire.test.Origin;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/quire} as a user calls it, in a tree of its own with the jar of this build. */
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "bin/quire is a shell script")
class LauncherIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern READY =
            Pattern.compile("ready http=127\\.0\\.0\\.1:(\\d+) admin=127\\.0\\.0\\.1:\\d+");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir Path tree;

    private final Origin origin = Origin.start().on("/", fragment("hello"));
    private final List<Process> started = new ArrayList<>();

    /** A process of {@code bin/quire} that has said where it listens. */
    private record Running(Process process, BufferedReader stdout, InetSocketAddress http) {

        /** The body of {@code GET /}. */
        String answer() {
            try (var client = HttpWire.to(http)) {
                return client.get("/").text();
            }
        }

        /** Stops it; it has said nothing more. */
        void stop() throws Exception {
            // Process.destroy closes what it has said as well.
            process.toHandle().destroy();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(stdout.readLine()).isNull();
        }
    }

    @BeforeEach
    void plant() throws IOException {
        copy(ROOT.resolve("bin"), tree.resolve("bin"));
        var proxy = tree.resolve("esi-proxy");
        Files.createDirectories(proxy.resolve("target"));
        for (var name : List.of("pom.xml", "esi-core")) {
            Files.createSymbolicLink(tree.resolve(name), ROOT.resolve(name));
        }
        for (var name : List.of("pom.xml", "src")) {
            Files.createSymbolicLink(proxy.resolve(name), ROOT.resolve("esi-proxy").resolve(name));
        }
        var built = ROOT.resolve("esi-proxy/target");
        Files.copy(built.resolve("quire-proxy.jar"), jar());
        copy(built.resolve("lib"), proxy.resolve("target/lib"));
    }

    @AfterEach
    void stop() throws Exception {
        for (var process : started) {
            process.destroy();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        origin.close();
    }

    @Test
    void firstStartMakesAnArchiveOfClassesWhichTheNextUses() throws Exception {
        var first = start("");
        assertThat(first.answer()).isEqualTo("hello");
        first.stop();
        assertThat(said()).contains("preparing faster starts");
        var archive = archive();
        var made = Files.getLastModifiedTime(archive);

        var next = start("-Xlog:class+load:file=" + tree.resolve("classes.log"));
        assertThat(next.answer()).isEqualTo("hello");
        next.stop();

        assertThat(said()).doesNotContain("preparing");
        assertThat(Files.getLastModifiedTime(archive)).isEqualTo(made);
        assertThat(Files.readString(tree.resolve("classes.log")))
                .containsPattern("dev\\.quire\\.proxy\\.Proxy source: shared objects file");
    }

    @Test
    void archiveThatIsNoneCostsNothingButTime() throws Exception {
        start("").stop();
        Files.writeString(archive(), "no archive");

        var process = start("");

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
        assertThat(said()).doesNotContain("preparing");
    }

    @Test
    void newJarGetsAnArchiveOfItsOwn() throws Exception {
        start("").stop();
        Files.copy(
                ROOT.resolve("esi-proxy/target/quire-proxy.jar"),
                jar(),
                StandardCopyOption.REPLACE_EXISTING);

        start("").stop();

        assertThat(said()).contains("preparing faster starts");
    }

    @Test
    void optionsOfTheUserWin() throws Exception {
        var process = start("-XX:+UseParallelGC -Xmx800m -Xlog:gc*:file=" + tree.resolve("gc.log"));

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
        assertThat(Files.readString(tree.resolve("gc.log")))
                .contains("Using Parallel")
                .contains("Heap Max Capacity: 800M");
    }

    @Test
    void cacheThatDirectMemoryCannotHoldIsRefusedWithTheOptionToSet() throws Exception {
        var process = launch("-XX:MaxDirectMemorySize=100m");

        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(said())
                .contains("cache.memory: ")
                .contains("-XX:MaxDirectMemorySize=671088640")
                .contains("QUIRE_JVM_OPTIONS");
    }

    private Path jar() {
        return tree.resolve("esi-proxy/target/quire-proxy.jar");
    }

    /** Made of the jar by this JDK. */
    private Path archive() {
        return tree.resolve("esi-proxy/target/quire-proxy.jsa");
    }

    /** What came on stderr, of the last start. */
    private String said() throws IOException {
        return Files.readString(tree.resolve("stderr"));
    }

    private Process launch(String options) throws IOException {
        var builder =
                new ProcessBuilder(
                        tree.resolve("bin/quire").toString(),
                        "run",
                        "--to",
                        origin.url().toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--admin",
                        "127.0.0.1:0");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("QUIRE_JVM_OPTIONS", options);
        builder.redirectError(tree.resolve("stderr").toFile());
        var process = builder.start();
        started.add(process);
        return process;
    }

    private Running start(String options) throws IOException {
        var process = launch(options);
        var stdout = process.inputReader(UTF_8);
        var line = stdout.readLine();
        var ready = READY.matcher(line == null ? "" : line);
        assertThat(ready.matches()).as(line + ", " + said()).isTrue();
        return new Running(
                process,
                stdout,
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(1))));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        Files.createDirectories(to.resolve(from.relativize(folder)));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.copy(
                                file,
                                to.resolve(from.relativize(file)),
                                StandardCopyOption.COPY_ATTRIBUTES);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
