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
import java.util.List;
import java.util.Map;

/**
 * The environment of a run: the origin, and two folders for files of the targets: one on tmpfs if
 * available, the other for those that keep their cache on disk. Closing it stops the origin and
 * removes the folders.
 */
final class Grounds implements AutoCloseable {
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path root;
    private final OwnedFolder folder;
    private final OwnedFolder disk;
    private final OriginProcess origin;

    private Grounds(Path root, OwnedFolder folder, OwnedFolder disk, OriginProcess origin) {
        this.root = root;
        this.folder = folder;
        this.disk = disk;
        this.origin = origin;
    }

    /**
     * Starts the origin.
     *
     * @param root the folder of the project
     */
    static Grounds open(Path root) throws CannotMeasure, IOException, InterruptedException {
        var folder =
                OwnedFolder.in(
                        Files.isWritable(IN_MEMORY) ? IN_MEMORY : OwnedFolder.ofTemporaryFiles());
        var disk = OwnedFolder.in(OwnedFolder.ofTemporaryFiles());
        int port = FreePort.next();
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
                        folder.path().resolve("origin.log"));
        running.awaitPort("the origin", port, PATIENCE);
        return new Grounds(
                root, folder, disk, new OriginProcess(port, running, new Check(port, 0)));
    }

    OriginProcess origin() {
        return origin;
    }

    LoadGenerators loadGenerators() throws CannotMeasure {
        return LoadGenerators.find(
                root.resolve("it/bench/load"), folder.path().resolve("load.out"));
    }

    Target start(TargetScript script) throws CannotMeasure, IOException, InterruptedException {
        return Target.start(
                script, origin.port(), folder.path().resolve(script.name()), environment());
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

    Path folder() {
        return folder.path();
    }

    /** Returns the first line with a digit in the output of the version command. */
    String version(TargetScript script) throws IOException, InterruptedException {
        if (script.version().isEmpty()) {
            return "this build";
        }
        var running =
                Running.start(
                        List.of("bash", "-c", script.version().orElseThrow()),
                        environment(),
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
        origin.close();
        folder.close();
        disk.close();
    }
}
