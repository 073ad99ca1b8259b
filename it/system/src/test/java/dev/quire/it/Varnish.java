package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.containers.Docker;
import dev.quire.test.containers.internal.HostRelay;
import dev.quire.test.wire.HttpWire;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A real Varnish 7.1 in a container, or the installed one if Docker is absent and not required. Its
 * features match Quire: anything but ESI is text, {@code onerror} is honoured, and a truncated
 * fragment is replaced by nothing.
 */
abstract class Varnish implements AutoCloseable {

    private static final String FEATURES =
            "feature=+esi_ignore_other_elements,+esi_disable_xml_check,+esi_include_onerror";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String OURS = "127.0.0.1";

    private static final String PASSING =
            """
            vcl 4.1;
            backend origin { .host = "ORIGIN_HOST"; .port = "ORIGIN_PORT"; }
            sub vcl_recv { return (pass); }
            sub vcl_backend_response {
                set beresp.do_stream = false;
                if (beresp.http.Surrogate-Control ~ "ESI/1.0") { set beresp.do_esi = true; }
            }
            sub vcl_backend_error {
                set beresp.body = "";
                return (deliver);
            }
            """;

    private final InetSocketAddress address;

    private Varnish(InetSocketAddress address) {
        this.address = address;
    }

    /**
     * Starts a Varnish that stores nothing and runs ESI if the origin asks for it, in front of the
     * server on {@code port} of this machine. Returns empty if Varnish is not available.
     */
    static Optional<Varnish> inFrontOf(int port) throws IOException, InterruptedException {
        return inFrontOf(port, PASSING);
    }

    /**
     * Starts a Varnish with {@code vcl}, in which {@code ORIGIN_HOST} and {@code ORIGIN_PORT} are
     * replaced by the server on {@code port} of this machine. Returns empty if Varnish is not
     * available.
     */
    static Optional<Varnish> inFrontOf(int port, String vcl)
            throws IOException, InterruptedException {
        if (Docker.isHere()) {
            return Optional.of(Contained.start(port, vcl));
        }
        var installed = installed();
        return installed.isPresent()
                ? Optional.of(Local.start(installed.get(), configuration(vcl, OURS, port)))
                : Optional.empty();
    }

    /** The listening address. */
    InetSocketAddress address() {
        return address;
    }

    HttpWire connect() {
        return HttpWire.to(address);
    }

    @Override
    public abstract void close();

    private static Optional<Path> installed() {
        var folders = (System.getenv().getOrDefault("PATH", "") + ":/usr/sbin").split(":", -1);
        return Stream.of(folders)
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "varnishd"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static String configuration(String vcl, String host, int port) {
        return vcl.replace("ORIGIN_HOST", host).replace("ORIGIN_PORT", Integer.toString(port));
    }

    /** A local process with its own working folder. */
    private static final class Local extends Varnish {
        private final Process process;
        private final Path folder;

        private Local(InetSocketAddress address, Process process, Path folder) {
            super(address);
            this.process = process;
            this.folder = folder;
        }

        static Varnish start(Path program, String configuration)
                throws IOException, InterruptedException {
            var folder = Files.createTempDirectory("varnish");
            var vcl = folder.resolve("origin.vcl");
            Files.writeString(vcl, configuration);
            var work = folder.resolve("work");
            var process =
                    new ProcessBuilder(
                                    List.of(
                                            program.toString(),
                                            "-F",
                                            "-j",
                                            "none",
                                            "-n",
                                            work.toString(),
                                            "-a",
                                            OURS + ":0",
                                            "-s",
                                            "malloc,64m",
                                            "-p",
                                            FEATURES,
                                            "-f",
                                            vcl.toString()))
                            .redirectErrorStream(true)
                            .start();
            try {
                awaitLaunch(process);
                int listening = port(program.resolveSibling("varnishadm"), work);
                return new Local(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), listening),
                        process,
                        folder);
            } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
                stop(process);
                delete(folder);
                throw e;
            }
        }

        /**
         * Reads its output until it is ready, and then drains it, so that the process never blocks.
         */
        private static void awaitLaunch(Process process) throws IOException {
            var said = new StringBuilder();
            var lines = new BufferedReader(process.inputReader(UTF_8));
            String line;
            while ((line = lines.readLine()) != null) {
                said.append(line).append('\n');
                if (line.contains("Child launched OK")) {
                    Thread.ofVirtual().start(() -> drain(lines));
                    return;
                }
            }
            throw new AssertionError("Varnish did not start:\n" + said);
        }

        private static void drain(BufferedReader lines) {
            try {
                while (lines.readLine() != null) {}
            } catch (IOException e) {
                // The process was stopped, which closes its output.
            }
        }

        private static int port(Path program, Path work) throws IOException, InterruptedException {
            var admin = Files.isExecutable(program) ? program.toString() : "varnishadm";
            var asking =
                    new ProcessBuilder(admin, "-n", work.toString(), "debug.listen_address")
                            .redirectErrorStream(true)
                            .start();
            String answer;
            try (InputStream said = asking.getInputStream()) {
                answer = new String(said.readAllBytes(), UTF_8);
            }
            asking.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            var words = answer.trim().split("\\s+", -1);
            if (asking.exitValue() != 0 || words.length < 3) {
                throw new AssertionError(
                        "expected the listening address of Varnish, found: " + answer);
            }
            return Integer.parseInt(words[2]);
        }

        @Override
        public void close() {
            stop(process);
            delete(folder);
        }

        private static void stop(Process process) {
            process.destroy();
            try {
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }

        private static void delete(Path folder) {
            try (var files = Files.walk(folder)) {
                for (var file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
                    Files.delete(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot delete " + folder, e);
            }
        }
    }

    /** A container, which reaches the origin through a relay. */
    private static final class Contained extends Varnish {
        private static final int HTTP = 80;

        private final GenericContainer<?> container;
        private final HostRelay relay;

        private Contained(GenericContainer<?> container, HostRelay relay) {
            super(new InetSocketAddress(container.getHost(), container.getMappedPort(HTTP)));
            this.container = container;
            this.relay = relay;
        }

        @SuppressWarnings("resource") // closed with this
        static Varnish start(int port, String vcl) {
            var origin = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            var relay = HostRelay.open().to(origin);
            var file = configuration(vcl, HostRelay.HOST, relay.port());
            var container =
                    HostRelay.letIn(
                            new GenericContainer<>(DockerImageName.parse("varnish:7.1"))
                                    .withCopyToContainer(
                                            Transferable.of(file), "/etc/varnish/default.vcl")
                                    .withCommand("-p", FEATURES)
                                    .withExposedPorts(HTTP)
                                    .waitingFor(Wait.forLogMessage(".*Child starts.*", 1)));
            try {
                container.start();
                return new Contained(container, relay);
            } catch (RuntimeException e) {
                relay.close();
                throw e;
            }
        }

        @Override
        public void close() {
            container.close();
            relay.close();
        }
    }
}
