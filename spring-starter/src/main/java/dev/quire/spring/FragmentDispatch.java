package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.policy.CacheKey;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the fragments of one page by the container's own dispatch, one after the other, on the
 * thread of the page. Keeps count of what the page may still hold.
 */
final class FragmentDispatch implements FragmentSource<FragmentBody> {

    private static final Fetching DONE = new Fetching() {};

    private final HttpServletRequest container;
    private final HttpServletResponse page;
    private int bytesLeft;

    /**
     * A source for one page.
     *
     * @param container the page's request as the container made it
     * @param bytesLeft what the fragments may hold together
     */
    FragmentDispatch(HttpServletRequest container, HttpServletResponse page, int bytesLeft) {
        this.container = container;
        this.page = page;
        this.bytesLeft = bytesLeft;
    }

    @Override
    public @Nullable FragmentBody stored(CacheKey key) {
        return null;
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<FragmentBody>> answer) {
        answer.accept(answer(request.key()));
        return DONE;
    }

    private FragmentAnswer<FragmentBody> answer(CacheKey key) {
        var application = container.getContextPath();
        if (!key.path().startsWith(application + "/")) {
            return failed(Side.PROXY, Kind.DENIED, key.target() + " is outside the application");
        }
        int question = key.target().indexOf('?');
        var query = question < 0 ? "" : key.target().substring(question + 1);
        var captured = new CapturedResponse(page, bytesLeft);
        try {
            var late =
                    run(
                            key.target().substring(application.length()),
                            new FragmentServletRequest(container, query, captured),
                            captured);
            if (late) {
                return failed(Side.ORIGIN, Kind.TIMEOUT, key.target() + " takes too long");
            }
        } catch (ServletException | IOException | RuntimeException thrown) {
            // a handler's failure is the fragment's failure, never the page's
            return failed(Side.ORIGIN, Kind.STATUS, key.target() + " threw " + thrown);
        }
        return answer(key, captured);
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

    private FragmentAnswer<FragmentBody> answer(CacheKey key, CapturedResponse captured) {
        if (captured.getStatus() < 200 || captured.getStatus() >= 300) {
            return failed(
                    Side.ORIGIN, Kind.STATUS, key.target() + " answered " + captured.getStatus());
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
        var control = captured.getHeader(CommitGuard.SURROGATE_CONTROL);
        boolean document =
                control != null
                        && control.contains(CommitGuard.CONTENT)
                        && captured.getStatus() != HttpServletResponse.SC_PARTIAL_CONTENT
                        && Documents.mayHoldTags(captured.getContentType());
        return new FragmentAnswer.Whole<>(
                new FragmentBody(body, document ? PageAssembly.plan(body, key) : null));
    }

    private static FragmentAnswer<FragmentBody> failed(Side side, Kind kind, String detail) {
        return new FragmentAnswer.Failed<>(new Failure(side, kind, detail));
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
