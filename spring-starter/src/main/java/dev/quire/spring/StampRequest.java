package dev.quire.spring;

import jakarta.servlet.AsyncContext;
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
    public @Nullable AsyncContext getAsyncContext() {
        // a container throws where there is none, the one of Spring's tests has null
        var context = super.getAsyncContext();
        return context == null ? null : swapping(context);
    }

    private AsyncContext swapping(AsyncContext context) {
        return response == null ? context : new HeldAsyncContext(context, response::finish);
    }
}
