package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateAnswer.Denied;
import dev.quire.spring.invalidate.SurrogateAnswer.Done;
import dev.quire.spring.invalidate.SurrogateAnswer.Failed;
import dev.quire.spring.invalidate.SurrogateAnswer.Refused;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to surrogates and interprets the responses. Redirects are not followed, so that a
 * token is not sent elsewhere. Thread-safe.
 */
final class AdminRequests implements AutoCloseable {

    private static final int MOST_CHARS = 200;

    private final HttpClient client;
    private final Duration timeout;

    /** Receives an answer of success. */
    @FunctionalInterface
    interface Success {
        void accept(int status, String body);
    }

    /**
     * Opens a client.
     *
     * @param timeout of a request, from connecting to the last byte of its response
     */
    AdminRequests(Duration timeout) {
        this.timeout = timeout;
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(timeout)
                        .executor(task -> Thread.ofVirtual().start(task))
                        .build();
    }

    SurrogateAnswer send(HttpRequest request) throws InterruptedException {
        return send(request, (status, body) -> {});
    }

    /**
     * @param success receives the status, if it is 2xx, and the body
     */
    SurrogateAnswer send(HttpRequest request, Success success) throws InterruptedException {
        var answer = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return read(answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS), success);
        } catch (TimeoutException late) {
            return new Failed("no answer within " + timeout.toMillis() + " ms");
        } catch (ExecutionException failed) {
            return new Failed(why(failed.getCause()));
        } finally {
            answer.cancel(true);
        }
    }

    /** Returns the address of {@code path}, which begins with a slash, below {@code base}. */
    static URI below(URI base, String path) {
        var text = base.toString();
        return URI.create(
                (text.endsWith("/") ? text.substring(0, text.length() - 1) : text) + path);
    }

    /**
     * Returns texts joined by {@code separator}, split into fields of at most {@code mostChars}
     * characters if possible.
     */
    static List<String> joined(Collection<String> texts, String separator, int mostChars) {
        var fields = new ArrayList<String>();
        var field = new StringBuilder();
        for (var text : texts) {
            if (!field.isEmpty()
                    && field.length() + separator.length() + text.length() > mostChars) {
                fields.add(field.toString());
                field.setLength(0);
            }
            field.append(field.isEmpty() ? "" : separator).append(text);
        }
        if (!field.isEmpty()) {
            fields.add(field.toString());
        }
        return fields;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    private static SurrogateAnswer read(HttpResponse<byte[]> response, Success success) {
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            success.accept(status, new String(response.body(), StandardCharsets.UTF_8));
            return new Done();
        }
        var why = "status %d %s".formatted(status, text(response.body())).strip();
        // temporary conditions: overload, a restart, a timeout on the way
        return switch (status) {
            case 408, 425, 429 -> new Failed(why);
            // of this client or this address
            case 401, 403, 404, 405, 407 -> new Denied(why);
            default -> {
                if (status >= 500) {
                    yield new Failed(why);
                }
                yield status >= 400 ? new Refused(why) : new Denied(why);
            }
        };
    }

    private static String why(@Nullable Throwable cause) {
        if (cause == null) {
            return "no answer";
        }
        var message = cause.getMessage();
        return message == null || !(cause instanceof IOException)
                ? cause.getClass().getSimpleName()
                : "%s: %s".formatted(cause.getClass().getSimpleName(), message);
    }

    private static String text(byte[] body) {
        return text(new String(body, 0, Math.min(body.length, MOST_CHARS), StandardCharsets.UTF_8));
    }

    /** Returns the start of a text of a response on one line. */
    static String text(String received) {
        var text = new StringBuilder();
        received.substring(0, Math.min(received.length(), MOST_CHARS))
                .chars()
                .forEach(c -> text.append(Character.isISOControl(c) ? ' ' : (char) c));
        return text.toString();
    }
}
