package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * * A running server to measure.
 *
 * @param port on the loopback address
 */
record Target(TargetScript script, int port, Running running, Check check)
        implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /**
     * Runs {@code script} and waits until the server accepts connections.
     *
     * @param folder is created
     * @throws CannotMeasure with its output, if it does not
     */
    static Target start(
            TargetScript script, int originPort, Path folder, Map<String, String> environment)
            throws CannotMeasure, IOException, InterruptedException {
        Files.createDirectories(folder);
        int port = Running.freePort();
        var running =
                Running.start(
                        List.of(
                                "bash",
                                script.file().toString(),
                                Integer.toString(originPort),
                                Integer.toString(port),
                                folder.toString()),
                        environment,
                        folder.resolveSibling(folder.getFileName() + ".log"));
        boolean started = false;
        try {
            running.awaitPort(script.name(), port, PATIENCE);
            started = true;
            return new Target(script, port, running, new Check(port));
        } finally {
            if (!started) {
                running.close();
            }
        }
    }

    String name() {
        return script.name();
    }

    Dialect dialect() {
        return script.dialect();
    }

    @Override
    public void close() {
        check.close();
        running.close();
    }
}
