package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Faults in some of the application's responses on their way to the assembler of its pages.
 * Immutable: each method returns an instance with one more fault. A glob matches paths: {@code *}
 * matches anything but a slash, {@code **} anything; a glob with a question mark is matched against
 * path and query. If several faults match a path, the first one that is not used up applies.
 * Thread-safe.
 */
public final class Faults {
    /** A body that tries to break out of its place in the page, or to have ESI tags processed. */
    static final String POISON =
            "<esi:include src=\"/poisoned\"/><esi:vars>$(HTTP_HOST)</esi:vars></esi:try>"
                    + "<!-- \u0000</div></body></html><script>poisoned()</script><!--esi ";

    private static final Set<String> OF_BODIES =
            Set.of("content-length", "content-encoding", "etag", "last-modified", "accept-ranges");

    private static final Faults NONE = new Faults(List.of());

    private final List<Fault> faults;

    private Faults(List<Fault> faults) {
        this.faults = List.copyOf(faults);
    }

    public static Faults none() {
        return NONE;
    }

    /** Responses for {@code glob} are delayed, by the machine's clock. */
    public Faults slow(String glob, Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("negative delay: " + by);
        }
        return with(
                new Fault(
                        glob,
                        "slow by " + by.toMillis() + " ms",
                        (reply, waiting) -> {
                            waiting.await(by);
                            return reply;
                        }));
    }

    /** Responses for {@code glob} are replaced by an error page with {@code status}. */
    public Faults fail(String glob, int status) {
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException(
                    "not an error status: " + status + " (expected 400 to 599)");
        }
        return with(
                new Fault(
                        glob,
                        "fails with " + status,
                        (reply, waiting) ->
                                new Reply.Whole(
                                        page(
                                                status,
                                                "<html><body><h1>Error %d</h1></body></html>"
                                                        .formatted(status)))));
    }

    /** Requests for {@code glob} get no response: the connection closes. */
    public Faults drop(String glob) {
        return with(
                new Fault(
                        glob, "drops", (reply, waiting) -> new Reply.None("dropped by the test")));
    }

    /** Responses for {@code glob} are cut off after {@code bytes} bytes of their body. */
    public Faults truncate(String glob, int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("cannot break off after " + bytes + " bytes");
        }
        return with(
                new Fault(
                        glob,
                        "breaks off after " + bytes + " bytes",
                        (reply, waiting) ->
                                reply instanceof Reply.Whole(var response)
                                        ? new Reply.Cut(response, bytes)
                                        : reply));
    }

    /** Responses for {@code glob} keep their head and get {@code html} as their body. */
    public Faults body(String glob, String html) {
        return with(
                new Fault(glob, "has a replaced body", (reply, waiting) -> rewritten(reply, html)));
    }

    /**
     * Responses for {@code glob} keep their head, and get a body that tries to break out of its
     * place: ESI tags, an open comment, the end of the page, a script, a NUL.
     */
    public Faults poison(String glob) {
        return with(new Fault(glob, "is poisoned", (reply, waiting) -> rewritten(reply, POISON)));
    }

    /** The fault added last happens only once. */
    public Faults once() {
        if (faults.isEmpty()) {
            throw new IllegalStateException(
                    "once() without a fault (expected a fault before it: faults.fail(\"/live\", 503).once())");
        }
        var all = new ArrayList<>(faults);
        all.set(all.size() - 1, all.getLast().atMost(1));
        return new Faults(all);
    }

    /** The faults that have matched no request so far, described as in the test. */
    public List<String> unused() {
        return faults.stream().filter(fault -> fault.met.get() == 0).map(Fault::toString).toList();
    }

    /** Returns {@code reply} with its fault, or unchanged. */
    Reply applied(Request request, Reply reply, Waiting waiting) {
        for (var fault : faults) {
            if (fault.happensTo(request)) {
                return fault.effect.on(reply, waiting);
            }
        }
        return reply;
    }

    private Faults with(Fault fault) {
        var more = new ArrayList<>(faults);
        more.add(fault);
        return new Faults(more);
    }

    /** Whether a field called {@code name} describes the exact bytes of a body. */
    private static boolean isOfBody(String name) {
        var known = name.toLowerCase(Locale.ROOT);
        return OF_BODIES.contains(known) || known.endsWith("digest");
    }

    private static Reply rewritten(Reply reply, String body) {
        if (!(reply instanceof Reply.Whole(var response)) || response.status() == 304) {
            return reply;
        }
        return new Reply.Whole(
                response.with(
                        response.fields().without(Faults::isOfBody),
                        Content.of(body.getBytes(UTF_8))));
    }

    private static Response page(int status, String html) {
        return Response.of(
                status,
                Fields.of("Content-Type", "text/html;charset=utf-8"),
                Content.of(html.getBytes(UTF_8)));
    }

    @Override
    public String toString() {
        return faults.isEmpty() ? "no faults" : faults.toString();
    }

    /** Waits for a time, or until the test ends the delay. */
    @FunctionalInterface
    interface Waiting {
        void await(Duration longest);
    }

    @FunctionalInterface
    private interface Effect {
        Reply on(Reply reply, Waiting waiting);
    }

    private record Fault(
            String glob, String what, Effect effect, int most, Pattern pattern, AtomicInteger met) {
        Fault(String glob, String what, Effect effect) {
            this(glob, what, effect, Integer.MAX_VALUE, pattern(glob), new AtomicInteger());
        }

        Fault atMost(int times) {
            return new Fault(glob, what, effect, times, pattern, new AtomicInteger());
        }

        boolean happensTo(Request request) {
            var held = glob.indexOf('?') < 0 ? request.path() : request.target();
            return pattern.matcher(held).matches()
                    && met.getAndUpdate(count -> Math.min(count + 1, most)) < most;
        }

        @Override
        public String toString() {
            return glob + " " + what + (most == 1 ? " once" : "");
        }

        private static Pattern pattern(String glob) {
            if (!glob.startsWith("/") && !glob.startsWith("*")) {
                throw new IllegalArgumentException(
                        "'%s' is not a path pattern (expected for example '/fragment/*')"
                                .formatted(glob));
            }
            var regex = new StringBuilder();
            for (int i = 0; i < glob.length(); i++) {
                char c = glob.charAt(i);
                if (c != '*') {
                    regex.append(Pattern.quote(String.valueOf(c)));
                } else if (i + 1 < glob.length() && glob.charAt(i + 1) == '*') {
                    regex.append(".*");
                    i++;
                } else {
                    regex.append("[^/]*");
                }
            }
            return Pattern.compile(regex.toString());
        }
    }
}
