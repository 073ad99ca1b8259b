package dev.quire.bench.studies;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A reader who is logged in at the sample site, and keeps articles there. Not thread-safe. */
final class NewsReader implements AutoCloseable {
    /** The page of kept articles, which is private. */
    static final String SCRAPS = "/main/scrap/index.nhn";

    private static final String NAME = "reader1";
    private static final String PASSWORD = "paper-first";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The token differs from response to response, its length does not. */
    private static final Pattern TOKEN = Pattern.compile("(name=\"_csrf\" value=\")([^\"]+)(\")");

    private final CookieManager cookies = new CookieManager();
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .cookieHandler(cookies)
                    .followRedirects(HttpClient.Redirect.NORMAL)
                    .connectTimeout(PATIENCE)
                    .build();
    private final int port;

    private NewsReader(int port) {
        this.port = port;
    }

    /**
     * Logs in.
     *
     * @param port of the site
     */
    static NewsReader loggedIn(int port) throws CannotMeasure, IOException, InterruptedException {
        var reader = new NewsReader(port);
        reader.submit("/login", "/login", Map.of("username", NAME, "password", PASSWORD));
        return reader;
    }

    /** Keeps an article. */
    void keep(String article) throws CannotMeasure, IOException, InterruptedException {
        var query = article.substring(article.indexOf('?') + 1);
        var fields = new LinkedHashMap<String, String>();
        for (var argument : query.split("&", -1)) {
            var parts = argument.split("=", 2);
            fields.put(parts[0], parts[1]);
        }
        submit(SCRAPS + "?" + query, "/main/scrap/add.nhn", fields);
    }

    private void submit(String form, String target, Map<String, String> fields)
            throws CannotMeasure, IOException, InterruptedException {
        var token = TOKEN.matcher(text(port, form));
        if (!token.find()) {
            throw new CannotMeasure("expected a form with a token at " + form);
        }
        var all = new LinkedHashMap<>(fields);
        all.put("_csrf", token.group(2));
        var body =
                all.entrySet().stream()
                        .map(field ->
                                field.getKey() + "=" + URLEncoder.encode(field.getValue(), UTF_8))
                        .collect(Collectors.joining("&"));
        text(
                HttpRequest.newBuilder(uri(port, target))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /**
     * Returns the page of kept articles without its tokens.
     *
     * @param server the site or a proxy in front of it
     */
    String scraps(int server) throws CannotMeasure, IOException, InterruptedException {
        return TOKEN.matcher(text(server, SCRAPS)).replaceAll("$1$3");
    }

    /** Returns the size of the page of kept articles. */
    int scrapBytes() throws CannotMeasure, IOException, InterruptedException {
        return text(port, SCRAPS).getBytes(UTF_8).length;
    }

    /** Returns the value of the field Cookie. */
    String cookies() {
        return cookies.getCookieStore().getCookies().stream()
                .map(cookie -> cookie.getName() + "=" + cookie.getValue())
                .collect(Collectors.joining("; "));
    }

    private String text(int server, String target)
            throws CannotMeasure, IOException, InterruptedException {
        return text(HttpRequest.newBuilder(uri(server, target)));
    }

    private String text(HttpRequest.Builder request)
            throws CannotMeasure, IOException, InterruptedException {
        var response = client.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString(UTF_8));
        if (response.statusCode() != 200) {
            throw new CannotMeasure(
                    response.uri() + ": status " + response.statusCode() + ", expected 200");
        }
        return response.body();
    }

    private static URI uri(int server, String target) {
        return URI.create("http://127.0.0.1:" + server + target);
    }

    @Override
    public void close() {
        client.close();
    }
}
