package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bin/quire} as users run it, in separate trees with the jar of this build. */
// A thread that reads a pipe cannot be interrupted: it ends with the process.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LauncherIT {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern READY =
            Pattern.compile("ready http=127\\.0\\.0\\.1:(\\d+) admin=127\\.0\\.0\\.1:\\d+");
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A tree with an archive; not modified by tests. */
    private static Tree prepared;

    /** The standard error output when the archive was made. */
    private static String saidAtFirst;

    @TempDir Path folder;

    private final Origin origin = Origin.start().on("/", fragment("hello"));
    private final List<Process> started = new ArrayList<>();

    /** A process of {@code bin/quire} that has printed its addresses. */
    private record Running(Process process, BufferedReader stdout, InetSocketAddress http) {

        /** Returns the body of {@code GET /}. */
        String answer() {
            try (var client = HttpWire.to(http)) {
                return client.get("/").text();
            }
        }

        /** Stops it and asserts that it printed nothing more. */
        void stop() throws Exception {
            // Process.destroy() would also close its stdout.
            assertThat(process.toHandle().destroy()).isTrue();
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(stdout.readLine()).isNull();
        }
    }

    /**
     * A copy of the project's root with the jar of this build and the other files a start needs.
     */
    private record Tree(Path root) {

        /** Creates a tree in {@code root}. */
        static Tree in(Path root) throws IOException {
            copy(ROOT.resolve("bin"), root.resolve("bin"));
            var proxy = root.resolve("esi-proxy");
            Files.createDirectories(proxy.resolve("target"));
            for (var name : List.of("pom.xml", "esi-core")) {
                Files.createSymbolicLink(root.resolve(name), ROOT.resolve(name));
            }
            for (var name : List.of("pom.xml", "src")) {
                Files.createSymbolicLink(
                        proxy.resolve(name), ROOT.resolve("esi-proxy").resolve(name));
            }
            var built = ROOT.resolve("esi-proxy/target");
            copy(built.resolve("lib"), proxy.resolve("target/lib"));
            Files.copy(built.resolve("quire-proxy.jar"), proxy.resolve("target/quire-proxy.jar"));
            return new Tree(root);
        }

        /** The class data archive of the jar for this JDK. */
        Path archive() {
            return root.resolve("esi-proxy/target/quire-proxy.jsa");
        }

        /** The file that identifies the jar and JDK of the archive. */
        Path madeFor() {
            return root.resolve("esi-proxy/target/quire-proxy.jsa.for");
        }

        /** Returns the standard error output of the last start. */
        String said() throws IOException {
            return Files.readString(root.resolve("stderr"));
        }

        /** Starts {@code bin/quire} with {@code arguments}, its stdout a pipe. */
        Process launch(String options, String... arguments) throws IOException {
            return command(options, arguments).start();
        }

        ProcessBuilder command(String options, String... arguments) {
            var command = new ArrayList<String>();
            command.add(root.resolve("bin/quire").toString());
            command.addAll(List.of(arguments));
            var builder = new ProcessBuilder(command);
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            builder.environment().put("QUIRE_JVM_OPTIONS", options);
            builder.redirectError(root.resolve("stderr").toFile());
            return builder;
        }
    }

    /** Makes the archive once for all tests that only use it, since that is slow. */
    @BeforeAll
    static void prepare(@TempDir Path folder) throws Exception {
        prepared = Tree.in(folder);
        var help = prepared.launch("", "run", "--help");
        try (var stdout = help.inputReader(UTF_8)) {
            assertThat(help.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(help.exitValue()).as(prepared.said()).isZero();
            assertThat(stdout.readLine()).isNotEmpty();
        } finally {
            end(help);
        }
        saidAtFirst = prepared.said();
    }

    @AfterEach
    void stop() throws Exception {
        for (var process : started) {
            end(process);
        }
        origin.close();
    }

    @Test
    void firstStartMakesAnArchiveOfClassesWhichTheNextUses() throws Exception {
        assertThat(saidAtFirst).contains("creating a class archive");
        var made = Files.getLastModifiedTime(prepared.archive());

        var next = start(prepared, "-Xlog:class+load:file=" + folder.resolve("classes.log"));
        assertThat(next.answer()).isEqualTo("hello");
        next.stop();

        assertThat(prepared.said()).doesNotContain("preparing");
        assertThat(Files.getLastModifiedTime(prepared.archive())).isEqualTo(made);
        assertThat(Files.readString(folder.resolve("classes.log")))
                .containsPattern("dev\\.quire\\.proxy\\.Proxy source: shared objects file");
    }

    @Test
    void archiveThatIsNoneCostsNothingButTime() throws Exception {
        var tree = Tree.in(folder);
        Files.writeString(tree.archive(), "no archive");
        Files.copy(prepared.madeFor(), tree.madeFor());

        var process = start(tree, "");

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
        assertThat(tree.said()).doesNotContain("preparing");
    }

    @Test
    void newJarGetsAnArchiveOfItsOwn() throws Exception {
        var tree = Tree.in(folder);
        Files.copy(prepared.archive(), tree.archive(), COPY_ATTRIBUTES);
        Files.copy(prepared.madeFor(), tree.madeFor(), COPY_ATTRIBUTES);

        var process = start(tree, "");

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
        assertThat(tree.said()).contains("creating a class archive");
        assertThat(Files.getLastModifiedTime(tree.archive()))
                .isGreaterThan(Files.getLastModifiedTime(prepared.archive()));
    }

    @Test
    void builtProxyIsNeverBuiltAgainUnlessAskedTo() throws Exception {
        var tree = Tree.in(folder);
        Files.copy(prepared.archive(), tree.archive(), COPY_ATTRIBUTES);
        Files.copy(prepared.madeFor(), tree.madeFor(), COPY_ATTRIBUTES);
        Files.setLastModifiedTime(
                tree.root().resolve("esi-proxy/target/quire-proxy.jar"), FileTime.fromMillis(0));
        var maven = Files.createDirectory(folder.resolve("path")).resolve("mvn");
        Files.writeString(maven, "#!/bin/sh\necho maven was started >&2\nexit 1\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();

        assertThat(end(tree, maven, "--help")).isZero();
        assertThat(tree.said())
                .isEqualTo(
                        "quire: sources are newer than the built proxy, bin/quire --build builds"
                                + " it\n");
        assertThat(end(tree, maven, "--build", "--help")).isEqualTo(2);
        assertThat(tree.said()).contains("maven was started");

        Files.delete(tree.root().resolve("esi-core"));
        Files.delete(tree.root().resolve("pom.xml"));
        Files.delete(tree.root().resolve("esi-proxy/pom.xml"));
        Files.delete(tree.root().resolve("esi-proxy/src"));
        assertThat(end(tree, maven, "--help")).isZero();
        assertThat(tree.said()).isEmpty();
    }

    /** Runs {@code bin/quire} with that Maven and returns its exit status. */
    private int end(Tree tree, Path maven, String... arguments) throws Exception {
        var builder = tree.command("", arguments);
        builder.environment().merge("PATH", maven.getParent() + ":", (old, ours) -> ours + old);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        var process = builder.start();
        started.add(process);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void optionsOfTheUserWin() throws Exception {
        var log = folder.resolve("gc.log");

        var process = start(prepared, "-XX:+UseSerialGC -Xmx800m -Xlog:gc*:file=" + log);

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
        assertThat(Files.readString(log))
                .contains("Using Serial")
                .contains("Heap Max Capacity: 800M");
    }

    /** With direct memory as large as this heap it would not start. */
    @ParameterizedTest
    @ValueSource(strings = {"-Xmx300m -Xms64m", "-Xmx300m -XX:+UseSerialGC", "-Xms64m -Xmx300m"})
    void directMemoryDoesNotDependOnTheOrderOfOptions(String options) throws Exception {
        var process = start(prepared, options);

        assertThat(process.answer()).isEqualTo("hello");
        process.stop();
    }

    @Test
    void processWhoseHeapIsFullEnds() throws Exception {
        var process = prepared.launch("-Xmx2m", "--help");

        assertThat(process.inputReader(UTF_8).readLine()).isNull();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(3);
        assertThat(prepared.said()).contains("Terminating due to java.lang.OutOfMemoryError");
    }

    @Test
    void cacheThatDirectMemoryCannotHoldIsRefusedWithTheOptionToSet() throws Exception {
        var process = launch(prepared, "-XX:MaxDirectMemorySize=100m");

        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(prepared.said())
                .contains("cache.memory: ")
                .contains("-XX:MaxDirectMemorySize=671088640")
                .contains("QUIRE_JVM_OPTIONS");
    }

    private Process launch(Tree tree, String options) throws IOException {
        var process =
                tree.launch(
                        options,
                        "run",
                        "--to",
                        origin.url().toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--admin",
                        "127.0.0.1:0");
        started.add(process);
        return process;
    }

    private Running start(Tree tree, String options) throws IOException {
        var process = launch(tree, options);
        var stdout = process.inputReader(UTF_8);
        var line = stdout.readLine();
        var ready = READY.matcher(line == null ? "" : line);
        assertThat(ready.matches()).as(line + ", " + tree.said()).isTrue();
        return new Running(
                process,
                stdout,
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(ready.group(1))));
    }

    /** Kills {@code process} and its descendants, such as one that makes an archive. */
    private static void end(Process process) throws InterruptedException {
        var others = process.descendants().toList();
        process.destroy();
        others.forEach(ProcessHandle::destroy);
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        others.forEach(ProcessHandle::destroyForcibly);
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
                        Files.copy(file, to.resolve(from.relativize(file)), COPY_ATTRIBUTES);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
