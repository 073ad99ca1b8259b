package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The server of a script in {@code it/bench/targets}, which is killed and started again on the same
 * ports and with the same folder, as a supervisor would. Not thread-safe.
 */
final class RestartedServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private final int port;
    private Running running;

    private RestartedServer(
            List<String> command,
            Map<String, String> environment,
            Path log,
            int port,
            Running running) {
        this.command = command;
        this.environment = environment;
        this.log = log;
        this.port = port;
        this.running = running;
    }

    /** Starts the server of {@code script} and waits until it accepts connections. */
    static RestartedServer start(
            Stage stage, String script, String name, int originPort, Map<String, String> variables)
            throws CannotMeasure, IOException, InterruptedException {
        int port = FreePort.next();
        var folder = Files.createDirectories(stage.grounds().folder().resolve(name));
        var command =
                List.of(
                        "bash",
                        stage.root().resolve("it/bench/targets/" + script + ".sh").toString(),
                        Integer.toString(originPort),
                        Integer.toString(port),
                        folder.toString(),
                        Integer.toString(FreePort.next()));
        var environment = stage.grounds().environment(variables);
        var log = folder.resolveSibling(name + ".log");
        var running = Running.start(command, environment, log);
        running.awaitPort(name, port, PATIENCE);
        return new RestartedServer(command, environment, log, port, running);
    }

    int port() {
        return port;
    }

    Running running() {
        return running;
    }

    /** Kills all its processes and starts it again, without waiting until it is ready. */
    void killAndStart() throws IOException, InterruptedException {
        running.killDescendants();
        running.kill();
        running = Running.start(command, environment, log);
    }

    /** Kills the processes that serve; the one that has started them starts others. */
    void killChildren() {
        running.killDescendants();
    }

    @Override
    public void close() {
        running.close();
    }
}
