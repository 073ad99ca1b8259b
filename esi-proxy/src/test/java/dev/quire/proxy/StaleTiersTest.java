package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two proxies without memory for responses that share a store; one has a disk tier too. */
@Timeout(60)
class StaleTiersTest {
    private static final Duration LONGEST = Duration.ofSeconds(20);
    private static final String SHORT = "max-age=1";
    private static final String LONG = "max-age=600";
    private static final String SERVED_STALE = ", stale-while-revalidate=600";

    private final RedisServer redis = RedisServer.redis();
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Node> nodes = new ArrayList<>();

    /** The If-None-Match of each request to the origin; "none" without one. */
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private volatile int version = 1;
    private volatile String lifetime = SHORT;
    private HttpServer origin;
    private Node one;
    private Node two;

    @TempDir private Path directory;

    /** A running proxy and its ports. */
    private record Node(Proxy proxy, int admin, int http) {}

    @BeforeEach
    void start() throws Exception {
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.createContext("/", this::answer);
        origin.start();
        one = node("one", "");
        two = node("two", "path: " + directory.resolve("disk") + ", min-lifetime: 0s");
    }

    private void answer(HttpExchange exchange) throws IOException {
        var tag = '"' + "" + version + '"';
        var condition = exchange.getRequestHeaders().getFirst("If-None-Match");
        asked.add(condition == null ? "none" : condition);
        exchange.getResponseHeaders().add("Cache-Control", lifetime);
        exchange.getResponseHeaders().add("Cache-Tag", "news");
        exchange.getResponseHeaders().add("ETag", tag);
        if (tag.equals(condition)) {
            exchange.sendResponseHeaders(304, -1);
        } else {
            var body = ("page " + version).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    private Node node(String name, String disk) throws Exception {
        var file =
                Files.writeString(
                        directory.resolve(name + ".yml"),
                        """
                        listen: { http: "127.0.0.1:0" }
                        admin: { address: "127.0.0.1:0" }
                        log: { access: off }
                        cache: { memory: 0, grace: 0s }
                        disk: { %s }
                        shared:
                          servers: ["127.0.0.1:%d"]
                          timeout: 500ms
                          min-lifetime: 0s
                        fleet: { node: %s }
                        origins: { a: { urls: ["http://127.0.0.1:%d"] } }
                        routes: [ { origin: a } ]
                        """
                                .formatted(
                                        disk, redis.port(), name, origin.getAddress().getPort()));
        var proxy = new Proxy(Configuration.of(Options.NONE.withFile(file)), Time.system());
        var addresses = proxy.start();
        var http = (InetSocketAddress) addresses.clients().getFirst().bound();
        var node = new Node(proxy, addresses.admin().getPort(), http.getPort());
        nodes.add(node);
        await(() -> tiers(node).contains("\"shared\":{\"state\":\"on\""));
        return node;
    }

    private String tiers(Node node) throws Exception {
        return send(HttpRequest.newBuilder(uri(node, "/v1/tiers")));
    }

    private String send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(LONGEST).build(), BodyHandlers.ofString()).body();
    }

    private static URI uri(Node node, String target) {
        return URI.create("http://127.0.0.1:" + node.admin() + target);
    }

    /** The body of the page, with one host at all nodes. */
    private static String page(Node node) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), node.http())) {
            socket.setSoTimeout((int) LONGEST.toMillis());
            var request = "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            var response = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(response).startsWith("HTTP/1.1 200 ").contains("page ");
            return response.substring(response.lastIndexOf("page "));
        }
    }

    /** Asks a proxy. */
    private interface Condition {
        boolean isMet() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.isMet()) {
            assertThat(System.nanoTime() - end).describedAs("in time").isNegative();
        }
    }

    /** Responses that were stored for a second are stale now. */
    private static void awaitStale() throws Exception {
        long end = System.nanoTime() + Duration.ofMillis(1_100).toNanos();
        await(() -> System.nanoTime() - end > 0);
    }

    private boolean hasStored(String body) {
        return redis.values().stream()
                .anyMatch(each -> new String(each, ISO_8859_1).contains(body));
    }

    /** The disk has a stale response, and the store that of the other proxy, with {@code next}. */
    private void storedNewer(String next) throws Exception {
        assertThat(page(two)).isEqualTo("page 1");
        await(() -> hasStored("page 1"));
        await(() -> tiers(two).contains("\"objects\":1"));
        awaitStale();
        version = 2;
        lifetime = next;
        page(one);
        await(() -> hasStored("page 2"));
        asked.clear();
    }

    @AfterEach
    void stop() {
        nodes.forEach(node -> node.proxy().close());
        redis.close();
        origin.stop(0);
    }

    @Test
    void freshResponseOfTheStoreIsServedInPlaceOfAStaleOneOnDisk() throws Exception {
        lifetime = SHORT + SERVED_STALE;
        storedNewer(LONG);

        assertThat(page(two)).isEqualTo("page 2");
        assertThat(asked).isEmpty();
    }

    @Test
    void freshResponseOfTheStoreIsServedInPlaceOfAValidation() throws Exception {
        storedNewer(LONG);

        assertThat(page(two)).isEqualTo("page 2");
        assertThat(asked).isEmpty();
    }

    @Test
    void newerOfTwoStaleResponsesIsValidated() throws Exception {
        storedNewer(SHORT);
        awaitStale();

        assertThat(page(two)).isEqualTo("page 2");
        assertThat(asked).containsExactly("\"2\"");
    }

    @Test
    void newerOfTwoStaleResponsesIsServedIfTheOriginFails() throws Exception {
        lifetime = SHORT + ", stale-if-error=600";
        storedNewer(lifetime);
        awaitStale();
        origin.stop(0);

        assertThat(page(two)).isEqualTo("page 2");
    }

    @Test
    void staleResponseOnDiskIsServedWithoutTheStore() throws Exception {
        lifetime = SHORT + SERVED_STALE;
        storedNewer(LONG);
        redis.kill();

        assertThat(page(two)).isEqualTo("page 1");
        await(() -> page(two).equals("page 2"));
        assertThat(asked).containsExactly("\"1\"");
    }

    @Test
    void noneOfTwoStaleResponsesIsUsedAfterAPurge() throws Exception {
        storedNewer(SHORT);
        awaitStale();
        var purge = BodyPublishers.ofString("{\"tags\":[\"news\"],\"ack\":\"fleet\"}");
        var answer =
                send(
                        HttpRequest.newBuilder(uri(one, "/v1/purge"))
                                .header("Content-Type", "application/json")
                                .POST(purge));
        assertThat(answer).contains("\"missing\":[]");

        assertThat(page(two)).isEqualTo("page 2");
        assertThat(asked).containsExactly("none");
    }
}
