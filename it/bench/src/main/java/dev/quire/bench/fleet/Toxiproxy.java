package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Toxiproxy, between each node and the store. Go builds it. */
final class Toxiproxy implements Lines, AutoCloseable {
    private static final String SOURCE = "github.com/Shopify/toxiproxy/v2/cmd/server";
    private static final Duration BUILDING = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String NO_BYTES = "\"timeout\":0";
    private static final int SUCCESS = 200;
    private static final int ABSENT = 404;
    private static final List<String> GO = List.of("go", "/usr/local/go/bin/go");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Running running;
    private final String api;

    private Toxiproxy(Running running, int port) {
        this.running = running;
        this.api = "http://127.0.0.1:" + port;
    }

    /**
     * Builds the program if it was not built yet; empty if Go is not installed.
     *
     * @param module the folder of this module
     */
    static Optional<Path> build(Path module)
            throws CannotMeasure, IOException, InterruptedException {
        var program = module.resolve("target/toxiproxy").toAbsolutePath();
        if (Files.isExecutable(program)) {
            return Optional.of(program);
        }
        Files.createDirectories(program.resolveSibling(""));
        for (var go : GO) {
            Process building;
            try {
                building =
                        new ProcessBuilder(
                                        go,
                                        "build",
                                        "-mod=readonly",
                                        "-o",
                                        program.toString(),
                                        SOURCE)
                                .directory(module.resolve("toxiproxy").toFile())
                                .redirectErrorStream(true)
                                .start();
            } catch (IOException absent) {
                continue;
            }
            try (var printed = building.getInputStream()) {
                var text = new String(printed.readAllBytes(), UTF_8);
                if (!building.waitFor(BUILDING.toMillis(), TimeUnit.MILLISECONDS)
                        || building.exitValue() != 0) {
                    throw new CannotMeasure("toxiproxy cannot be built: " + text);
                }
            } finally {
                building.destroyForcibly();
            }
            return Optional.of(program);
        }
        return Optional.empty();
    }

    static Toxiproxy start(Path program, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        int port = FreePort.next();
        var running =
                Running.start(
                        List.of(
                                program.toString(),
                                "-host",
                                "127.0.0.1",
                                "-port",
                                Integer.toString(port)),
                        Map.of("LOG_LEVEL", "error"),
                        folder.resolve("toxiproxy.log"));
        running.awaitPort("toxiproxy", port, PATIENCE);
        return new Toxiproxy(running, port);
    }

    /** Opens a port for {@code node} that leads to {@code port}, and returns it. */
    int lead(int node, int port) throws IOException, InterruptedException {
        int listen = FreePort.next();
        post(
                "/proxies",
                "{\"name\":\"%s\",\"listen\":\"127.0.0.1:%d\",\"upstream\":\"127.0.0.1:%d\",\"enabled\":true}"
                        .formatted(Fleet.name(node), listen, port));
        return listen;
    }

    @Override
    public void cut(int node) throws IOException, InterruptedException {
        poison(node, "timeout", NO_BYTES);
    }

    /** Adds a toxic to both directions of the line of {@code node}. */
    void poison(int node, String type, String attributes) throws IOException, InterruptedException {
        for (var stream : List.of("upstream", "downstream")) {
            post(
                    "/proxies/%s/toxics".formatted(Fleet.name(node)),
                    "{\"name\":\"%s\",\"type\":\"%s\",\"stream\":\"%s\",\"attributes\":{%s}}"
                            .formatted(stream, type, stream, attributes));
        }
    }

    @Override
    public void heal(int node) throws IOException, InterruptedException {
        for (var stream : List.of("upstream", "downstream")) {
            var toxic = "/proxies/%s/toxics/%s".formatted(Fleet.name(node), stream);
            send(HttpRequest.newBuilder(URI.create(api + toxic)).DELETE(), ABSENT);
        }
    }

    private void post(String target, String json) throws IOException, InterruptedException {
        send(
                HttpRequest.newBuilder(URI.create(api + target))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json)),
                SUCCESS);
    }

    /**
     * @param also a status that is right too
     */
    private void send(HttpRequest.Builder request, int also)
            throws IOException, InterruptedException {
        var answer = client.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2 && answer.statusCode() != also) {
            throw new IOException(
                    "toxiproxy: status %d, %s".formatted(answer.statusCode(), answer.body()));
        }
    }

    @Override
    public void close() {
        client.close();
        running.close();
    }
}
