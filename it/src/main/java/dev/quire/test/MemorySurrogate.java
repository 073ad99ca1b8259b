package dev.quire.test;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SignedVariant;
import dev.quire.test.memory.Asked;
import dev.quire.test.memory.Bytes;
import dev.quire.test.memory.PageServer;
import dev.quire.test.memory.Rules;
import dev.quire.test.memory.Served;
import dev.quire.test.memory.Times;
import dev.quire.test.memory.Upstream;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Assembles in memory, by the core's own parser, rules and assembler, as the proxy does with its
 * default configuration: stores and validates, coalesces, refreshes what is stale, keeps purges,
 * asks for the fragments of a page side by side. It has no connections, and so none of what only
 * they show: ranges are answered with the whole page, nothing is compressed, overload and draining
 * do not exist, and no request is repeated. A request for which the application has no answer ends
 * within the time a page may take, 30 s.
 */
final class MemorySurrogate implements Surrogate {
    private final Application application;
    private final PageServer server;

    MemorySurrogate(Application application, HandSetClock clock) {
        this(application, clock, Rules.STANDARD);
    }

    MemorySurrogate(Application application, HandSetClock clock, Rules rules) {
        this.application = application;
        this.server =
                new PageServer(
                        this::answer,
                        rules,
                        application
                                .variants()
                                .map(variants ->
                                        new SignedVariant.Key(
                                                variants.cookie(), variants.secret())),
                        new Times(clock::now, clock::wall, clock::originWall, clock::steadyWall));
    }

    @Override
    public Assembled ask(Request request) {
        var host = request.field("Host");
        var head =
                new RequestHead(
                        request.method(),
                        Scheme.HTTP,
                        host == null ? application.authority() : host,
                        request.target(),
                        request.fields());
        var served = server.serve(head, new Bytes(request.body().bytes()));
        if (served.isCut()) {
            throw new AssertionError(
                    "expected a whole response to %s, found one that breaks off behind %d bytes, as the application's did"
                            .formatted(request, served.body().length()));
        }
        return new Assembled(response(served), Optional.of(parts(served.parts(), head)));
    }

    @Override
    public void purgeTags(String... tags) {
        server.purgeTags(Set.of(tags));
    }

    /** Of a target of the application, or of a whole URL. */
    private CacheKey keyOf(String target) {
        if (target.startsWith("/")) {
            return new CacheKey(Scheme.HTTP, application.authority(), target);
        }
        var url = URI.create(target);
        var query = url.getRawQuery();
        return new CacheKey(
                "https".equals(url.getScheme()) ? Scheme.HTTPS : Scheme.HTTP,
                url.getRawAuthority(),
                url.getRawPath() + (query == null ? "" : "?" + query));
    }

    @Override
    public void purge(String... targets) {
        server.purge(Arrays.stream(targets).map(this::keyOf).collect(Collectors.toSet()));
    }

    @Override
    public String name() {
        return "the assembler in memory";
    }

    @Override
    public boolean hasCache() {
        return true;
    }

    @Override
    public void close() {}

    private Upstream.Answer answer(RequestHead head, Bytes body) {
        var request =
                new Request(head.method(), head.target(), head.fields(), Content.of(body.copy()));
        return switch (application.answer(request)) {
            case Reply.Whole(var response) ->
                    new Upstream.Answer.Whole(headOf(response), new Bytes(response.body().bytes()));
            case Reply.Cut(var response, var bytes) -> {
                var whole = response.body().bytes();
                yield new Upstream.Answer.Cut(
                        headOf(response),
                        new Bytes(Arrays.copyOf(whole, Math.min(bytes, whole.length))));
            }
            case Reply.None(var why) -> new Upstream.Answer.None(why);
        };
    }

    private static ResponseHead headOf(Response response) {
        return new ResponseHead(response.status(), "", response.fields());
    }

    private static Response response(Served served) {
        return new Response(
                "HTTP/1.1",
                served.head().status(),
                served.head().fields(),
                Content.of(served.body().copy()),
                List.of(),
                true);
    }

    private static List<Part> parts(List<Asked> asked, RequestHead page) {
        var own = CacheKey.of(page);
        return asked.stream().map(part -> part(part, own)).toList();
    }

    private static Part part(Asked asked, CacheKey page) {
        var body = asked.body();
        return new Part(
                name(asked.key(), page),
                asked.parent() == null ? null : name(asked.parent(), page),
                asked.depth(),
                switch (asked.way()) {
                    case HIT -> Part.Outcome.HIT;
                    case STALE -> Part.Outcome.STALE;
                    case REVALIDATED -> Part.Outcome.REVALIDATED;
                    case MISS -> Part.Outcome.MISS;
                    case PASS -> Part.Outcome.PASS;
                    case FAILED -> Part.Outcome.FAILED;
                },
                asked.status(),
                asked.error(),
                asked.from(),
                asked.to(),
                asked.fields(),
                body == null ? null : Content.of(body.copy()),
                asked.freshness());
    }

    /** Path and query, or the whole URL of what another authority has. */
    private static String name(@Nullable CacheKey key, CacheKey page) {
        if (key == null) {
            return "?";
        }
        return key.isOfSameAuthority(page) ? key.target() : key.url();
    }
}
