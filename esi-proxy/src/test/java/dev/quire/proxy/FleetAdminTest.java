package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
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
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The admin port and the requests of applications, of proxies in one fleet. */
class FleetAdminTest {
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final RedisServer redis = RedisServer.redis();
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Node> nodes = new ArrayList<>();

    @TempDir private Path directory;
    private String ack = "log";

    /** A running proxy and its ports. */
    private record Node(Proxy proxy, int admin, int http) {}

    private Node node(String name) throws Exception {
        var node = start(name);
        await(() -> get(node, "/v1/fleet").body().contains("\"state\":\"current\""));
        return node;
    }

    private Node start(String name) throws Exception {
        return start(name, "16MiB", 1, "");
    }

    private Node start(String name, String memory, int originPort, String more) throws Exception {
        var file =
                Files.writeString(
                        directory.resolve(name + ".yml"),
                        """
                        listen: { http: "127.0.0.1:0" }
                        admin: { address: "127.0.0.1:0" }
                        log: { access: off }
                        cache: { memory: %s }
                        invalidation: { methods: [PURGE, BAN], from: ["127.0.0.0/8"] }
                        shared: { servers: ["127.0.0.1:%d"] }
                        fleet: { name: news, node: %s, ack: %s, ack-timeout: 300ms, lease: 2s }
                        origins: { a: { urls: ["http://127.0.0.1:%d"] } }
                        routes: [ { origin: a } ]
                        """
                                        .formatted(memory, redis.port(), name, ack, originPort)
                                + more);
        var proxy = new Proxy(Configuration.of(Options.NONE.withFile(file)), Time.system());
        var addresses = proxy.start();
        // Other nodes wait for it from its first request on.
        assertThat(redis.cli("HKEYS", "q1:{log}:n")).contains(name + "#");
        var http = (InetSocketAddress) addresses.clients().getFirst().bound();
        var node = new Node(proxy, addresses.admin().getPort(), http.getPort());
        nodes.add(node);
        return node;
    }

    private HttpResponse<String> get(Node node, String target) throws Exception {
        return send(HttpRequest.newBuilder(uri(node.admin(), target)));
    }

