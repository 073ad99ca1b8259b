package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.ByteOrderMark;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.CacheKey;
import dev.quire.spring.internal.fields.Documents;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one page assembled in the application: fetches them, follows redirects, and
 * validates the responses. The {@link FragmentTransport} sends the requests.
 */
class PageFragments implements FragmentSource<FragmentBody> {

    private static final Fetching DONE = new Fetching() {};

    private static final Failure UNWANTED =
            new Failure(Side.CLIENT, Kind.CANCELLED, "the fragment is no longer needed");

    /** The time limit of a whole page behind a surrogate. */
    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(30);

    /**
     * How the fragments of a page are parsed.
     *
     * @param application its context path
     * @param usualTimeout timeout of a fragment whose include sets none
     * @param notes null if the page is not observed
     */
    record Rules(
            String application,
            Duration usualTimeout,
            Documents documents,
            DocumentParser reader,
            FragmentSelection selection,
            @Nullable AssemblyNotes notes) {}

    private final FragmentTransport dispatch;
    private final Rules rules;
    private final @Nullable AssemblyNotes notes;

    PageFragments(FragmentTransport dispatch, Rules rules) {
        this.dispatch = dispatch;
        this.rules = rules;
        this.notes = rules.notes();
    }

    /**
     * Waits for the next fragment on the page's thread and delivers it; false if none is in flight.
     */
    boolean advance() {
        return false;
    }

    /** Releases all resources; no fragment is needed any more. */
    void end() {}

    @Override
    public @Nullable FragmentBody stored(FragmentRequest request) {
        return null;
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<FragmentBody>> answer) {
        var started = started(request);
        answer.accept(answer(started, dispatched(request)));
        return DONE;
    }

    @Override
    public void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {
        if (notes != null) {
            notes.fragmentFailed(notes.place(parent, depth), key, 0, failure);
        }
    }

