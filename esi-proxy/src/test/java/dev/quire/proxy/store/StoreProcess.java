package dev.quire.proxy.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** A server of a test, on a port of the loopback address. */
public abstract class StoreProcess implements AutoCloseable {
    protected static final Duration LONGEST_START = Duration.ofSeconds(10);

    private final int port;
    private @Nullable Process process;

    protected StoreProcess(int port) {
        this.port = port;
    }

    public static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public final int port() {
        return port;
    }

    /** The program and its options. */
    protected abstract List<String> command();

    /** Starts it again, empty, on the same port. */
    public final void start() {
        var command = command();
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            var what = command.getFirst() + " cannot be started (expected it on PATH)";
            if (System.getenv("CI") == null) {
                throw new TestAbortedException(what, e);
            }
            throw new UncheckedIOException(what, e);
        }
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (!accepts()) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new AssertionError(command + " does not accept connections");
            }
            Thread.onSpinWait();
        }
    }

    private boolean accepts() {
        try (var socket = connect()) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    protected final Socket connect() throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** Ends it at once, with all that it has. */
    public final void kill() {
        var running = process;
        if (running != null) {
            running.destroyForcibly();
            try {
                running.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            process = null;
        }
    }

    /** Stops it until {@link #resume}: connections stay, and nothing is answered. */
    public final void suspend() {
        signal("STOP");
        // The signal reaches one thread, which then stops the others: until then they answer.
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (!isSuspended()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(command() + " does not stop");
            }
            Thread.onSpinWait();
        }
    }

    /** Whether all of its threads are stopped; true where the system does not tell. */
    private boolean isSuspended() {
        var threads = Path.of("/proc", running().pid() + "", "task");
        if (!Files.isDirectory(threads)) {
            return true;
        }
        try (var all = Files.newDirectoryStream(threads)) {
            for (var thread : all) {
                // proc_pid_stat(5): the state follows the name, which ends with the last ")".
                var stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        } catch (NoSuchFileException ended) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public final void resume() {
        signal("CONT");
    }

    private Process running() {
        var running = process;
        if (running == null) {
            throw new IllegalStateException("the server was killed");
        }
        return running;
    }

    private void signal(String name) {
        var command = List.of("kill", "-" + name, running().pid() + "");
        try {
            if (new ProcessBuilder(command).start().waitFor() != 0) {
                throw new AssertionError(command + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public final void close() {
        kill();
    }
}
