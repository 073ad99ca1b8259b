package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Freshness;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A page put together by hand, with a trace like an assembler's. One thread. */
final class MadePage {
    static final Instant NOON = Instant.parse("2026-03-15T12:00:00Z");
    static final String AUTHORITY = "news.example";

    private final Request asked;
    private final List<Part> parts = new ArrayList<>();
    private final List<ApplicationRequest> requests = new ArrayList<>();
    private final Fields.Builder fields = new Fields.Builder();
    private User user = User.anonymous();
    private Faults faults = Faults.none();
    private String html = "";
    private int status = 200;
    private boolean isTold = true;

    private MadePage(String target) {
        asked = new Request("GET", target, Fields.of("Host", AUTHORITY), Content.of(new byte[0]));
    }

    static MadePage of(String target) {
        return new MadePage(target);
    }

    MadePage html(String text) {
        html = text;
        return this;
    }

    MadePage status(int code) {
        status = code;
        return this;
    }

    MadePage field(String name, String value) {
        fields.add(name, value);
        return this;
    }

    MadePage by(User reader) {
        user = reader;
        return this;
    }

    MadePage with(Faults others) {
        faults = others;
        return this;
    }

    MadePage part(MadePart part) {
        parts.add(part.made());
        return this;
    }

    /** As from an assembler that does not report parts. */
    MadePage untold() {
        isTold = false;
        return this;
    }

    /** A request that reached the application. */
    MadePage request(String target, int fromMillis, int toMillis, Reply reply, String... fields) {
        requests.add(
                new ApplicationRequest(
                        new Request("GET", target, Fields.of(fields), Content.of(new byte[0])),
                        Duration.ofMillis(fromMillis),
                        Duration.ofMillis(toMillis),
                        reply));
        return this;
    }

    MadePage request(String target, int fromMillis, int toMillis) {
        return request(target, fromMillis, toMillis, new Reply.Whole(response(200, "")));
    }

    Page made() {
        var response =
                new Response("HTTP/1.1", status, fields.build(), content(html), List.of(), true);
        return new Page(
                EsiSite.over(new Nowhere()),
                asked,
                response,
                new AssemblyTrace(
                        "the proxy",
                        user,
                        faults,
                        new OpenSite.PageStart(NOON, Duration.ZERO, 0),
                        asked,
                        isTold ? Optional.of(parts) : Optional.empty(),
                        requests));
    }

    static Response response(int status, String body, String... fields) {
        return new Response("HTTP/1.1", status, Fields.of(fields), content(body), List.of(), true);
    }

    private static Content content(String text) {
        return Content.of(text.getBytes(UTF_8));
    }

    /** One part of the page. */
    static final class MadePart {
        private final String target;
        private @Nullable String parent = "/home";
        private int depth = 1;
        private CacheOutcome outcome = CacheOutcome.MISS;
        private int status = 200;
        private @Nullable String error;
        private Duration from = Duration.ZERO;
        private Duration to = Duration.ofMillis(10);
        private Fields fields = Fields.EMPTY;
        private @Nullable Content body;
        private Optional<Freshness> freshness = Optional.empty();

        private MadePart(String target) {
            this.target = target;
        }

        /** A fragment of {@code /home}. */
        static MadePart of(String target) {
            return new MadePart(target);
        }

        /** The page itself. */
        static MadePart page(String target) {
            var page = new MadePart(target);
            page.parent = null;
            page.depth = 0;
            return page;
        }

        MadePart inside(String document, int level) {
            parent = document;
            depth = level;
            return this;
        }

        MadePart as(CacheOutcome how) {
            outcome = how;
            return this;
        }

        MadePart failed(int code, String why) {
            status = code;
            error = why;
            return as(CacheOutcome.FAILED);
        }

        MadePart during(int fromMillis, int toMillis) {
            from = Duration.ofMillis(fromMillis);
            to = Duration.ofMillis(toMillis);
            return this;
        }

        MadePart fields(String... namesAndValues) {
            fields = Fields.of(namesAndValues);
            return this;
        }

        MadePart body(String text) {
            body = content(text);
            return this;
        }

        MadePart kept(int agedSeconds, int seconds, int graceSeconds, int staleIfErrorSeconds) {
            freshness =
                    Optional.of(
                            new Freshness(
                                    NOON.minusSeconds(agedSeconds),
                                    Duration.ZERO,
                                    Duration.ofSeconds(seconds),
                                    Duration.ofSeconds(graceSeconds),
                                    Duration.ofSeconds(staleIfErrorSeconds),
                                    Duration.ZERO,
                                    false));
            return this;
        }

        Part made() {
            return new Part(
                    target, parent, depth, outcome, status, error, from, to, fields, body,
                    freshness);
        }
    }

    /** An application that gets no requests. */
    private static final class Nowhere implements Application {
        @Override
        public String authority() {
            return AUTHORITY;
        }

        @Override
        public Reply answer(Request request) {
            return new Reply.None("no application");
        }
    }
}
