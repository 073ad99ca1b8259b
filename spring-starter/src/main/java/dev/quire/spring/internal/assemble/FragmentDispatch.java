package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.spring.internal.fields.Documents;
import dev.quire.spring.internal.response.ResumedResponse;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Fetches fragments by dispatch inside the container, one after the other, on the thread of the
 * page.
 *
 * @param container the page's request as created by the container
 * @param fields of that request
 * @param isObserved whether response fields are recorded
 */
record FragmentDispatch(
        HttpServletRequest container,
        Fields fields,
        HttpServletResponse page,
        ByteBudget allowance,
        boolean isObserved)
        implements FragmentTransport {

    private static final LogOnce warnings = LogOnce.of(FragmentDispatch.class);

    @Override
    public Fetched ask(FragmentCall call) {
        var captured = new CapturedResponse(page, allowance.left());
        var failure = dispatch(call, captured);
        if (failure != null) {
            return new Fetched.Failed(failure);
        }
        boolean overflown = captured.isOverflown();
        var body = captured.body();
        return new Fetched.Arrived(
                call.key(),
                isObserved ? captured.fields() : Fields.EMPTY,
                captured.getHeader("Location"),
                captured.getContentType(),
                captured.containsHeader("Content-Encoding"),
                Documents.processing(captured),
                overflown || !allowance.take(body.length),
                new FragmentBody(body, captured.getStatus(), null));
    }

    /** Writes the response for {@code call} to {@code captured}; returns the failure, or null. */
    private @Nullable Failure dispatch(FragmentCall call, CapturedResponse captured) {
        var target = call.key().target();
        try {
            var request = new FragmentServletRequest(container, fields, call, captured);
            boolean late =
                    run(target.substring(container.getContextPath().length()), request, captured);
            if (request.hasLostSession() || captured.containsHeader("Set-Cookie")) {
                warnings.warn(
                        call.key().path(),
                        "the fragment creates a session or sets a cookie, which never reaches the client, as behind a surrogate. Let the page itself do so");
            }
            return late ? call.late() : null;
        } catch (ServletException | IOException | RuntimeException thrown) {
            // a failed handler fails the fragment, never the page
            return new Failure(
                    Side.ORIGIN,
                    Kind.STATUS,
                    HttpServletResponse.SC_INTERNAL_SERVER_ERROR,
                    target + " threw " + thrown);
        }
    }

    /** Runs a handler until it completes; returns true on timeout. */
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
            throw new ServletException("no request dispatcher for " + path);
        }
        dispatcher.forward(request, response);
    }
}