    private HttpResponse<String> post(Node node, String target, String json) throws Exception {
        return send(
                HttpRequest.newBuilder(uri(node.admin(), target))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json)));
    }

    private HttpResponse<String> purge(Node node, String ack) throws Exception {
        return post(
                node, "/v1/purge", "{\"tags\":[\"a\"],\"count\":false,\"ack\":\"" + ack + "\"}");
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
            assertThat(System.nanoTime() - end).isNegative();
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(node -> node.proxy().close());
        redis.close();
    }

    @Test
    void invalidationsReachTheOtherNodeBeforeTheAnswer() throws Exception {
        var one = node("one");
        var two = node("two");

        // Which nodes there are is known once the log is as old as the lease.
        var answer = purge(one, "fleet");
        for (long end = System.nanoTime() + 10_000_000_000L;
                answer.statusCode() == 202 && System.nanoTime() < end; ) {
            answer = purge(one, "fleet");
        }
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .endsWith("\"applied\":\"fleet\",\"nodes\":2,\"acked\":2,\"missing\":[]}");
        assertThat(get(two, "/v1/fleet").body())
                .contains("\"local\":0,\"doorbell\":")
                .doesNotContain("\"doorbell\":0");

        var ban = post(one, "/v1/bans", "{\"path\":\"^/sport/\",\"ack\":\"fleet\"}");
        assertThat(ban.statusCode()).isEqualTo(200);
        assertThat(get(two, "/v1/bans").body()).contains("^/sport/");
        assertThat(purge(one, "log").body()).endsWith(",\"applied\":\"log\"}");
        assertThat(purge(one, "local").body()).endsWith(",\"applied\":\"local\"}");
    }

    @Test
    void requestsOfApplicationsWaitForTheLog() throws Exception {
        var one = node("one");

        var purged =
                send(
                        HttpRequest.newBuilder(uri(one.http(), "/a"))
                                .method("PURGE", BodyPublishers.noBody()));
        redis.suspend();
        var late =
                send(
                        HttpRequest.newBuilder(uri(one.http(), "/a"))
                                .header("X-Url", "^/a")
                                .method("BAN", BodyPublishers.noBody()));
        redis.resume();

        assertThat(purged.statusCode()).isEqualTo(200);
        assertThat(purged.body())
                .matches("\\{\"purged\":0,\"position\":\"[0-9a-f]+/[0-9-]+\",\"applied\":\"log\"}");
        assertThat(late.statusCode()).isEqualTo(202);
        assertThat(late.body()).endsWith(",\"applied\":\"local\"}");
    }

    @Test
    void requestsOfApplicationsNameTheNodesThatHaveNotAnswered() throws Exception {
        ack = "fleet";
        var one = node("one");
        redis.cli("HSET", "q1:{log}:n", "two#02", registrationOf("one"));

        await(() -> send(ban(one)).body().contains("\"acked\":1"));
        var answer = send(ban(one));

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body())
                .contains("\"position\":\"")
                .endsWith("\"applied\":\"log\",\"nodes\":2,\"acked\":1,\"missing\":[\"two\"]}");
    }

    private static HttpRequest.Builder ban(Node node) {
        return HttpRequest.newBuilder(uri(node.http(), "/a"))
                .header("X-Url", "^/a")
                .method("BAN", BodyPublishers.noBody());
    }

    private String registrationOf(String name) {
        var all = redis.cli("HGETALL", "q1:{log}:n").lines().toList();
        int at = all.stream().map(line -> line.startsWith(name + "#")).toList().indexOf(true);
        return all.get(at + 1);
    }

    @Test
    void storeThatIsAwayDelaysAPurgeOnlyForAMoment() throws Exception {
        var one = node("one");
        redis.suspend();

        var answer = purge(one, "fleet");
        await(() -> get(one, "/v1/fleet").body().contains("\"state\":\"behind\""));
        var state = get(one, "/v1/fleet").body();
        redis.resume();

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body())
                .endsWith("\"applied\":\"local\",\"nodes\":0,\"acked\":0,\"missing\":[]}");
        assertThat(state).contains("\"waiting\":1", "\"log\":null,\"nodes\":[]");
        await(() -> get(one, "/v1/fleet").body().contains("\"waiting\":0"));
        // The epoch is new: other nodes have a lease to register.
        await(() -> purge(one, "fleet").statusCode() == 200);
    }

    @Test
    void storeAndFleetAreShown() throws Exception {
        var one = node("one");
        await(() -> get(one, "/v1/tiers").body().contains("\"shared\":{\"state\":\"on\""));

        assertThat(get(one, "/v1/tiers").body())
                .contains("\"servers\":\"127.0.0.1:" + redis.port() + "\"", "\"stored\":0");
        assertThat(get(one, "/v1/fleet").body())
                .startsWith("{\"name\":\"news\",\"node\":\"one\",")
                .contains("\"ack\":\"log\"", "\"nodes\":[{\"name\":\"one\",");
        assertThat(get(one, "/metrics").body())
                .contains("quire_fleet_nodes 1.0\n", "quire_tier_state{tier=\"shared\"} 0.0\n")
                .contains("quire_tier_writes_total{outcome=\"stored\",tier=\"shared\"} 0.0\n")
                .contains("quire_fleet_leases_total{outcome=\"taken\"} 0.0\n");
    }

    @Test
    void nodeWithAnotherConfigurationIsNamed() throws Exception {
        var one = node("one");
        node("two");
        start("three", "16MiB", 1, "rules: { request: [ { name: a, deny: 403 } ] }\n");
        await(() -> get(one, "/v1/fleet").body().contains("\"name\":\"three\""));

        var nodes = JsonMapper.shared().readTree(get(one, "/v1/fleet").body()).get("nodes");
        var configurations = new HashMap<String, String>();
        nodes.forEach(node ->
                configurations.put(
                        node.get("name").asString(), node.get("configuration").asString()));

        assertThat(configurations.get("two")).isEqualTo(configurations.get("one"));
        assertThat(configurations.get("three"))
                .matches("[0-9a-f]{16}")
                .isNotEqualTo(configurations.get("one"));
    }

    @Test
    void originsOfNodesAreNamed() throws Exception {
        var one = node("one");
        start("two", "16MiB", 2, "");
        await(() -> get(one, "/v1/fleet").body().contains("\"name\":\"two\""));

        var nodes = JsonMapper.shared().readTree(get(one, "/v1/fleet").body()).get("nodes");
        var told = new HashMap<String, List<String>>();
        nodes.forEach(node ->
                told.put(
                        node.get("name").asString(),
                        List.of(
                                node.get("configuration").asString(),
                                node.get("origins").asString())));

        var own = told.getOrDefault("one", List.of());
        assertThat(own).endsWith("a=http://127.0.0.1:1");
        // The URLs of an origin decide nothing about what is stored.
        assertThat(told.get("two")).containsExactly(own.getFirst(), "a=http://127.0.0.1:2");
    }

    /** The origin answers the edition that a rule of the node asks for. */
    @Test
    void nodesThatAskForOtherResponsesDoNotShareThem() throws Exception {
        var asked = new AtomicInteger();
        var origin =
                origin(exchange -> {
                    asked.incrementAndGet();
                    return exchange.getRequestHeaders().getFirst("X-Edition");
                });
        try {
            int port = origin.getAddress().getPort();
            var rule = "rules: { request: [ { name: edition, set: { X-Edition: %s } } ] }\n";
            var german = start("one", "0", port, rule.formatted("de"));
            var french = start("two", "0", port, rule.formatted("fr"));
            var another = start("three", "0", port, rule.formatted("de"));
            for (var node : nodes) {
                await(() -> get(node, "/v1/fleet").body().contains("\"state\":\"current\""));
            }

            assertThat(page(german)).isEqualTo("de");
            await(() -> get(german, "/v1/tiers").body().contains("\"stored\":1"));
            assertThat(page(french)).isEqualTo("fr");
            await(() -> get(french, "/v1/tiers").body().contains("\"stored\":1"));
            assertThat(page(another)).isEqualTo("de");
            assertThat(page(french)).isEqualTo("fr");
            assertThat(asked).hasValue(2);
        } finally {
            origin.stop(0);
        }
    }

    /** Returns the text of a response. */
    private interface Text {
        String of(HttpExchange exchange);
    }

    /** Starts an origin whose responses are stored. */
    private static HttpServer origin(Text text) throws IOException {
        var origin =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.createContext(
                "/",
                exchange -> {
                    var body = text.of(exchange);
                    exchange.getResponseHeaders().add("Cache-Control", "max-age=600");
                    exchange.getResponseHeaders().add("Content-Type", "text/html");
                    exchange.getResponseHeaders().add("Surrogate-Control", "content=\"ESI/1.0\"");
                    exchange.sendResponseHeaders(200, body.length());
                    exchange.getResponseBody().write(body.getBytes(US_ASCII));
                    exchange.close();
                });
        origin.start();
        return origin;
    }

    @Test
    void responsesOfProxiesWithoutMemoryAreInTheStore() throws Exception {
        var asked = new AtomicInteger();
        var origin =
                origin(exchange -> {
                    asked.incrementAndGet();
                    return exchange.getRequestURI().getPath().equals("/part")
                            ? "part"
                            : "page with <esi:include src='/part'/>";
                });
        try {
            var one = start("one", "0", origin.getAddress().getPort(), "");
            var two = start("two", "0", origin.getAddress().getPort(), "");
            await(() -> get(one, "/v1/fleet").body().contains("\"state\":\"current\""));
            await(() -> get(two, "/v1/fleet").body().contains("\"state\":\"current\""));

            assertThat(page(one)).isEqualTo("page with part");
            await(() -> get(one, "/v1/tiers").body().contains("\"stored\":2"));
            assertThat(get(one, "/metrics").body())
                    .contains("quire_fleet_leases_total{outcome=\"granted\"} 2.0\n");
            assertThat(page(two)).isEqualTo("page with part");
            assertThat(page(one)).isEqualTo("page with part");
            assertThat(asked).hasValue(2);
        } finally {
            origin.stop(0);
        }
    }

    private String page(Node node) throws Exception {
        var text = new StringBuilder();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), node.http())) {
            socket.setSoTimeout((int) LONGEST.toMillis());
            socket.getOutputStream()
                    .write(
                            "GET / HTTP/1.1\r\nHost: news.example\r\nConnection: close\r\n\r\n"
                                    .getBytes(US_ASCII));
            text.append(new String(socket.getInputStream().readAllBytes(), US_ASCII));
        }
        return text.substring(text.indexOf("\r\n\r\n") + 4);
    }
}
