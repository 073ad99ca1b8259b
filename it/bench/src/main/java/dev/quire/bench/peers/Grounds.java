package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a run: the origin, and a folder for files of the targets, on tmpfs if
 * available. Closing it stops the origin and removes the folder.
 */
final class Grounds implements AutoCloseable {
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration REMOVING = Duration.ofSeconds(5);
    private static final String PREFIX = "quire-bench-";

    /** The folder name contains the id of the process that owns it. */
    private static final Pattern OWNED = Pattern.compile(PREFIX + "(\\d{1,18})-.*");

    private final Path root;
    private final Path folder;
    private final OriginProcess origin;

    private Grounds(Path root, Path folder, OriginProcess origin) {
        this.root = root;
        this.folder = folder;
        this.origin = origin;
    }

    /**
     * Starts the origin.
     *
     * @param root the folder of the project
     */
    static Grounds open(Path root) throws CannotMeasure, IOException, InterruptedException {
        // Servers that are started as root run as another user, who needs access.
        var mine =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
        var within =
                Files.isWritable(IN_MEMORY)
                        ? IN_MEMORY
                        : Path.of(System.getProperty("java.io.tmpdir"));
        removeLeftOver(within);
        var folder =
                Files.createTempDirectory(
                        within, PREFIX + ProcessHandle.current().pid() + "-", mine);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    Running.stopAll();
                                    remove(folder);
                                },
                                "remove-folder"));
        int port = Running.freePort();
        var running =
                Running.start(
                        List.of(
                                java().toString(),
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
                        folder.resolve("origin.log"));
        running.awaitPort("the origin", port, PATIENCE);
        return new Grounds(root, folder, new OriginProcess(port, running, new Check(port, 0)));
    }

    /** The java executable of this JVM. */
    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    OriginProcess origin() {
        return origin;
    }

    LoadGenerators loadGenerators() throws CannotMeasure {
        return LoadGenerators.find(root.resolve("it/bench/load"), folder.resolve("load.out"));
    }

    Target start(TargetScript script) throws CannotMeasure, IOException, InterruptedException {
        return Target.start(script, origin.port(), folder.resolve(script.name()), environment());
    }

    /** Environment variables for target scripts, added to those of this process. */
    Map<String, String> environment() {
        return Map.of(
                "QUIRE_ROOT", root.toString(),
                "QUIRE_BENCH_CLASS_PATH", System.getProperty("java.class.path"),
                "QUIRE_BENCH_CERTIFICATE", TestCertificate.shared().certificate().toString(),
                "QUIRE_BENCH_KEY", TestCertificate.shared().key().toString(),
                "JAVA_HOME", System.getProperty("java.home"),
                "PATH",
                        System.getenv().getOrDefault("PATH", "")
                                + ":/usr/sbin:/usr/local/sbin:/sbin");
    }

    Path folder() {
        return folder;
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
                        folder.resolve("version.out"));
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
        remove(folder);
    }

    /** Removes the folders of earlier runs that were killed. */
    private static void removeLeftOver(Path within) throws IOException {
        try (var folders = Files.newDirectoryStream(within, PREFIX + "*")) {
            for (var folder : folders) {
                var name = OWNED.matcher(String.valueOf(folder.getFileName()));
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                        && Files.isWritable(folder)) {
                    remove(folder);
                }
            }
        }
    }

    /** Retries for some seconds: a server that is shutting down may still write files. */
    private static void remove(Path folder) {
        long end = System.nanoTime() + REMOVING.toNanos();
        while (Files.exists(folder)) {
            try {
                removeOnce(folder);
            } catch (IOException e) {
                if (System.nanoTime() > end) {
                    System.err.println(folder + ": cannot be removed: " + e);
                    return;
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    private static void removeOnce(Path folder) throws IOException {
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure) {
                        // It was deleted meanwhile; after other errors deleting its folder fails.
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path visited, @Nullable IOException failure) throws IOException {
                        Files.deleteIfExists(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
