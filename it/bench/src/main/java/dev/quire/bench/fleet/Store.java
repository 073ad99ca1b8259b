package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Redis or Valkey server on a port of the loopback address, without files. */
public final class Store implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> command;
    private final Path log;
    private final int port;
    private Running running;

    private Store(List<String> command, Path log, int port, Running running) {
        this.command = command;
        this.log = log;
        this.port = port;
        this.running = running;
    }

    /** Starts {@code program}, which takes the options of Redis. */
    public static Store start(String program, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        int port = FreePort.next();
        var command =
                List.of(
                        program,
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        folder.toString(),
                        "--enable-debug-command",
                        "local");
        var log = folder.resolve("store.log");
        try {
            var store = new Store(command, log, port, Running.start(command, Map.of(), log));
            store.await();
            return store;
        } catch (IOException e) {
            throw new CannotMeasure(
                    "%s cannot be started (expected the Debian package redis-server): %s"
                            .formatted(program, e.getMessage()));
        }
    }

    private void await() throws CannotMeasure, InterruptedException {
        running.awaitPort(command.getFirst(), port, PATIENCE);
    }

    public int port() {
        return port;
    }

    /** Sends SIGKILL; all content is lost. */
    void kill() throws InterruptedException {
        running.kill();
    }

    /** Starts it again after a kill, empty and on the same port. */
    void restart() throws CannotMeasure, IOException, InterruptedException {
        running = Running.start(command, Map.of(), log);
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
        var line = new ArrayList<>(List.of("redis-cli", "-p", Integer.toString(port)));
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
