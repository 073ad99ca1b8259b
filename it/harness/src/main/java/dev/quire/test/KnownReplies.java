package dev.quire.test;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.Watch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The recent replies of an application, used to find the bodies of a page's parts, which the
 * assembler does not report. Thread-safe.
 */
final class KnownReplies {
    private static final int MOST = 32;

    private final String authority;
    private final Watch watch = new Watch();
    private final Map<String, Deque<Known>> replies = new HashMap<>();

    private int added;

    /** The {@code number}-th reply. */
    private record Known(int number, Request request, Response response, boolean isWhole) {}

    /**
     * @param authority of the application, as clients know it
     */
    KnownReplies(String authority) {
        this.authority = keyOf(authority, "/").authority();
    }

    static CacheKey keyOf(String authority, String target) {
        return new CacheKey(Scheme.HTTP, authority, target);
    }

    void add(Request request, Reply reply) {
        switch (reply) {
            case Reply.Whole(var response) -> add(request, response, true);
            case Reply.Cut(var response, var bytes) -> add(request, response, false);
            case Reply.None(var why) -> {}
        }
    }

    private void add(Request request, Response response, boolean isWhole) {
        watch.change(() -> {
            var known = new Known(++added, request, response, isWhole);
            var all = replies.computeIfAbsent(request.target(), target -> new ArrayDeque<>());
            all.addFirst(known);
            if (all.size() > MOST) {
                all.removeLast();
            }
        });
    }

    int count() {
        return watch.read(() -> added);
    }

    /**
     * The parts of {@code page}, the assembly for the request {@code asked}.
     *
     * @param before the number of replies before the request: a stale part is one of them, not a
     *     later refresh
     */
    List<Part> parts(Assembly page, Request asked, int before) {
        long begun = page.parts().getFirst().beganNanos();
        return page.parts().stream().map(part -> part(part, begun, asked, before)).toList();
    }

    private Part part(Assembly.Part part, long begun, Request asked, int before) {
        var target = target(part.key());
        var known = part.key() == null ? null : lastOf(target, part, asked, before);
        var failure = part.failure();
        return new Part(
                target,
                part.parent() == null ? null : target(part.parent()),
                part.depth(),
                part.way(),
                part.status(),
                failure == null ? null : failure.toString(),
                Duration.ofNanos(part.beganNanos() - begun),
                Duration.ofNanos(part.endedNanos() - begun),
                part.fields().equals(Fields.EMPTY) && known != null
                        ? known.response().fields()
                        : part.fields(),
                known == null || !known.isWhole() ? null : plain(known.response()),
                part.freshness());
    }

    /** The target as an application's page names it. */
    private String target(@Nullable CacheKey key) {
        if (key == null) {
            return "?";
        }
        // Readers may use either scheme.
        return key.authority().equals(authority) ? key.target() : key.url();
    }

    private @Nullable Known lastOf(String target, Assembly.Part part, Request asked, int before) {
        int last = part.way() == Assembly.CacheOutcome.STALE ? before : Integer.MAX_VALUE;
        return watch.read(() ->
                replies.getOrDefault(target, new ArrayDeque<>()).stream()
                        .filter(known -> known.number() <= last)
                        .filter(known -> known.response().status() == part.status())
                        .filter(known -> isSameVariant(known, asked))
                        .findFirst()
                        .orElse(null));
    }

    private boolean isSameVariant(Known known, Request asked) {
        // codings select nothing, and the proxy sends the reader's variant itself
        var sent = SentRequest.of(head(known.request()));
        return SelectingFields.of(known.response().fields(), sent)
                .without("accept-encoding")
                .without("esi-variant")
                .matches(asked.fields());
    }

    private RequestHead head(Request request) {
        return new RequestHead("GET", Scheme.HTTP, authority, request.target(), request.fields());
    }

    /** The content without its content coding; null if it cannot be decoded. */
    private static @Nullable Content plain(Response response) {
        var coding = response.field("Content-Encoding");
        if (coding == null) {
            return response.body();
        }
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(response.body().bytes()))) {
            return Content.of(plain.readAllBytes());
        } catch (IOException other) {
            return null;
        }
    }
}
