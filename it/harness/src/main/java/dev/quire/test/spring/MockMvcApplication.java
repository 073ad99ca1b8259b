package dev.quire.test.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.test.Application;
import dev.quire.test.Reply;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.SmartRequestBuilder;

/**
 * The application behind a MockMvc, as if it ran in a container. Each request has its own virtual
 * thread.
 */
final class MockMvcApplication implements Application {
    private static final Log log = LogFactory.getLog(MockMvcApplication.class);

    /** Long enough for a busy machine; only a handler that never ends takes so long. */
    private static final long PATIENCE_MILLIS = 20_000;

    private final MockMvc mvc;
    private final Sessions sessions = new Sessions();
    private final ErrorPages errorPages;

    MockMvcApplication(MockMvc mvc) {
        this.mvc = mvc;
        this.errorPages = ErrorPages.of(mvc.getDispatcherServlet().getWebApplicationContext());
    }

    @Override
    public String authority() {
        return "localhost";
    }

    @Override
    public Reply answer(Request asked) {
        var task = new FutureTask<>(() -> answered(asked));
        Thread.ofVirtual().name("MockMvc " + asked.target()).start(task);
        try {
            return task.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            task.cancel(true);
            return new Reply.None(
                    "its handler did not finish within %d seconds"
                            .formatted(PATIENCE_MILLIS / 1000));
        } catch (InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            return new Reply.None("interrupted while MockMvc answers " + asked);
        } catch (ExecutionException e) {
            throw new AssertionError(
                    "MockMvc cannot answer %s: %s".formatted(asked, e.getCause()), e.getCause());
        }
    }

    private Reply answered(Request asked) throws Exception {
        ContainerRequest request;
        try {
            request = new ContainerRequest(mvc.getDispatcherServlet(), asked, sessions);
        } catch (IllegalArgumentException unreadable) {
            return new Reply.Whole(
                    Response.of(
                            400,
                            Fields.of("Content-Type", "text/html;charset=utf-8"),
                            Content.of(bare(400).getBytes(UTF_8))));
        }
        var response = request.response();
        try {
            perform(request, response);
            if (response.sentError()) {
                showError(request, response, response.getStatus(), null);
            }
        } catch (ServletException | IOException | RuntimeException thrown) {
            if (NestedExceptionUtils.getMostSpecificCause(thrown) instanceof NotByMockMvc odd) {
                return new Reply.None(String.valueOf(odd.getMessage()));
            }
            log.error(asked + " has failed", thrown);
            if (response.isCommitted()) {
                return new Reply.Cut(
                        read(asked, response), response.getContentAsByteArray().length);
            }
            showError(request, response, 500, thrown);
        } finally {
            sessions.keep(request);
        }
        return new Reply.Whole(read(asked, response));
    }

    /** Runs filters and handler, again for each asynchronous dispatch. */
    private void perform(ContainerRequest request, ContainerResponse response) throws Exception {
        var result = mvc.perform(new Dispatch(request, response, null)).andReturn();
        while (request.isAsyncStarted()) {
            try {
                result.getAsyncResult(PATIENCE_MILLIS);
            } catch (IllegalStateException late) {
                throw new NotByMockMvc(
                        "its handler did not finish within %d seconds"
                                .formatted(PATIENCE_MILLIS / 1000));
            }
            var started = request.startedAsync();
            request.setDispatcherType(DispatcherType.ASYNC);
            request.setAsyncStarted(false);
            result = mvc.perform(resumed(request, response, started)).andReturn();
            if (!request.isAsyncStarted()) {
                started.complete();
            }
        }
    }

    /** Continues with the response that was passed on when the request became asynchronous. */
    private static Dispatch resumed(
            ContainerRequest request, ContainerResponse response, MockAsyncContext started) {
        return started.getResponse() instanceof HttpServletResponse handed && handed != response
                ? new Dispatch(request, new Resumed(handed, response), started)
                : new Dispatch(request, response, started);
    }

    /** Dispatches to the registered error page, or writes a minimal one, like a container. */
    private void showError(
            ContainerRequest request,
            ContainerResponse response,
            int status,
            @Nullable Exception thrown)
            throws Exception {
        @Nullable Throwable cause = thrown instanceof ServletException ? thrown.getCause() : thrown;
        var page = errorPages.find(status, cause == null ? thrown : cause);
        if (page.isPresent()) {
            request.toErrorPage(page.get(), status, response.getErrorMessage(), cause);
            response.reopen(status);
            try {
                perform(request, response);
                if (!response.sentError()) {
                    return;
                }
            } catch (ServletException | IOException | RuntimeException again) {
                log.error("The page for errors has failed", again);
            }
        }
        response.reopen(status);
        response.setContentType("text/html;charset=utf-8");
        response.getOutputStream().write(bare(status).getBytes(UTF_8));
    }

    private static Response read(Request asked, ContainerResponse response) {
        int status = response.getStatus();
        var body = response.getContentAsByteArray();
        boolean hasBody = !asked.method().equals("HEAD") && status != 204 && status != 304;
        var fields = new Fields.Builder();
        for (var name : response.getHeaderNames()) {
            if (!hasBody || !name.equalsIgnoreCase("Content-Length")) {
                response.getHeaders(name).forEach(value -> fields.add(name, value));
            }
        }
        if (response.getHeader("Date") == null) {
            fields.add("Date", HttpDate.format(InstantSource.system().instant()));
        }
        if (hasBody) {
            fields.add("Content-Length", String.valueOf(body.length));
        }
        return Response.of(status, fields.build(), Content.of(hasBody ? body : new byte[0]));
    }

    private static String bare(int status) {
        return "<!doctype html><title>HTTP Status %1$d</title><h1>HTTP Status %1$d</h1>"
                .formatted(status);
    }

    static final class NotByMockMvc extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotByMockMvc(String why) {
            super(why);
        }
    }

    /** The response as wrapped by filters; MockMvc looks for its own response inside it. */
    private static final class Resumed extends HttpServletResponseWrapper {
        private final ContainerResponse below;

        Resumed(HttpServletResponse handed, ContainerResponse below) {
            super(handed);
            this.below = below;
        }

        @Override
        public ServletResponse getResponse() {
            return below;
        }
    }

    /**
     * One run through filters and handler. For an asynchronous dispatch MockMvc takes the response
     * from the request's asynchronous context, which here supplies ours.
     *
     * @param async the request's asynchronous context during the run
     */
    private record Dispatch(
            ContainerRequest request,
            HttpServletResponse response,
            @Nullable MockAsyncContext async)
            implements SmartRequestBuilder {

        @Override
        public MockHttpServletRequest buildRequest(ServletContext context) {
            request.setAsyncContext(new MockAsyncContext(request, response));
            return request;
        }

        @Override
        public MockHttpServletRequest postProcessRequest(MockHttpServletRequest same) {
            same.setAsyncContext(async);
            return same;
        }
    }
}
