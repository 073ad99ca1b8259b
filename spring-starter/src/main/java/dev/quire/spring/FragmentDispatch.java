package dev.quire.spring;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Escape;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.CacheKey;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the fragments of one page by the container's own dispatch, one after the other, on the
 * thread of the page. Keeps count of what the page may still hold.
 */
final class FragmentDispatch implements FragmentSource<FragmentBody> {

    private static final Fetching DONE = new Fetching() {};

    private static final int MOST_REDIRECTS = 3;

    /** How long an asynchronous handler is waited for, if its include does not say. */
    private static final Duration USUAL_TIMEOUT = Duration.ofSeconds(10);

    /** As long as a whole page may take behind a surrogate. */
    private static final Duration MOST_TIMEOUT = Duration.ofSeconds(30);

    private final HttpServletRequest container;
    private final HttpServletResponse page;
    private final Documents documents;
    private final DocumentReader reader;
    private final Selection selection;
    private int bytesLeft;

    /**
     * A source for one page.
     *
     * @param container the page's request as the container made it
     * @param bytesLeft what the fragments may hold together
     */
    FragmentDispatch(
            HttpServletRequest container,
            HttpServletResponse page,
            Documents documents,
            DocumentReader reader,
            Selection selection,
            int bytesLeft) {
        this.container = container;
        this.page = page;
        this.documents = documents;
        this.reader = reader;
        this.selection = selection;
        this.bytesLeft = bytesLeft;
    }

    @Override
    public @Nullable FragmentBody stored(FragmentRequest request) {
        return null;
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<FragmentBody>> answer) {
        answer.accept(answer(request));
        return DONE;
    }

