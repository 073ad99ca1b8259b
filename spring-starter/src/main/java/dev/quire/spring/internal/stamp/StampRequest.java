package dev.quire.spring.internal.stamp;

import dev.quire.spring.internal.fields.Capabilities;
import dev.quire.spring.internal.response.HeldAsyncContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * A request with an announced stamp, as the application sees it: without the stamp and, where
 * stamps are swapped, without Accept-Encoding, because they cannot be swapped in a body that a
 * filter has compressed. The container can still compress.
 */
final class StampRequest extends HttpServletRequestWrapper {

    private final HttpServletResponse container;
    private final @Nullable StampResponse response;

    /**
     * Wraps a request.
     *
     * @param container its response as created by the container
     * @param response the response that swaps stamps; null if none are swapped
     */
    StampRequest(
            HttpServletRequest request,
            HttpServletResponse container,
            @Nullable StampResponse response) {
        super(request);
        this.container = container;
        this.response = response;
    }

    /** Returns the response that swaps stamps, or null. */
    @Nullable StampResponse response() {
        return response;
    }

    @Override
    public @Nullable String getHeader(String name) {
        var value = isHidden(name) ? null : super.getHeader(name);
        return value != null && Capabilities.isField(name)
                ? Capabilities.withoutStamp(value)
                : value;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        if (isHidden(name)) {
            return Collections.emptyEnumeration();
        }
        var lines = super.getHeaders(name);
        return Capabilities.isField(name)
                ? Collections.enumeration(
                        Collections.list(lines).stream().map(Capabilities::withoutStamp).toList())
                : lines;
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        return Collections.enumeration(
                Collections.list(super.getHeaderNames()).stream()
                        .filter(name -> !isHidden(name))
                        .toList());
    }

    private boolean isHidden(String name) {
        return response != null && name.equalsIgnoreCase("Accept-Encoding");
    }

    /**
     * Delegates with arguments: without them the container's own request would be used, with the
     * stamp.
     */
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
        // containers throw without an asynchronous context, Spring's mock returns null
        var context = super.getAsyncContext();
        return context == null ? null : swapping(context);
    }

    private AsyncContext swapping(AsyncContext context) {
        return response == null ? context : new HeldAsyncContext(context, response::finish);
    }
}
