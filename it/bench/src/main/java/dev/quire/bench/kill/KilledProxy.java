package dev.quire.bench.kill;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The proxy as a process that is killed and started again with the same configuration, on the same
 * ports. Not thread-safe.
 */
public final class KilledProxy implements AutoCloseable {
    public static final String LOCAL = "127.0.0.1";

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private final int port;
    private final int adminPort;
    private @Nullable Running running;
    private int replacements;

    private KilledProxy(
            List<String> command,
            Map<String, String> environment,
            Path log,
            int port,
            int adminPort) {
        this.command = command;
        this.environment = environment;
        this.log = log;
        this.port = port;
        this.adminPort = adminPort;
    }

    /** How the proxy is started: a command to which arguments are added. */
    public record Launch(List<String> command, Map<String, String> environment) {

        /** {@code bin/quire} of the project at {@code root}. */
        public static Launch script(Path root) {
            return new Launch(
                    List.of(root.resolve("bin/quire").toString()),
                    Map.of("JAVA_HOME", System.getProperty("java.home")));
        }

        /** The proxy on the class path of this JVM. */
        public static Launch inClassPath() {
            return new Launch(
                    List.of(
                            Running.java().toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "dev.quire.proxy.Main"),
                    Map.of());
        }
    }

    /**
     * Prepares a proxy, which is not started yet.
     *
     * @param folder for its configuration and its log
     * @param yaml the configuration without {@code listen}, {@code admin}, origin and route
     */
    public static KilledProxy of(Launch launch, Path folder, int originPort, String yaml)
            throws IOException {
        int port = FreePort.next();
        int adminPort = FreePort.next();
        var file = folder.resolve("quire.yaml");
        Files.writeString(
                file,
                """
                listen: { http: "127.0.0.1:%d", keep-alive: 1h }
                admin: { address: "127.0.0.1:%d" }
                origins: { site: { urls: ["http://127.0.0.1:%d"] } }
                routes: [ { origin: site } ]
                log: { access: off }
                """
                                .formatted(port, adminPort, originPort)
                        + yaml);
        var command = new ArrayList<>(launch.command());
        command.addAll(List.of("run", "--config", file.toString()));
        return new KilledProxy(
                command, launch.environment(), folder.resolve("proxy.log"), port, adminPort);
    }

    public int port() {
        return port;
    }

    public int adminPort() {
        return adminPort;
    }

    /** Starts the process and waits until it is ready; returns the time for both. */
    public Duration start() throws CannotMeasure, IOException, InterruptedException {
        long begin = System.nanoTime();
        var started = Running.start(command, environment, log);
        running = started;
        awaitReady(started);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /**
     * Starts another process in place of the one that runs, by {@code run --replace}, and waits
     * until that has ended.
     */
    public void replace() throws CannotMeasure, IOException, InterruptedException {
        var former = process();
        var all = new ArrayList<>(command);
        all.add("--replace");
        replacements++;
        var next = log.resolveSibling("proxy-%d.log".formatted(replacements));
        var started = Running.start(all, environment, next);
        if (!former.awaitEnd(PATIENCE) || former.exitCode() != 0) {
            started.close();
            throw new CannotMeasure("the former proxy does not end: " + former.output());
        }
        running = started;
        awaitReady(started);
    }

    private void awaitReady(Running started) throws CannotMeasure, InterruptedException {
        long begin = System.nanoTime();
        while (!isReady()) {
            if (!started.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
                throw new CannotMeasure("the proxy is not ready: " + started.output());
            }
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }

    private boolean isReady() {
        try {
            return admin("/readyz").status() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    public Client.Answer admin(String target) throws IOException {
        try (var client = new Client(adminPort)) {
            return client.get(LOCAL, target);
        }
    }

    public Client.Answer admin(String target, String json) throws IOException {
        try (var client = new Client(adminPort)) {
            return client.post(LOCAL, target, json);
        }
    }

    /** Its resident memory. */
    long residentBytes() {
        return process().residentBytes();
    }

    /** The bytes that it has written to files since its start. */
    long writtenBytes() {
        return process().writtenBytes();
    }

    /** Ends the process by SIGKILL. */
    public void kill() throws InterruptedException {
        process().kill();
    }

    /** Stops the process without ending it, until {@link #resume}. */
    public void suspend() throws IOException, InterruptedException {
        process().suspend();
    }

    public void resume() throws IOException, InterruptedException {
        process().resume();
    }

    private Running process() {
        var present = running;
        if (present == null) {
            throw new IllegalStateException("expected a proxy that was started");
        }
        return present;
    }

    /** The end of its output. */
    public String output() {
        return process().output();
    }

    @Override
    public void close() {
        if (running != null) {
            running.close();
        }
    }
}
