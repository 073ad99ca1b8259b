package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * An origin whose streams of events end when the test says so, however long that takes. Serves them
 * one after the other. Thread-safe.
 */
final class EventOrigin implements Closeable {
    private final String first;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final HttpServer server;

    private record Event(String text, boolean isLast) {}

    /**
     * @param first of each stream
     */
    EventOrigin(String first) {
        this.first = first;
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::stream);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private void stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().add("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        try (var body = exchange.getResponseBody()) {
            body.write(first.getBytes(UTF_8));
            body.flush();
            for (var event = events.take(); ; event = events.take()) {
                body.write(event.text().getBytes(UTF_8));
                body.flush();
                if (event.isLast()) {
                    return;
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends {@code text} at once. */
    void send(String text) {
        events.add(new Event(text, false));
    }

    /** Ends the stream with {@code text}. */
    void release(String text) {
        events.add(new Event(text, true));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
