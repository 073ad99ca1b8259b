package dev.quire.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A client of the site. As a surrogate it announces ESI processing.
 *
 * @param fields names and values alternately
 */
record Visitor(int port, List<String> fields) {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static Visitor of(int port) {
        return new Visitor(port, List.of());
    }

    Visitor behindSurrogate() {
        return with("Surrogate-Capability", "quire=\"Surrogate/1.0 ESI/1.0\"");
    }

    Visitor as(String name, String password) {
        var pair = (name + ":" + password).getBytes(StandardCharsets.UTF_8);
        return with("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
    }

    Visitor with(String name, String value) {
        var all = new ArrayList<>(fields);
        all.add(name);
        all.add(value);
        return new Visitor(port, all);
    }

    HttpResponse<String> get(String target) {
        return send("GET", target);
    }

    HttpResponse<String> send(String method, String target) {
        return send(method, target, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    HttpResponse<byte[]> getBytes(String target) {
        return send("GET", target, HttpResponse.BodyHandlers.ofByteArray());
    }

    private <T> HttpResponse<T> send(
            String method, String target, HttpResponse.BodyHandler<T> handler) {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                        .timeout(Duration.ofSeconds(30))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < fields.size(); i += 2) {
            request.header(fields.get(i), fields.get(i + 1));
        }
        try {
            return CLIENT.send(request.build(), handler);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
