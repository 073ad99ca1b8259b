package dev.quire.war;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A downloaded Tomcat in its own process, with the war under {@link #CONTEXT}. It logs every
 * request in a file. Thread-safe.
 */
final class Tomcat implements AutoCloseable {

    static final String CONTEXT = "/scraps";

    private static final long START_SECONDS = 120;
    private static final Pattern PORT = Pattern.compile("\"http-nio-\\S*-(\\d+)\"]");
    private static final Pattern STAMP = Pattern.compile("Stamp/1\\.([A-Za-z0-9_-]{22})");
    private static final Pattern NOTE = Pattern.compile("(\\d+) (\\S+) \\[(.*)]");

    private final Process process;
    private final Path base;
    private final int port;

    private Tomcat(Process process, Path base, int port) {
        this.process = process;
        this.base = base;
        this.port = port;
    }

    /**
     * Starts it.
     *
     * @param properties of the application, as key=value
     * @throws AssertionError with its output, if it does not start
     */
    static Tomcat start(String... properties) {
        try {
            var home = Path.of(property("tomcat.home"));
            var base = Files.createTempDirectory(requireNonNull(home.getParent()), "base");
            prepare(home, base);
            return new Tomcat(run(home, base, List.of(properties)), base);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lay out a Tomcat", e);
        }
    }

    private Tomcat(Process process, Path base) {
        this(process, base, portOf(process));
    }

    private static void prepare(Path home, Path base) throws IOException {
        for (var directory : List.of("conf", "logs", "temp", "webapps", "work")) {
            Files.createDirectory(base.resolve(directory));
        }
        for (var file : List.of("web.xml", "logging.properties")) {
            Files.copy(home.resolve("conf").resolve(file), base.resolve("conf").resolve(file));
        }
        Files.writeString(
                base.resolve("conf/server.xml"),
                """
                <Server port="-1">
                  <Service name="Catalina">
                    <Connector port="0" address="127.0.0.1" protocol="HTTP/1.1"/>
                    <Engine name="Catalina" defaultHost="localhost">
                      <Host name="localhost" appBase="webapps">
                        <Valve className="org.apache.catalina.valves.AccessLogValve" directory="logs" \
                prefix="requests" suffix=".log" rotatable="false" buffered="false" \
                pattern="%s %U%q [%{Surrogate-Capability}i]"/>
                      </Host>
                    </Engine>
                  </Service>
                </Server>
                """);
        Files.copy(Path.of(property("war")), base.resolve("webapps" + CONTEXT + ".war"));
    }

    private static Process run(Path home, Path base, List<String> properties) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var bin = home.resolve("bin");
        var command = new ArrayList<String>();
        command.add(java);
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.add("-Xmx512m");
        command.add("-Dcatalina.home=" + home);
        command.add("-Dcatalina.base=" + base);
        command.add("-Djava.io.tmpdir=" + base.resolve("temp"));
        command.add("-Djava.util.logging.manager=org.apache.juli.ClassLoaderLogManager");
        command.add("-Djava.util.logging.config.file=" + base.resolve("conf/logging.properties"));
        properties.forEach(property -> command.add("-D" + property));
        command.add("-cp");
        command.add(bin.resolve("bootstrap.jar") + ":" + bin.resolve("tomcat-juli.jar"));
        command.add("org.apache.catalina.startup.Bootstrap");
        command.add("start");
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Reads Tomcat's output to its end; the port is known from the start-up message. */
    private static int portOf(Process process) {
        var port = new CompletableFuture<Integer>();
        var said = new ConcurrentLinkedQueue<String>();
        Thread.ofVirtual().start(() -> listen(process, said, port));
        try {
            return port.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            process.destroyForcibly();
            throw new AssertionError("Tomcat does not start:\n" + String.join("\n", said), e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while Tomcat starts", e);
        }
    }

    private static void listen(
            Process process, Queue<String> said, CompletableFuture<Integer> port) {
        try (var lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            int listening = 0;
            @Nullable String line;
            while ((line = lines.readLine()) != null) {
                said.add(line);
                var found = PORT.matcher(line);
                if (found.find()) {
                    listening = Integer.parseInt(found.group(1));
                }
                if (line.contains("Server startup in")) {
                    port.complete(listening);
                }
            }
            port.completeExceptionally(new IOException("it has ended"));
        } catch (IOException e) {
            port.completeExceptionally(e);
        }
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Returns host and port. */
    String authority() {
        return url().getAuthority();
    }

    /** Returns the response to a client without a surrogate. */
    Response get(String target, String... fields) {
        var all = new ArrayList<>(List.of("Host", authority()));
        all.addAll(List.of(fields));
        try (var wire =
                HttpWire.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            return wire.get(target, all.toArray(String[]::new));
        }
    }

    /**
     * Returns the requests for paths that begin with {@code path}, in the order of their responses.
     */
    List<Note> notes(String path) {
        try (var lines = Files.lines(base.resolve("logs/requests.log"))) {
            return lines.map(Note::read).filter(note -> note.target().startsWith(path)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what Tomcat has noted", e);
        }
    }

    /** The same, once there are {@code count}: Tomcat notes a request after its response. */
    List<Note> notes(String path, int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        var notes = notes(path);
        while (notes.size() < count && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            notes = notes(path);
        }
        return notes;
    }

    /**
     * One request.
     *
     * @param capability the field {@code Surrogate-Capability}, {@code -} if absent
     */
    record Note(int status, String target, String capability) {

        private static Note read(String line) {
            var note = NOTE.matcher(line);
            if (!note.matches()) {
                throw new AssertionError("a line that Tomcat was not told to write: " + line);
            }
            return new Note(Integer.parseInt(note.group(1)), note.group(2), note.group(3));
        }

        /** Returns the nonce of the request. */
        String nonce() {
            var stamp = STAMP.matcher(capability);
            if (!stamp.find()) {
                throw new AssertionError("no stamp with " + target + ": " + capability);
            }
            return stamp.group(1);
        }
    }

    /** Returns all output of the container and the application. */
    String logs() {
        try (var files = Files.list(base.resolve("logs"))) {
            var logs = new StringBuilder();
            for (var file : files.toList()) {
                if (!file.endsWith("requests.log")) {
                    logs.append(Files.readString(file));
                }
            }
            return logs.toString();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what Tomcat has logged", e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static String property(String name) {
        return requireNonNull(
                System.getProperty(name), () -> "no property " + name + " (expected from Maven)");
    }
}
