package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Redis or Valkey server on a port of the loopback address, without files. */
public final class Store implements AutoCloseable {
    /** The key of the log of a fleet. */
    static final String LOG = "q1:{log}";

    private static final String LOOPBACK = "127.0.0.1";
    private static final List<String> DEBUG = List.of("--enable-debug-command", "local");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> command;
    private final Path log;
    private final String host;
    private final int port;
    private Running running;

    private Store(List<String> command, Path log, String host, int port, Running running) {
        this.command = List.copyOf(command);
        this.log = log;
        this.host = host;
        this.port = port;
        this.running = running;
    }

    /** Starts {@code program}, which takes the options of Redis. */
    public static Store start(String program, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        return start(program, folder, "store", List.of(), DEBUG);
    }

    /** Starts {@code program} in {@code namespace}. */
    static Store start(String program, Path folder, Namespace namespace)
            throws CannotMeasure, InterruptedException {
        var options = new ArrayList<>(List.of("--enable-debug-command", "yes"));
        options.addAll(List.of("--bind", "0.0.0.0", "--protected-mode", "no"));
        int port = FreePort.next();
        var command = command(program, folder, "store", port, List.of(), options);
        return run(
                namespace.enter(command), folder.resolve("store.log"), namespace.address(), port);
    }

    /**
     * Starts {@code program}.
     *
     * @param name of its files in {@code folder}
     * @param first a file with its configuration, or nothing
     * @param options as on its command line, after those of all servers
     */
    static Store start(
            String program, Path folder, String name, List<String> first, List<String> options)
            throws CannotMeasure, InterruptedException {
        int port = FreePort.next();
        var command = command(program, folder, name, port, first, options);
        return run(command, folder.resolve(name + ".log"), LOOPBACK, port);
    }

    private static List<String> command(
            String program,
            Path folder,
            String name,
            int port,
            List<String> first,
            List<String> options) {
        var command = new ArrayList<>(List.of(program));
        command.addAll(first);
        command.addAll(List.of("--port", Integer.toString(port), "--bind", LOOPBACK));
        command.addAll(List.of("--save", "", "--appendonly", "no", "--dir", folder.toString()));
        command.addAll(List.of("--dbfilename", name + ".rdb"));
        command.addAll(options);
        return command;
    }

    private static Store run(List<String> command, Path log, String host, int port)
            throws CannotMeasure, InterruptedException {
        try {
            var running = Running.start(command, Map.of(), log);
            var store = new Store(command, log, host, port, running);
            store.await();
            return store;
        } catch (IOException e) {
            throw new CannotMeasure(
                    "%s cannot be started (expected the Debian package redis-server): %s"
                            .formatted(command.getFirst(), e.getMessage()));
        }
    }

    private void await() throws CannotMeasure, InterruptedException {
        running.awaitPort(command.getFirst(), new InetSocketAddress(host, port), PATIENCE);
    }

    public int port() {
        return port;
    }

    /** Sends SIGKILL; all content is lost. */
    void kill() throws InterruptedException {
        running.kill();
    }

    /** Starts it again after a kill, empty and on the same port, with more {@code options}. */
    void restart(String... options) throws CannotMeasure, IOException, InterruptedException {
        var all = new ArrayList<>(command);
        all.addAll(List.of(options));
        running = Running.start(all, Map.of(), log);
        await();
    }

    void suspend() throws IOException, InterruptedException {
        running.suspend();
    }

    void resume() throws IOException, InterruptedException {
        running.resume();
    }

    /** Runs one command, as redis-cli does, and returns what that prints. */
    public String cli(String... words) throws IOException, InterruptedException {
        var line = new ArrayList<>(List.of("redis-cli", "-h", host, "-p", Integer.toString(port)));
        line.addAll(List.of(words));
        var process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try (var printed = process.getInputStream()) {
            var text = new String(printed.readAllBytes(), UTF_8).strip();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    || process.exitValue() != 0) {
                throw new IOException("redis-cli " + List.of(words) + ": " + text);
            }
            return text;
        } finally {
            process.destroyForcibly();
        }
    }

    public double cpuSeconds() {
        return running.cpuSeconds();
    }

    @Override
    public void close() {
        running.close();
    }
}
