package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** A minimal application without a socket. */
final class SmallApplication implements Application {
    static final String PUBLIC = "max-age=30";

    private final Map<String, Function<Request, Response>> paths = new HashMap<>();
    private final List<FragmentHandler> handlers = new ArrayList<>();
    private Set<String> read = Set.of();

    @Override
    public String authority() {
        return "paper.example";
    }

    @Override
    public Reply answer(Request request) {
        return new Reply.Whole(
                paths.getOrDefault(
                                request.path(),
                                unknown -> response(404, "no page", "Cache-Control", "no-store"))
                        .apply(request));
    }

    @Override
    public Set<String> takeFieldsRead() {
        return read;
    }

    @Override
    public Optional<List<FragmentHandler>> fragments() {
        return handlers.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(handlers));
    }

    /** Answers requests for {@code path}. */
    SmallApplication on(String path, Function<Request, Response> answer) {
        paths.put(path, answer);
        return this;
    }

    /** A public fragment. */
    SmallApplication fragment(String path, Function<Request, String> html) {
        return on(path, request -> kept(html.apply(request)));
    }

    /** Sets the fields that it claims to read. */
    SmallApplication reads(String... fields) {
        read = Set.of(fields);
        return this;
    }

    /** Sets the declared handlers. */
    SmallApplication declares(FragmentHandler... those) {
        handlers.addAll(List.of(those));
        return this;
    }

    EsiSite site() {
        return EsiSite.over(this).assembledBy(Assembling.APPLICATION);
    }

    /** A public handler named {@code path}. */
    static FragmentHandler handler(String path, String... variants) {
        return new FragmentHandler(
                "Paper#" + path.substring(1),
                "paper.Paper#" + path.substring(1),
                List.of(path),
                false,
                true,
                Optional.of(Duration.ofSeconds(30)),
                List.of(),
                List.of(variants),
                Optional.of(path),
                List.of());
    }

    /** A public response, fresh for half a minute. */
    static Response kept(String html, String... more) {
        var fields = new ArrayList<>(List.of("Surrogate-Control", PUBLIC));
        fields.addAll(List.of(more));
        return response(200, html, fields.toArray(String[]::new));
    }

    static Response response(int status, String html, String... namesAndValues) {
        var fields = Fields.of(namesAndValues);
        return new Response(
                "HTTP/1.1",
                status,
                fields.contains("Content-Type")
                        ? fields
                        : new Fields.Builder()
                                .add("Content-Type", "text/html;charset=UTF-8")
                                .addAll(fields)
                                .build(),
                Content.of(html.getBytes(UTF_8)),
                List.of(),
                true);
    }

    /** The reader's name, from the session cookie. */
    static String reader(Request request) {
        var cookie = String.valueOf(request.field("Cookie"));
        return cookie.contains("SESSION=") ? cookie.replaceAll(".*SESSION=([\\w-]+).*", "$1") : "";
    }
}
