package dev.quire.test.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** A program that listens on a free port of the loopback, or on a Unix socket in its folder. */
public final class RunningProgram implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_NANOS = 10_000_000;

    private final Process process;
    private final Path folder;
    private final SocketAddress address;

    private RunningProgram(Process process, Path folder, SocketAddress address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
    }

    /**
     * Looks for the program {@code name} on PATH, in the folders of system programs and in that of
     * Go.
     */
    public static Optional<Path> find(String name) {
        var folders = new ArrayList<String>();
        folders.addAll(List.of(System.getenv().getOrDefault("PATH", "").split(":")));
        folders.addAll(List.of("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/go/bin"));
        return folders.stream()
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Prepares a program. */
    public interface Preparation {
        /**
         * Writes the program's files and returns its command.
         *
         * @param folder empty, deleted when the program is closed
         * @param port to listen on
         */
        ProcessBuilder in(Path folder, int port) throws IOException;
    }

    /** Prepares a program that listens on the file {@link #socket}. */
    public interface SocketPreparation {
        /**
         * Writes the program's files and returns its command.
         *
         * @param folder empty, deleted when the program is closed
         */
        ProcessBuilder in(Path folder) throws IOException;
    }

    /**
     * Starts a program and waits until it accepts connections.
     *
     * @throws AssertionError with its output, if it ends or does not listen in time
     */
    public static RunningProgram start(String name, Preparation preparation) throws IOException {
        int port = FreePort.next();
        return start(
                name,
                folder -> preparation.in(folder, port),
                folder -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** As {@link #start}, on a socket that only the owner of the program's folder reaches. */
    public static RunningProgram startOnSocket(String name, SocketPreparation preparation)
            throws IOException {
        return start(name, preparation, folder -> UnixDomainSocketAddress.of(socketIn(folder)));
    }

    private static RunningProgram start(
            String name, SocketPreparation preparation, Function<Path, SocketAddress> address)
            throws IOException {
        var folder = Files.createTempDirectory(name);
        var output = folder.resolve("output");
        Process process;
        try {
            process =
                    preparation
                            .in(folder)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
        } catch (IOException | RuntimeException | Error e) {
            delete(folder);
            throw e;
        }
        var running = new RunningProgram(process, folder, address.apply(folder));
        if (!running.isListening()) {
            var said = Files.readString(output, UTF_8);
            running.close();
            throw new AssertionError(name + " did not start:\n" + said);
        }
        return running;
    }

    /**
     * Returns the port it listens on.
     *
     * @throws IllegalStateException if it listens on a Unix socket
     */
    public InetSocketAddress address() {
        if (address instanceof InetSocketAddress port) {
            return port;
        }
        throw new IllegalStateException("listens on " + address);
    }

    /** The folder of its files. */
    public Path folder() {
        return folder;
    }

    public Path socket() {
        return socketIn(folder);
    }

    /** Where a program in {@code folder} listens that was started by {@link #startOnSocket}. */
    public static Path socketIn(Path folder) {
        return folder.resolve("socket");
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        delete(folder);
    }

    /** Deletes {@code folder} and all in it. */
    public static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private boolean isListening() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (var probe = SocketChannel.open(address)) {
                return probe.isConnected();
            } catch (IOException e) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        return false;
    }
}
