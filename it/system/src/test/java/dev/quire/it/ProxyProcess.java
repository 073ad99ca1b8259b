package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.HttpWire;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** {@code quire run} as a process of its own, for what a process alone has, such as signals. */
final class ProxyProcess implements AutoCloseable {
    private static final Pattern READY =
            Pattern.compile("ready http=\\S+:(\\d+) admin=\\S+:(\\d+)");

    private final Process process;
    private final InetSocketAddress http;
    private final InetSocketAddress admin;
    private final Path errors;

    private ProxyProcess(
            Process process, InetSocketAddress http, InetSocketAddress admin, Path errors) {
        this.process = process;
        this.http = http;
        this.admin = admin;
        this.errors = errors;
    }

    /**
     * Starts it on free ports and waits until it is ready.
     *
     * @param directory for its configuration and what it writes to standard error
     * @param yaml the configuration without {@code listen} and {@code admin}
     */
    static ProxyProcess start(Path directory, String yaml) throws IOException {
        var file = directory.resolve("quire.yml");
        Files.writeString(
                file,
                "listen: { http: \"127.0.0.1:0\" }\nadmin: { address: \"127.0.0.1:0\" }\n" + yaml);
        var errors = directory.resolve("stderr");
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                List.of(
                                        java,
                                        "-XX:+UseSerialGC",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "dev.quire.proxy.Main",
                                        "run",
                                        "--config",
                                        file.toString(),
                                        "--quiet"))
                        .redirectError(errors.toFile())
                        .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        var line = out.readLine();
        var ready = READY.matcher(line == null ? "" : line);
        if (!ready.matches()) {
            process.destroyForcibly();
            throw new AssertionError(
                    "expected the ready line, found " + line + "\n" + Files.readString(errors));
        }
        return new ProxyProcess(process, at(ready.group(1)), at(ready.group(2)), errors);
    }

    private static InetSocketAddress at(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    HttpWire connect() {
        return HttpWire.to(http);
    }

    HttpWire connectToAdmin() {
        return HttpWire.to(admin);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The lines that it has written to standard error. */
    List<String> errorLines() throws IOException {
        return Files.readAllLines(errors);
    }

    /** Sends a signal such as {@code HUP}. */
    void signal(String name) throws IOException, InterruptedException {
        int status =
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor();
        if (status != 0) {
            throw new AssertionError("expected kill to succeed, found exit status " + status);
        }
    }

    /** Stops it as an operator would and returns its exit status. */
    int stop() throws InterruptedException {
        process.destroy();
        return exitStatus();
    }

    /** Waits until it has ended after a signal. */
    int exitStatus() throws InterruptedException {
        if (!endsWithin(Duration.ofSeconds(30))) {
            process.destroyForcibly();
            throw new AssertionError("expected the process to end within 30 s of the signal");
        }
        return process.exitValue();
    }

    boolean endsWithin(Duration longest) throws InterruptedException {
        return process.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
