package dev.quire.bench.peers;

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
 * A running server to measure.
 *
 * @param port on the loopback address
 * @param tlsPort the one for TLS, if the script has one
 */
public record Target(TargetScript script, int port, int tlsPort, Running running, Check check)
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
        int port = FreePort.next();
        int tlsPort = FreePort.next();
        var running =
                Running.start(
                        List.of(
                                "bash",
                                script.file().toString(),
                                Integer.toString(originPort),
                                Integer.toString(port),
                                folder.toString(),
                                Integer.toString(tlsPort)),
                        environment,
                        folder.resolveSibling(folder.getFileName() + ".log"));
        boolean started = false;
        try {
            running.awaitPort(script.name(), port, PATIENCE);
            if (script.hasTls()) {
                running.awaitPort(script.name(), tlsPort, PATIENCE);
            }
            started = true;
            return new Target(script, port, tlsPort, running, new Check(port, tlsPort));
        } finally {
            if (!started) {
                running.close();
            }
        }
    }

    String name() {
        return script.name();
    }

    /** The start of all URLs of {@code workload}. */
    String base(Workload workload) {
        return workload.load().isSecure()
                ? "https://127.0.0.1:" + tlsPort
                : "http://127.0.0.1:" + port;
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
