package dev.quire.spring.internal.stamp;

import dev.quire.core.http.Stamp;
import dev.quire.spring.internal.fields.Capabilities;
import dev.quire.spring.internal.fields.FragmentMark;
import dev.quire.spring.internal.fields.TrustedProxies;
import dev.quire.spring.internal.settings.QuireProperties;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * The boundary of the application: removes the surrogate's stamp from the request, so that the
 * application cannot leak it, and replaces the placeholder in the response with it.
 *
 * <p>It is outside every other filter. Values that those compute from the body, such as an {@code
 * ETag}, depend only on the placeholder, which is constant; and a {@code Content-Length} stays
 * correct, because the stamp has the same length.
 */
public final class StampFilter implements Filter {

    /** The order of the filter: outside all others. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE;

    private final Placeholder placeholder;
    private final Capabilities capabilities;
    private final Predicate<HttpServletRequest> hasStamps;

    /**
     * A filter.
     *
     * @param hasStamps whether stamped tags were written in the response to a request
     */
    public StampFilter(
            QuireProperties properties,
            Placeholder placeholder,
            Predicate<HttpServletRequest> hasStamps) {
        this.hasStamps = hasStamps;
        this.placeholder = placeholder;
        this.capabilities = new Capabilities(TrustedProxies.of(properties.trustedProxies()));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest httpRequest
                        && response instanceof HttpServletResponse httpResponse)
                || FragmentMark.isOn(httpRequest)) {
            chain.doFilter(request, response);
            return;
        }
        var resumed = inside(httpRequest);
        if (resumed != null) {
            chain.doFilter(request, response);
            finish(httpRequest, resumed.response());
        } else if (Capabilities.saysStamp(httpRequest)) {
            begin(httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void begin(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        var stamp = placeholder.isOn() ? capabilities.stamp(request) : null;
        var stamped =
                stamp == null
                        ? null
                        : new StampResponse(
                                response,
                                placeholder.swapFor(stamp.text()),
                                () -> hasStamps.test(request));
        var hiding = new StampRequest(request, response, stamped);
        if (stamp != null) {
            request.setAttribute(Announced.ATTRIBUTE, new Announced(stamp));
        }
        chain.doFilter(hiding, stamped == null ? response : stamped);
        finish(hiding, stamped);
    }

    /** Writes the held bytes; skipped after an exception, when they are obsolete. */
    private static void finish(HttpServletRequest request, @Nullable StampResponse response)
            throws IOException {
        if (response != null && !request.isAsyncStarted()) {
            response.finish();
        }
    }

    /** Returns our wrapped request if an asynchronous handler resumes with it, or null. */
    private static @Nullable StampRequest inside(HttpServletRequest request) {
        ServletRequest each = request;
        while (each instanceof ServletRequestWrapper wrapper) {
            if (wrapper instanceof StampRequest ours) {
                return ours;
            }
            each = wrapper.getRequest();
        }
        return null;
    }

    /** Returns the stamp of a trusted surrogate for this request, or null. */
    public static @Nullable Stamp stampOf(HttpServletRequest request) {
        return request.getAttribute(Announced.ATTRIBUTE) instanceof Announced announced
                ? announced.stamp()
                : null;
    }

    /**
     * Holds the stamp in a request attribute; not printed, because request attributes may be
     * logged.
     */
    private record Announced(Stamp stamp) {

        static final String ATTRIBUTE = StampFilter.class.getName() + ".stamp";

        @Override
        public String toString() {
            return "a stamp";
        }
    }
}
