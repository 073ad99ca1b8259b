package dev.quire.test.sites;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.test.wire.Response;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JDK's client for what does not need single bytes, and checks of responses. */
final class Client {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Client() {}

    /** A response whose body is read as it arrives; the caller closes it. */
    static HttpResponse<InputStream> get(InetSocketAddress at, String target, String... fields)
            throws IOException, InterruptedException {
        var request = request(at, target, LIMIT);
        if (fields.length > 0) {
            request.headers(fields);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofInputStream());
    }

    static String text(InetSocketAddress at, String target, Duration limit) throws IOException {
        try {
            return CLIENT.send(request(at, target, limit).build(), BodyHandlers.ofString()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    static HttpResponse<String> post(
            InetSocketAddress at, String target, BodyPublisher body, String... fields)
            throws IOException, InterruptedException {
        var request = request(at, target, LIMIT).POST(body);
        if (fields.length > 0) {
            request.headers(fields);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(
            InetSocketAddress at, String target, Duration limit) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at.getPort() + target))
                .timeout(limit);
    }

    /** Sends {@code request} and returns all bytes until the connection closes. */
    static String untilClose(InetSocketAddress at, String request) throws IOException {
        try (var socket = new Socket(at.getAddress(), at.getPort())) {
            socket.setSoTimeout((int) LIMIT.toMillis());
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    /** Sends {@code message} over a WebSocket and returns the first message that comes back. */
    static String exchange(InetSocketAddress at, String path, String message) throws Exception {
        var answer = new CompletableFuture<String>();
        var listener =
                new WebSocket.Listener() {
                    private final StringBuilder text = new StringBuilder();

                    @Override
                    public @Nullable CompletionStage<?> onText(
                            WebSocket socket, CharSequence data, boolean last) {
                        text.append(data);
                        if (last) {
                            answer.complete(text.toString());
                        }
                        socket.request(1);
                        return null;
                    }

                    @Override
                    public void onError(WebSocket socket, Throwable error) {
                        answer.completeExceptionally(error);
                    }
                };
        var socket = open(at, path, listener);
        try {
            socket.sendText(message, true).get(10, TimeUnit.SECONDS);
            return answer.get(10, TimeUnit.SECONDS);
        } finally {
            socket.abort();
        }
    }

    private static WebSocket open(InetSocketAddress at, String path, WebSocket.Listener listener)
            throws Exception {
        var url = URI.create("ws://127.0.0.1:" + at.getPort() + path);
        try {
            return CLIENT.newWebSocketBuilder().buildAsync(url, listener).get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                int status = refused.getResponse().statusCode();
                throw new AssertionError("expected a WebSocket, found status " + status, e);
            }
            throw e;
        }
    }

    /** Checks {@code status}; a failure shows the start of the body. */
    static Response expect(int status, Response response) {
        var text = response.text();
        expect(
                response.status() == status,
                "status " + status,
                response.status() + " " + text.substring(0, Math.min(60, text.length())).strip());
        return response;
    }

    static void expect(Object expected, @Nullable Object found) {
        expect(expected.equals(found), expected, found);
    }

    static void expect(boolean holds, Object expected, @Nullable Object found) {
        if (!holds) {
            throw new AssertionError("expected %s, found %s".formatted(expected, found));
        }
    }
}
