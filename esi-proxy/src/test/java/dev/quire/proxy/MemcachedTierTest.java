package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.memcached.MemcachedServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proxies without memory for responses that share memcached servers. */
class MemcachedTierTest {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final MemcachedServer first = MemcachedServer.with();
    private final MemcachedServer second = MemcachedServer.with();
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Node> nodes = new ArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer origin;

    @TempDir private Path directory;

    /** A running proxy and its ports. */
    private record Node(Proxy proxy, int admin, int http) {}

    @BeforeEach
    void startOrigin() throws Exception {
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.createContext(
                "/",
                exchange -> {
                    var body = ("page " + requests.incrementAndGet()).getBytes(UTF_8);
                    exchange.getResponseHeaders().add("Cache-Control", "max-age=100");
                    exchange.getResponseHeaders().add("Cache-Tag", "news");
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        origin.start();
    }

    private Node node(String name) throws Exception {
        var file =
                Files.writeString(
                        directory.resolve(name + ".yml"),
                        """
                        listen: { http: "127.0.0.1:0" }
                        admin: { address: "127.0.0.1:0" }
                        log: { access: off }
                        cache: { memory: 0 }
                        shared:
                          type: memcached
                          servers: ["127.0.0.1:%d", "127.0.0.1:%d"]
                          timeout: 500ms
                        fleet: { ack-timeout: 300ms }
                        origins: { a: { urls: ["http://127.0.0.1:%d"] } }
                        routes: [ { origin: a } ]
                        """
                                .formatted(
                                        first.port(),
                                        second.port(),
                                        origin.getAddress().getPort()));
        var proxy = new Proxy(Configuration.of(Options.NONE.withFile(file)), Time.system());
        var addresses = proxy.start();
        var http = (InetSocketAddress) addresses.clients().getFirst().bound();
        var node = new Node(proxy, addresses.admin().getPort(), http.getPort());
        nodes.add(node);
        // Found once the generation is known.
        await(() -> page(node, "/first").equals(page(node, "/first")));
        return node;
    }

    /** The page with one host at all nodes. */
    private static String page(Node node, String target) throws Exception {
        return answer(node, "GET " + target + " HTTP/1.1\r\n");
    }

    private static String answer(Node node, String start) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), node.http())) {
            socket.setSoTimeout((int) LONGEST.toMillis());
            var request = start + "Host: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(UTF_8));
            var response = new String(socket.getInputStream().readAllBytes(), UTF_8);
            assertThat(response).startsWith("HTTP/1.1 200 ").contains("page ");
            return response.substring(response.lastIndexOf("page "));
        }
    }

    private HttpResponse<String> purge(Node node, String more) throws Exception {
        return send(
                HttpRequest.newBuilder(uri(node.admin(), "/v1/purge"))
                        .header("Content-Type", "application/json")
                        .POST(
                                BodyPublishers.ofString(
                                        "{\"tags\":[\"news\"],\"count\":false" + more + "}")));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(LONGEST).build(), BodyHandlers.ofString());
    }

    private static URI uri(int port, String target) {
        return URI.create("http://127.0.0.1:" + port + target);
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

    @AfterEach
    void stop() {
        nodes.forEach(node -> node.proxy().close());
        first.close();
        second.close();
        origin.stop(0);
    }

    @Test
    void oneProxyFindsWhatTheOtherHasFetched() throws Exception {
        var one = node("one");
        var two = node("two");
        for (int i = 0; i < 20; i++) {
            var target = "/page" + i;
            await(() -> page(one, target).equals(page(two, target)));
            int asked = requests.get();

            assertThat(page(two, target)).isEqualTo(page(one, target));
            assertThat(requests).hasValue(asked);
        }

        var tiers = send(HttpRequest.newBuilder(uri(two.admin(), "/v1/tiers"))).body();
        assertThat(tiers)
                .contains(
                        "\"state\":\"on\"",
                        "\"127.0.0.1:" + first.port() + ", 127.0.0.1:" + second.port() + "\"",
                        "\"reason\":null");
    }

    @Test
    void aPurgeOfOneProxyHoldsForTheOtherWithinTheBound() throws Exception {
        var one = node("one");
        var two = node("two");
        await(() -> page(one, "/a").equals(page(two, "/a")));
        var body = page(one, "/a");

        var answer = purge(one, "");
        long since = System.nanoTime();

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"soft\":false,\"count\":false}");
        var next = page(one, "/a");
        assertThat(next).isNotEqualTo(body);
        await(() -> !page(two, "/a").equals(body));
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(5));
        await(() -> page(one, "/a").equals(page(two, "/a")));
    }

    @Test
    void anUnsafeRequestRemovesTheResponseForTheOtherProxy() throws Exception {
        var one = node("one");
        var two = node("two");
        await(() -> page(one, "/a").equals(page(two, "/a")));
        var body = page(two, "/a");
        var other = page(two, "/first");

        answer(one, "POST /a HTTP/1.1\r\nContent-Length: 0\r\n");

        await(() -> !page(two, "/a").equals(body));
        assertThat(page(two, "/first")).describedAs("of another URL").isEqualTo(other);
        var next = page(two, "/a");
        await(() -> page(two, "/a").equals(next));
    }

    @Test
    void aRequestToWaitForAFleetIsAnsweredAsWithoutOne() throws Exception {
        var answer = purge(node("one"), ",\"ack\":\"fleet\"");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).contains("\"applied\":\"local\"", "\"reason\":");
    }

    @Test
    void withoutTheServersPurgesAreMadeAndPagesAreFetched() throws Exception {
        var one = node("one");
        first.kill();
        second.kill();

        var answer = purge(one, "");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).contains("\"durable\":false");
        assertThat(page(one, "/a")).isNotEqualTo(page(one, "/a"));

        first.start();
        second.start();
        await(() -> page(one, "/b").equals(page(one, "/b")));
        assertThat(purge(one, "").statusCode()).isEqualTo(200);
    }
}
