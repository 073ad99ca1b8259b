package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a run: the origin, and two folders for files of the targets: one on tmpfs if
 * available, the other for those that keep their cache on disk. Closing it stops the origin and
 * removes the folders. Not thread-safe.
 */
public final class Grounds implements AutoCloseable {
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path root;
    private final OwnedFolder folder;
    private final OwnedFolder disk;
    private @Nullable OriginProcess origin;

    private Grounds(Path root, OwnedFolder folder, OwnedFolder disk) {
        this.root = root;
        this.folder = folder;
        this.disk = disk;
    }

    /**
     * Creates the folders.
     *
     * @param root the folder of the project
     */
    public static Grounds open(Path root) throws IOException {
        var folder =
                OwnedFolder.in(
                        Files.isWritable(IN_MEMORY) ? IN_MEMORY : OwnedFolder.ofTemporaryFiles());
        return new Grounds(root, folder, OwnedFolder.in(OwnedFolder.ofTemporaryFiles()));
    }

    /** Returns the origin with {@link Site}, which the first call starts. */
    public OriginProcess origin() throws CannotMeasure, IOException, InterruptedException {
        var present = origin;
        if (present == null) {
            present = startOrigin(FreePort.next());
            origin = present;
        }
        return present;
    }

    /** Starts an origin with {@link Site} on {@code port}, which the caller closes. */
    public OriginProcess startOrigin(int port)
            throws CannotMeasure, IOException, InterruptedException {
        var running =
                Running.start(
                        List.of(
                                Running.java().toString(),
                                "-XX:+UseParallelGC",
                                "-Xms128m",
                                "-Xmx512m",
                                "-Dio.netty.leakDetection.level=disabled",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Origin.class.getName(),
                                Integer.toString(port)),
                        Map.of(),
                        folder().resolve("origin.log"));
        running.awaitPort("the origin", port, PATIENCE);
        return new OriginProcess(port, running, new Check(port, 0));
    }

    public LoadGenerators loadGenerators() throws CannotMeasure {
        return LoadGenerators.find(
                root.resolve("it/bench/load"), folder.path().resolve("load.out"));
    }

    Target start(TargetScript script) throws CannotMeasure, IOException, InterruptedException {
        return start(script, script.name(), origin().port(), Map.of());
    }

    /**
     * Starts a target of another origin.
     *
     * @param name of its folder
     * @param variables added to its environment
     */
    public Target start(
            TargetScript script, String name, int originPort, Map<String, String> variables)
            throws CannotMeasure, IOException, InterruptedException {
        return Target.start(script, originPort, folder().resolve(name), environment(variables));
    }

    /** Environment variables for target scripts, with {@code variables}. */
    public Map<String, String> environment(Map<String, String> variables) {
        var all = new HashMap<>(environment());
        all.putAll(variables);
        return all;
    }

    /** Environment variables for target scripts, added to those of this process. */
    Map<String, String> environment() {
        return Map.of(
                "QUIRE_ROOT", root.toString(),
                "QUIRE_BENCH_DISK", disk.path().toString(),
                "QUIRE_BENCH_CLASS_PATH", System.getProperty("java.class.path"),
                "QUIRE_BENCH_CERTIFICATE", TestCertificate.shared().certificate().toString(),
                "QUIRE_BENCH_KEY", TestCertificate.shared().key().toString(),
                "JAVA_HOME", System.getProperty("java.home"),
                "PATH",
                        System.getenv().getOrDefault("PATH", "")
                                + ":/usr/sbin:/usr/local/sbin:/sbin");
    }

    public Path folder() {
        return folder.path();
    }

    /** The folder for files of targets that keep their cache on disk. */
    public Path disk() {
        return disk.path();
    }

    /** Returns the first line with a digit in the output of the version command. */
    String version(TargetScript script) throws IOException, InterruptedException {
        return version(script, Map.of());
    }

    /**
     * Like {@link #version(TargetScript)}.
     *
     * @param variables added to the environment
     */
    public String version(TargetScript script, Map<String, String> variables)
            throws IOException, InterruptedException {
        return script.version().isEmpty()
                ? "this build"
                : version(script.version().orElseThrow(), variables);
    }

    /** Like {@link #version(TargetScript)}, for a command line of bash. */
    public String version(String command, Map<String, String> variables)
            throws IOException, InterruptedException {
        var running =
                Running.start(
                        List.of("bash", "-c", command),
                        environment(variables),
                        folder.path().resolve("version.out"));
        running.awaitEnd(Duration.ofSeconds(10));
        return running.output()
                .lines()
                .filter(line -> line.chars().anyMatch(Character::isDigit))
                .findFirst()
                .orElse("unknown");
    }

    @Override
    public void close() {
        if (origin != null) {
            origin.close();
        }
        folder.close();
        disk.close();
    }
}
