package dev.quire.bench.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A small file system in memory that becomes full or read-only when its owner says so. Requires
 * root. {@link #close} unmounts it; so does the exit of this JVM, except by SIGKILL.
 */
final class SmallDisk implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 16;

    private final Path path;
    private final Path rest;
    private final Thread hook = new Thread(this::unmountAll, "unmount-small-disk");

    private SmallDisk(Path path) {
        this.path = path;
        this.rest = path.resolve("rest");
    }

    /**
     * Mounts it.
     *
     * @param at is created
     */
    static SmallDisk mount(Path at, int mib)
            throws CannotMeasure, IOException, InterruptedException {
        var disk = new SmallDisk(Files.createDirectory(at));
        Runtime.getRuntime().addShutdownHook(disk.hook);
        try {
            run("mount", "-t", "tmpfs", "-o", "size=%dm,mode=755".formatted(mib), "tmpfs", at + "");
            return disk;
        } catch (IOException e) {
            disk.close();
            throw new CannotMeasure(
                    "a file system cannot be mounted (expected root, and the command mount): "
                            + e.getMessage());
        }
    }

    Path path() {
        return path;
    }

    /** Takes all space that is left. */
    void fill() throws IOException {
        try (var file = FileChannel.open(rest, CREATE, WRITE)) {
            file.position(file.size());
            append(file);
        }
    }

    private static void append(FileChannel file) {
        var block = ByteBuffer.allocate(BLOCK_BYTES);
        try {
            while (true) {
                file.write(block.clear());
            }
        } catch (IOException full) {
            // That is the end.
        }
    }

    /** Gives that space back. */
    void free() throws IOException {
        Files.deleteIfExists(rest);
    }

    /**
     * Makes it read-only for all files that are opened from now on. The kernel does not remount a
     * file system that has files open for writing, so it is mounted once more, above itself.
     */
    void refuseWrites() throws IOException, InterruptedException {
        run("mount", "-o", "bind,ro", path.toString(), path.toString());
    }

    void allowWrites() throws IOException, InterruptedException {
        unmount();
    }

    private void unmount() throws IOException, InterruptedException {
        // Lazily: a file of it may be open.
        run("umount", "-l", path.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var printed = process.getInputStream()) {
            var text = new String(printed.readAllBytes(), UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", List.of(command)) + ": " + text);
            }
        }
    }

    private void unmountAll() {
        try {
            while (true) {
                unmount();
            }
        } catch (IOException unmounted) {
            // There is nothing left.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        unmountAll();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
