package dev.quire.news;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A reader at a screen: keeps cookies, follows no redirect by itself. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern CSRF = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

    private URI site;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .cookieHandler(new CookieManager())
                    .followRedirects(Redirect.NEVER)
                    .build();

    public Browser(int port) {
        site = URI.create("http://127.0.0.1:" + port);
    }

    /** Goes on at another port, with the cookies of this one: ports do not part them. */
    public void moveTo(int port) {
        site = URI.create("http://127.0.0.1:" + port);
    }

    /** Asks as a client without a surrogate does. */
    public HttpResponse<String> get(String path) {
        return send(request(path));
    }

    /** Asks as a surrogate does. */
    public HttpResponse<String> getAsSurrogate(String path) {
        return send(
                request(path).header("Surrogate-Capability", "quire=\"Surrogate/1.0 ESI/1.0\""));
    }

    /** Sends a form that has no token. */
    public HttpResponse<String> post(String path, Map<String, String> fields) {
        var form =
                fields.entrySet().stream()
                        .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                        .collect(Collectors.joining("&"));
        return send(
                request(path)
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(form)));
    }

    /** Sends a form with the token that the page {@code from} gives. */
    public HttpResponse<String> post(String from, String path, Map<String, String> fields) {
        var token = CSRF.matcher(get(from).body());
        if (!token.find()) {
            throw new IllegalStateException("expected a form with a CSRF token on " + from);
        }
        var all = new HashMap<>(fields);
        all.put("_csrf", token.group(1));
        return post(path, all);
    }

    public HttpResponse<String> logIn(String name, String password) {
        return post("/login", "/login", Map.of("username", name, "password", password));
    }

    @Override
    public void close() {
        client.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(site.resolve(path))
                .timeout(PATIENCE)
                .header("Accept", "text/html,*/*;q=0.8");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the site", e);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
