package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** A memcached server of a test, on a port of the loopback address. */
public final class MemcachedServer implements AutoCloseable {
    private static final Duration LONGEST_START = Duration.ofSeconds(10);

    private final int port;
    private final List<String> options;
    private @Nullable Process process;

    private MemcachedServer(int port, List<String> options) {
        this.port = port;
        this.options = List.copyOf(options);
    }

    /**
     * Starts a server.
     *
     * @param options as on its command line
     */
    public static MemcachedServer with(String... options) {
        var server = new MemcachedServer(freePort(), List.of(options));
        server.start();
        return server;
    }

    static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    /** Starts it again, empty, on the same port. */
    public void start() {
        var command =
                new ArrayList<>(
                        List.of("memcached", "-l", "127.0.0.1", "-p", port + "", "-U", "0"));
        command.addAll(List.of("-t", "2"));
        if (System.getProperty("user.name", "").equals("root")) {
            command.addAll(List.of("-u", "root"));
        }
        command.addAll(options);
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            var what = "memcached cannot be started (expected it on PATH: Debian's memcached)";
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

    private Socket connect() throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** Ends it at once, with all that it has. */
    public void kill() {
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
    public void suspend() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        var running = process;
        if (running == null) {
            throw new IllegalStateException("the server was killed");
        }
        try {
            new ProcessBuilder("kill", "-" + name, running.pid() + "").start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends one command and returns the reply, without the last line end. */
    public String tell(String command) {
        try (var socket = connect()) {
            socket.getOutputStream().write((command + "\r\nmn\r\n").getBytes(ISO_8859_1));
            var reply = new ByteArrayOutputStream();
            while (!reply.toString(ISO_8859_1).endsWith("MN\r\n")) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    throw new AssertionError(command + ": " + reply.toString(ISO_8859_1));
                }
                reply.write(next);
            }
            return reply.toString(ISO_8859_1).replaceFirst("\r\nMN\r\n$", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value of {@code key}; empty if it is absent. */
    public String value(String key) {
        var reply = tell("mg " + key + " v");
        return reply.startsWith("VA ") ? reply.substring(reply.indexOf('\n') + 1) : "";
    }

    /** The seconds that an item has left; -1 for one without an end. */
    public long lifetime(String key) {
        var reply = tell("mg " + key + " t");
        if (!reply.startsWith("HD t")) {
            throw new AssertionError(key + ": " + reply);
        }
        return Long.parseLong(reply.substring("HD t".length()).strip());
    }

    /** Stores a value without an end. */
    public void set(String key, String value) {
        var reply = tell("ms " + key + " " + value.length() + "\r\n" + value);
        if (!reply.equals("HD")) {
            throw new AssertionError(key + ": " + reply);
        }
    }

    /** Removes all that it has. */
    public void flush() {
        tell("flush_all");
    }

    @Override
    public void close() {
        kill();
    }
}
