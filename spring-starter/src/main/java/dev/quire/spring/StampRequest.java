package dev.quire.spring;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/** A request whose surrogate announced a stamp, as the application sees it: without the stamp. */
final class StampRequest extends HttpServletRequestWrapper {

    private final HttpServletResponse container;
    private final @Nullable StampResponse response;

    /**
     * A request.
     *
     * @param container its response as the container made it
     * @param response the same that swaps; null if nothing is swapped
     */
    StampRequest(
            HttpServletRequest request,
            HttpServletResponse container,
            @Nullable StampResponse response) {
        super(request);
        this.container = container;
        this.response = response;
    }

    /** The response that swaps, or null. */
    @Nullable StampResponse response() {
        return response;
    }

    @Override
    public @Nullable String getHeader(String name) {
        var value = super.getHeader(name);
        return value != null && Capabilities.isField(name)
                ? Capabilities.withoutStamp(value)
                : value;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        var lines = super.getHeaders(name);
        return Capabilities.isField(name)
                ? Collections.enumeration(
                        Collections.list(lines).stream().map(Capabilities::withoutStamp).toList())
                : lines;
    }

    /** As with arguments: without them the container's own would be used, stamp and all. */
    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response == null ? container : response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse wrapped) {
        return swapping(super.startAsync(request, wrapped));
    }

    @Override
    public AsyncContext getAsyncContext() {
        return swapping(super.getAsyncContext());
    }

    private AsyncContext swapping(AsyncContext context) {
        return response == null ? context : new SwappingAsyncContext(context, response);
    }

    /** Sends what is kept back before a request completes without a dispatch. */
    private record SwappingAsyncContext(AsyncContext context, StampResponse swapping)
            implements AsyncContext {

        @Override
        public void complete() {
            swapping.finish(context::complete);
        }

        @Override
        public ServletRequest getRequest() {
            return context.getRequest();
        }

        @Override
        public ServletResponse getResponse() {
            return context.getResponse();
        }

        @Override
        public boolean hasOriginalRequestAndResponse() {
            return context.hasOriginalRequestAndResponse();
        }

        @Override
        public void dispatch() {
            context.dispatch();
        }

        @Override
        public void dispatch(String path) {
            context.dispatch(path);
        }

        @Override
        public void dispatch(ServletContext servletContext, String path) {
            context.dispatch(servletContext, path);
        }

        @Override
        public void start(Runnable run) {
            context.start(run);
        }

        @Override
        public void addListener(AsyncListener listener) {
            context.addListener(listener);
        }

        @Override
        public void addListener(
                AsyncListener listener, ServletRequest request, ServletResponse response) {
            context.addListener(listener, request, response);
        }

        @Override
        public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
            return context.createListener(type);
        }

        @Override
        public void setTimeout(long millis) {
            context.setTimeout(millis);
        }

        @Override
        public long getTimeout() {
            return context.getTimeout();
        }
    }
}
