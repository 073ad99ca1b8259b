package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.List;

/**
 * A minimal news site: a page with a public live box and a map, and a private greeting.
 * Thread-safe.
 */
final class SmallNews implements Application {
    static final String AUTHORITY = "news.example";

    private static final String HOME =
            """
            <!doctype html><html><body><h1>Election night</h1>
            <div id="live"><esi:include src="/live"/></div>
            <esi:try><esi:attempt><esi:include src="/map"/></esi:attempt>\
            <esi:except><p>no map tonight</p></esi:except></esi:try>
            <header><esi:include src="/me"/></header></body></html>
            """;

    private volatile String result = "42 %";

    /** Sets the text of the live box. */
    void counts(String newResult) {
        result = newResult;
    }

    @Override
    public String authority() {
        return AUTHORITY;
    }

    @Override
    public Reply answer(Request request) {
        return switch (request.path()) {
            case "/home" ->
                    html(
                            HOME,
                            "Surrogate-Control",
                            "max-age=120, content=\"ESI/1.0\"",
                            "Surrogate-Key",
                            "front");
            case "/live" ->
                    html(
                            "<p>CDU " + result + "</p>",
                            "Surrogate-Control",
                            "max-age=30, stale-while-revalidate=60, stale-if-error=600",
                            "Surrogate-Key",
                            "election region-11");
            case "/map" ->
                    html(
                            "<svg><path d=\"M0 0\"></path></svg>",
                            "Surrogate-Control",
                            "max-age=300+0",
                            "Surrogate-Key",
                            "election map");
            case "/me" ->
                    html(
                            "<b>Hello " + request.field("X-Reader") + "</b>",
                            "Cache-Control",
                            "private, no-cache");
            default -> reply(404, "<h1>Not here</h1>", "Content-Type", "text/html");
        };
    }

    private static Reply html(String body, String... fields) {
        var all = new Fields.Builder().add("Content-Type", "text/html;charset=utf-8");
        return reply(200, body, all.addAll(Fields.of(fields)).build());
    }

    private static Reply reply(int status, String body, String... fields) {
        return reply(status, body, Fields.of(fields));
    }

    private static Reply reply(int status, String body, Fields fields) {
        return new Reply.Whole(
                new Response(
                        "HTTP/1.1",
                        status,
                        fields,
                        Content.of(body.getBytes(UTF_8)),
                        List.of(),
                        true));
    }
}
