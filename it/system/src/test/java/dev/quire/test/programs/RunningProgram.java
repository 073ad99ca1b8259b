package dev.quire.test.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A program that listens on a free port of the loopback. */
public final class RunningProgram implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_NANOS = 10_000_000;

    private final Process process;
    private final Path folder;
    private final InetSocketAddress address;

    private RunningProgram(Process process, Path folder, InetSocketAddress address) {
        this.process = process;
        this.folder = folder;
        this.address = address;
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

    /**
     * Starts a program and waits until it accepts connections.
     *
     * @throws AssertionError with its output, if it ends or does not listen in time
     */
    public static RunningProgram start(String name, Preparation preparation) throws IOException {
        var folder = Files.createTempDirectory(name);
        int port = freePort();
        var output = folder.resolve("output");
        var process =
                preparation
                        .in(folder, port)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var running = new RunningProgram(process, folder, address);
        if (!running.isListening()) {
            var said = Files.readString(output, UTF_8);
            running.close();
            throw new AssertionError(name + " did not start:\n" + said);
        }
        return running;
    }

    public InetSocketAddress address() {
        return address;
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

    /** Returns a port of the loopback that is free at this moment. */
    public static int freePort() throws IOException {
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private boolean isListening() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (var probe = new Socket()) {
                probe.connect(address);
                return true;
            } catch (IOException e) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        return false;
    }
}
