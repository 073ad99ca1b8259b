package dev.quire.test;

import static dev.quire.test.InMemoryApplication.reply;

import dev.quire.test.wire.Request;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The site for the messages in docs/testing.md: that of {@link SmallNews}, and a few defective
 * pages. Thread-safe.
 */
final class GuideNews implements Application {
    private final Application news = new SmallNews();

    @Override
    public String authority() {
        return news.authority();
    }

    @Override
    public Reply answer(Request request) {
        if (request.method().equals("POST")) {
            return reply(405, "", "Cache-Control", "no-store");
        }
        return switch (request.path()) {
            case "/results" ->
                    reply(200, "<h1>Results</h1><p>CDU 42 %</p>", "Cache-Control", "max-age=60");
            case "/about" -> reply(200, "<p>About <esi:vars>$(HTTP_HOST)</esi:vars></p>");
            case "/desk" ->
                    reply(
                            200,
                            "<h1>Desk</h1><esi:include src=\"/greeting\"/><esi:include src=\"/banner\"/>",
                            "Surrogate-Control",
                            "max-age=60, content=\"ESI/1.0\"");
            case "/greeting" ->
                    reply(
                            200,
                            "<p>Hello <b>" + reader(request) + "</b></p>",
                            "Surrogate-Control",
                            "max-age=30");
            case "/banner" ->
                    reply(
                            200,
                            "<html><body>Live tonight</body></html>",
                            "Surrogate-Control",
                            "max-age=30",
                            "Set-Cookie",
                            "seen=1");
            case "/me" ->
                    reply(200, "<b>Hello " + reader(request) + "</b>", "Cache-Control", "private");
            default -> news.answer(request);
        };
    }

    private static String reader(Request request) {
        return Objects.requireNonNullElse(request.field("X-Reader"), "reader");
    }

    @Override
    public Optional<List<FragmentHandler>> fragments() {
        return Optional.of(
                List.of(handler("/live", "live"), handler("/map", "map"), tools("/tools")));
    }

    private static FragmentHandler handler(String path, String name) {
        return handler(path, name, Optional.of(path), List.of());
    }

    private static FragmentHandler tools(String path) {
        return handler(path, "tools", Optional.empty(), List.of("oid"));
    }

    private static FragmentHandler handler(
            String path, String name, Optional<String> example, List<String> missing) {
        return new FragmentHandler(
                name,
                "ElectionFragments#" + name,
                List.of(path),
                false,
                true,
                Optional.of(Duration.ofSeconds(30)),
                List.of("election"),
                List.of(),
                example,
                missing);
    }
}