    @Override
    public FragmentBody made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
        return new FragmentBody(bytes, HttpServletResponse.SC_OK, compiled);
    }

    @Override
    public FragmentBody escaped(FragmentBody body, Escape escape) {
        return new FragmentBody(
                escape.applied(reader.withoutStamps(body.bytes())), body.status(), null);
    }

    @Override
    public void select(
            FragmentBody body, String selector, Consumer<@Nullable FragmentBody> answer) {
        var part = selection.first(reader.withoutStamps(body.bytes()), selector);
        answer.accept(part == null ? null : new FragmentBody(part, body.status(), null));
    }

    private FragmentAnswer<FragmentBody> answer(FragmentRequest request) {
        var terms = request.terms();
        var said = terms.timeout().orElse(null);
        var most = said == null ? USUAL_TIMEOUT : said;
        var call = FragmentCall.of(request, shorter(most, MOST_TIMEOUT));
        long begun = System.nanoTime();
        for (int redirects = 0; ; redirects++) {
            var captured = new CapturedResponse(page, bytesLeft);
            var failure = dispatch(call, captured);
            var left = most.minusNanos(System.nanoTime() - begun);
            if (failure == null && said != null && left.isNegative()) {
                // too late is too late, though a handler that blocks cannot be left alone
                failure = late(call);
            }
            if (failure != null) {
                return new FragmentAnswer.Failed<>(failure);
            }
            var location = captured.getHeader("Location");
            if (!terms.followsRedirects() || location == null || !isRedirect(captured)) {
                return answer(call.key(), captured, terms.dca());
            }
            if (redirects == MOST_REDIRECTS) {
                return failed(status(call.key(), captured, "after too many redirects"));
            }
            switch (ReferenceResolver.OWN_AUTHORITY.resolve(bytesOf(location), call.key())) {
                case Reference.Denied denied -> {
                    return failed(
                            Side.PROXY,
                            Kind.DENIED,
                            call.key().target() + " redirects to " + denied.why());
                }
                case Reference.Allowed allowed ->
                        call =
                                call.redirected(
                                        allowed.key(),
                                        captured.getStatus(),
                                        shorter(positive(left), call.timeout()));
            }
        }
    }

    /** The response of the handler {@code call} leads to is {@code captured}, unless it failed. */
    private @Nullable Failure dispatch(FragmentCall call, CapturedResponse captured) {
        var target = call.key().target();
        var application = container.getContextPath();
        if (!call.key().path().startsWith(application + "/")) {
            return new Failure(Side.PROXY, Kind.DENIED, target + " is outside the application");
        }
        try {
            var late =
                    run(
                            target.substring(application.length()),
                            new FragmentServletRequest(container, call, captured),
                            captured);
            return late ? late(call) : null;
        } catch (ServletException | IOException | RuntimeException thrown) {
            // a handler's failure is the fragment's failure, never the page's
            return new Failure(
                    Side.ORIGIN,
                    Kind.STATUS,
                    HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
                    target + " threw " + thrown);
        }
    }

    /** Runs a handler until it has answered; true if it takes too long. */
    private boolean run(String path, FragmentServletRequest request, CapturedResponse captured)
            throws ServletException, IOException {
        forward(path, request, captured);
        for (var async = request.waiting(); async != null; async = request.waiting()) {
            var ending = async.await().orElse(null);
            switch (ending) {
                case null -> {
                    return true;
                }
                case COMPLETE -> request.complete();
                case DISPATCH -> {
                    request.resume();
                    var response = (HttpServletResponse) async.getResponse();
                    forward(path, async.getRequest(), new ResumedResponse(response));
                }
            }
            async.ended();
        }
        return false;
    }

    private void forward(String path, ServletRequest request, ServletResponse response)
            throws ServletException, IOException {
        var dispatcher = container.getRequestDispatcher(path);
        if (dispatcher == null) {
            throw new ServletException(path + " leads nowhere");
        }
        dispatcher.forward(request, response);
    }

    /**
     * What has been captured, as it becomes part of a page.
     *
     * @param key where it came from, after all redirects: its own references start there
     */
    private FragmentAnswer<FragmentBody> answer(CacheKey key, CapturedResponse captured, Dca dca) {
        if (captured.getStatus() < 200 || captured.getStatus() >= 300) {
            return failed(status(key, captured, ""));
        }
        if (captured.containsHeader("Content-Encoding")) {
            return failed(Side.ORIGIN, Kind.MALFORMED, key.target() + " is encoded, unasked");
        }
        if (captured.isOverflown()) {
            return failed(
                    Side.PROXY, Kind.TOO_LARGE, key.target() + " goes past quire.fallback.buffer");
        }
        var body = withoutByteOrderMark(captured.body());
        bytesLeft -= body.length;
        var document =
                isDocument(captured, dca)
                        ? reader.read(body, key, captured.getContentType())
                        : null;
        return new FragmentAnswer.Whole<>(
                new FragmentBody(
                        document == null ? reader.withoutStamps(body) : body,
                        captured.getStatus(),
                        document));
    }

    private boolean isDocument(CapturedResponse captured, Dca dca) {
        return switch (dca) {
            case NONE -> false;
            case ESI -> captured.getStatus() != HttpServletResponse.SC_PARTIAL_CONTENT;
            case UNSAID ->
                    Documents.asksForEsi(captured)
                            && captured.getStatus() != HttpServletResponse.SC_PARTIAL_CONTENT
                            && documents.mayHoldTags(captured.getContentType());
        };
    }

    private static boolean isRedirect(CapturedResponse captured) {
        return switch (captured.getStatus()) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }

    /** A reference as it would stand on the wire, one char for each byte. */
    private static String bytesOf(String reference) {
        return new String(reference.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration positive(Duration left) {
        return left.isNegative() ? Duration.ZERO : left;
    }

    private static Failure late(FragmentCall call) {
        return new Failure(Side.ORIGIN, Kind.TIMEOUT, call.key().target() + " takes too long");
    }

    private static Failure status(CacheKey key, CapturedResponse captured, String when) {
        return new Failure(
                Side.ORIGIN,
                Kind.STATUS,
                captured.getStatus(),
                (key.target() + " answered " + captured.getStatus() + " " + when).strip());
    }

    private static FragmentAnswer<FragmentBody> failed(Failure failure) {
        return new FragmentAnswer.Failed<>(failure);
    }

    private static FragmentAnswer<FragmentBody> failed(Side side, Kind kind, String detail) {
        return failed(new Failure(side, kind, detail));
    }

    /** A mark belongs to the start of a page; inside it would be a character. */
    private static byte[] withoutByteOrderMark(byte[] body) {
        return body.length >= 3
                        && body[0] == (byte) 0xef
                        && body[1] == (byte) 0xbb
                        && body[2] == (byte) 0xbf
                ? Arrays.copyOfRange(body, 3, body.length)
                : body;
    }
}
