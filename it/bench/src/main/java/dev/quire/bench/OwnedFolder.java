package dev.quire.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A new folder for the files of a run. {@link #close} removes it; so does the exit of this JVM,
 * which first stops all {@link Running} processes, or else the next run.
 */
public final class OwnedFolder implements AutoCloseable {
    private static final Duration REMOVING = Duration.ofSeconds(5);
    private static final String PREFIX = "quire-bench-";

    /** The folder name contains the id of the process that owns it. */
    private static final Pattern OWNED = Pattern.compile(PREFIX + "(\\d{1,18})-.*");

    private final Path path;

    private OwnedFolder(Path path) {
        this.path = path;
    }

    /** Creates it within {@code parent}, and removes there the folders of runs that were killed. */
    public static OwnedFolder in(Path parent) throws IOException {
        // Also loads this class, which cannot be done once this JVM is stopping.
        if (Running.isStopping()) {
            throw new IOException("stopping: no folder is made in " + parent);
        }
        removeLeftOver(parent);
        // Servers that are started as root run as another user, who needs access.
        var mine =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));
        var folder =
                new OwnedFolder(
                        Files.createTempDirectory(
                                parent, PREFIX + ProcessHandle.current().pid() + "-", mine));
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    Running.stopAll();
                                    folder.close();
                                },
                                "remove-folder"));
        return folder;
    }

    /** The folder for files that programs write to the disk, unless another is given. */
    public static Path ofTemporaryFiles() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    public Path path() {
        return path;
    }

    /** Retries for some seconds: a server that is shutting down may still write files. */
    @Override
    public void close() {
        remove(path);
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

    /** The lengths of all files below {@code folder}; 0 if it does not exist. */
    public static long fileBytes(Path folder) throws IOException {
        var bytes = new LongAdder();
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        bytes.add(attributes.size());
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure) {
                        // It was deleted meanwhile.
                        return FileVisitResult.CONTINUE;
                    }
                });
        return bytes.sum();
    }

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