    @Override
    public FragmentBody made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new FragmentBody(bytes, HttpServletResponse.SC_OK, compiled);
    }

    @Override
    public FragmentBody escaped(FragmentBody body, Escape escape) {
        return new FragmentBody(
                escape.applied(rules.reader().withoutStamps(body.bytes())), body.status(), null);
    }

    @Override
    public void select(
            FragmentBody body, String selector, Consumer<@Nullable FragmentBody> answer) {
        var part = rules.selection().first(rules.reader().withoutStamps(body.bytes()), selector);
        answer.accept(part == null ? null : new FragmentBody(part, body.status(), null));
    }

    /** Fetches by dispatch on this thread, which must be the page's. */
    final Fetched dispatched(FragmentRequest request) {
        return fetched(request, dispatch);
    }

    /**
     * Fetches over {@code transport} and follows redirects, on any thread that the transport
     * permits.
     */
    final Fetched fetched(FragmentRequest request, FragmentTransport transport) {
        var terms = request.terms();
        var said = terms.timeout().orElse(null);
        var most = said == null ? rules.usualTimeout() : said;
        var call = FragmentCall.of(request, shorter(most, MOST_TIMEOUT));
        long begun = System.nanoTime();
        for (int redirects = 0; ; redirects++) {
            var fetched = ask(call, transport);
            var left = most.minusNanos(System.nanoTime() - begun);
            if (!(fetched instanceof Fetched.Arrived arrived)) {
                return fetched;
            }
            if (said != null && left.isNegative()) {
                // the timeout applies even though a blocking handler cannot be interrupted
                return new Fetched.Failed(call.late());
            }
            var location = arrived.location();
            if (location == null || !terms.follows(arrived.status(), location)) {
                return arrived;
            }
            if (redirects == FragmentTerms.MAX_REDIRECTS) {
                return new Fetched.Failed(status(arrived, "after too many redirects"));
            }
            switch (ReferenceResolver.OWN_AUTHORITY.resolve(bytesOf(location), call.key())) {
                case Reference.Denied denied -> {
                    return new Fetched.Failed(
                            new Failure(
                                    Side.PROXY,
                                    Kind.DENIED,
                                    call.key().target() + " redirects to " + denied.why()));
                }
                case Reference.Allowed allowed -> {
                    var next = call.terms().redirected(arrived.status(), true).orElseThrow();
                    var time = shorter(positive(left), call.timeout());
                    call = call.redirected(allowed.key(), next, time);
                }
            }
        }
    }

    private Fetched ask(FragmentCall call, FragmentTransport transport) {
        if (!call.key().path().startsWith(rules.application() + "/")) {
            return new Fetched.Failed(
                    new Failure(
                            Side.PROXY,
                            Kind.DENIED,
                            call.key().target() + " is outside the application"));
        }
        return transport.ask(call);
    }

    /**
     * A requested fragment.
     *
     * @param number its number among the page's noted fragments
     */
    record StartedFragment(FragmentRequest request, int number, long beganNanos) {
        private AssemblyNotes.Place place() {
            return new AssemblyNotes.Place(number, request.parent(), request.depth(), beganNanos);
        }
    }

    /** Records that {@code request} is sent; on the page's thread. */
    final StartedFragment started(FragmentRequest request) {
        return notes == null
                ? new StartedFragment(request, 0, 0)
                : new StartedFragment(request, notes.asked(), notes.now());
    }

    /** Returns the response as it becomes part of the page; on the page's thread. */
    final FragmentAnswer<FragmentBody> answer(StartedFragment started, Fetched fetched) {
        var answer = answer(fetched, started.request().terms().dca());
        if (notes != null) {
            note(notes, started, fetched, answer);
        }
        return answer;
    }

    /** Records a cancelled fragment; on the page's thread. */
    final void cancelled(StartedFragment started) {
        if (notes != null) {
            note(notes, started, UNWANTED);
        }
    }

    private static void note(
            AssemblyNotes notes,
            StartedFragment started,
            Fetched fetched,
            FragmentAnswer<FragmentBody> answer) {
        if (answer instanceof FragmentAnswer.Failed<FragmentBody>(var failure)) {
            note(notes, started, failure);
        } else if (fetched instanceof Fetched.Arrived arrived) {
            notes.fragment(
                    started.place(),
                    started.request().key(),
                    Assembly.CacheOutcome.PASS,
                    arrived.status(),
                    arrived.fields(),
                    Optional.empty());
        }
    }

    private static void note(AssemblyNotes notes, StartedFragment started, Failure failure) {
        notes.fragmentFailed(started.place(), started.request().key(), failure.status(), failure);
    }

    private FragmentAnswer<FragmentBody> answer(Fetched fetched, Dca dca) {
        return switch (fetched) {
            case Fetched.Failed(var failure) -> new FragmentAnswer.Failed<>(failure);
            case Fetched.Arrived arrived -> answer(arrived, dca);
        };
    }

    private FragmentAnswer<FragmentBody> answer(Fetched.Arrived arrived, Dca dca) {
        var target = arrived.key().target();
        if (arrived.status() < 200 || arrived.status() >= 300) {
            return new FragmentAnswer.Failed<>(status(arrived, ""));
        }
        if (arrived.isEncoded()) {
            return failed(
                    Side.ORIGIN,
                    Kind.MALFORMED,
                    target + " has a Content-Encoding that was not requested");
        }
        if (arrived.isOverflown()) {
            return failed(Side.PROXY, Kind.TOO_LARGE, target + " exceeds quire.fallback.buffer");
        }
        var body = withoutMark(arrived.body().bytes());
        var document =
                isDocument(arrived, dca)
                        ? rules.reader().read(body, arrived.key(), arrived.contentType())
                        : null;
        return new FragmentAnswer.Whole<>(
                new FragmentBody(
                        document == null ? rules.reader().withoutStamps(body) : body,
                        arrived.status(),
                        document));
    }

    private boolean isDocument(Fetched.Arrived arrived, Dca dca) {
        if (arrived.status() == HttpServletResponse.SC_PARTIAL_CONTENT
                || arrived.processing() == Documents.Processing.REFUSED) {
            return false;
        }
        return switch (dca) {
            case NONE -> false;
            case ESI -> true;
            case UNSAID ->
                    arrived.processing() == Documents.Processing.REQUESTED
                            && rules.documents().mayHoldTags(arrived.contentType());
        };
    }

    /** Returns a reference as on the wire, one char per byte. */
    private static String bytesOf(String reference) {
        return new String(reference.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration positive(Duration left) {
        return left.isNegative() ? Duration.ZERO : left;
    }

    private static Failure status(Fetched.Arrived arrived, String when) {
        return new Failure(
                Side.ORIGIN,
                Kind.STATUS,
                arrived.status(),
                (arrived.key().target() + " responded with status " + arrived.status() + " " + when)
                        .strip());
    }

    private static FragmentAnswer<FragmentBody> failed(Side side, Kind kind, String detail) {
        return new FragmentAnswer.Failed<>(new Failure(side, kind, detail));
    }

    private static byte[] withoutMark(byte[] body) {
        return ByteOrderMark.isAtStartOf(body)
                ? Arrays.copyOfRange(body, ByteOrderMark.LENGTH, body.length)
                : body;
    }
}
