package dev.quire.spring.internal.invalidate;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The admin endpoint of a surrogate: responds as the test specifies and records requests. */
public final class Endpoint implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;

    /** One request. */
    public record Seen(String method, String target, Map<String, String> fields, String body) {}

    private record Reply(int status, String body) {}

    private final HttpServer server;
    private final LinkedBlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    private final Queue<Reply> replies = new ConcurrentLinkedQueue<>();
    private volatile CountDownLatch open = new CountDownLatch(0);

    private Endpoint(HttpServer server) {
        this.server = server;
    }

    /** Starts an endpoint that answers 200 to everything. */
    public static Endpoint start() {
        return start(0);
    }

    /** Starts an endpoint at a given port. */
    static Endpoint start(int port) {
        try {
            var server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            var endpoint = new Endpoint(server);
            server.createContext("/", endpoint::answer);
            server.setExecutor(task -> Thread.ofVirtual().start(task));
            server.start();
            return endpoint;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Answers the next requests with these statuses, then with 200 again. */
    public void answerNext(int... next) {
        for (int status : next) {
            answerNext(status, "");
        }
    }

    /** Answers the next request after those with this status and body. */
    void answerNext(int status, String body) {
        replies.add(new Reply(status, body));
    }

    /** Accepts requests without a response until {@link #release}. */
    void hold() {
        open = new CountDownLatch(1);
    }

    void release() {
        open.countDown();
    }

    /** Waits for the next request. */
    public Seen next() {
        try {
            var next = seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("expected a request, found none within 30 seconds");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns all requests not returned by {@link #next}. */
    public List<Seen> rest() {
        var rest = new ArrayList<Seen>();
        seen.drainTo(rest);
        return rest;
    }

    @Override
    public void close() {
        release();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var fields = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            exchange.getRequestHeaders()
                    .forEach((name, values) -> fields.put(name, String.join(", ", values)));
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            seen.add(
                    new Seen(
                            exchange.getRequestMethod(),
                            exchange.getRequestURI().toString(),
                            fields,
                            body));
            open.await();
            var reply = Objects.requireNonNullElse(replies.poll(), new Reply(200, ""));
            var text = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), text.length == 0 ? -1 : text.length);
            exchange.getResponseBody().write(text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
