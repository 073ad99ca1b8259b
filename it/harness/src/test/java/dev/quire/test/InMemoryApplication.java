package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A scripted application, called without a socket. Thread-safe. */
final class InMemoryApplication implements Application {
    static final String AUTHORITY = "news.test";

    private final Map<String, Function<Request, Reply>> scripts = new HashMap<>();
    private final List<Request> requests = new ArrayList<>();

    @Override
    public String authority() {
        return AUTHORITY;
    }

    @Override
    public Reply answer(Request request) {
        Function<Request, Reply> script;
        synchronized (this) {
            requests.add(request);
            script =
                    scripts.getOrDefault(
                            request.target(),
                            unknown -> reply(404, "nothing there", "Cache-Control", "no-store"));
        }
        return script.apply(request);
    }

    /** Answers {@code target} with these replies in turn, then with the last one repeatedly. */
    InMemoryApplication on(String target, Reply... replies) {
        var left = new ArrayList<>(List.of(replies));
        return on(
                target,
                request -> {
                    synchronized (left) {
                        return left.size() > 1 ? left.removeFirst() : left.getFirst();
                    }
                });
    }

    synchronized InMemoryApplication on(String target, Function<Request, Reply> script) {
        scripts.put(target, script);
        return this;
    }

    /** The requested targets, in order. */
    synchronized List<String> targets() {
        return requests.stream().map(Request::target).toList();
    }

    /** The requests for {@code target}. */
    synchronized List<Request> requests(String target) {
        return requests.stream().filter(request -> request.target().equals(target)).toList();
    }

    static Reply reply(int status, String body, String... fields) {
        return new Reply.Whole(response(status, body, fields));
    }

    static Response response(int status, String body, String... fields) {
        return new Response(
                "HTTP/1.1",
                status,
                new Fields.Builder()
                        .add("Content-Type", "text/html;charset=utf-8")
                        .addAll(Fields.of(fields))
                        .build(),
                Content.of(body.getBytes(UTF_8)),
                List.of(),
                true);
    }

    /** A page with ESI tags, fresh for a minute, without grace. */
    static Reply page(String document) {
        return reply(200, document, "Surrogate-Control", "max-age=60+0, content=\"ESI/1.0\"");
    }

    /** A public fragment with this caching field. */
    static Reply fragment(String control, String text, String... fields) {
        var all = new ArrayList<>(List.of("Surrogate-Control", control));
        all.addAll(List.of(fields));
        return reply(200, text, all.toArray(String[]::new));
    }

    /** A private fragment. */
    static Reply privately(String text) {
        return reply(200, text, "Cache-Control", "private, no-store");
    }

    static String include(String src) {
        return "<esi:include src=\"" + src + "\"/>";
    }
}
