package dev.quire.spring;

import dev.quire.core.http.Stamp;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * The edge of the application: takes the surrogate's stamp out of the request, so that nothing
 * inside can show it to anybody, and puts it where the placeholder stands in the response.
 *
 * <p>It stands outside every other filter. What they compute of a body, such as an {@code ETag},
 * they compute of the placeholder, which is always the same; and as the stamp is as long, a {@code
 * Content-Length} stays right.
 */
public final class StampFilter implements Filter {

    /** Where the filter stands: outside all others. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE;

    private final Placeholder placeholder;
    private final Capabilities capabilities;

    StampFilter(QuireProperties properties, Placeholder placeholder) {
        this.placeholder = placeholder;
        this.capabilities = new Capabilities(TrustedProxies.of(properties.trustedProxies()));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest httpRequest
                        && response instanceof HttpServletResponse httpResponse)
                || FragmentServletRequest.isAbove(httpRequest)) {
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
                                () -> bearsStamps(request));
        var hiding = new StampRequest(request, response, stamped);
        if (stamp != null) {
            request.setAttribute(Announced.ATTRIBUTE, new Announced(stamp));
        }
        chain.doFilter(hiding, stamped == null ? response : stamped);
        finish(hiding, stamped);
    }

    private static boolean bearsStamps(HttpServletRequest request) {
        var exchange = Exchange.of(request);
        return exchange != null && exchange.hasStamps();
    }

    /** Whoever throws goes past this: what is kept back then does not count. */
    private static void finish(HttpServletRequest request, @Nullable StampResponse response)
            throws IOException {
        if (response != null && !request.isAsyncStarted()) {
            response.finish();
        }
    }

    /** Our own request, if an asynchronous handler goes on with it, or null. */
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

    /** The stamp a surrogate that may be believed has drawn for this request, or null. */
    static @Nullable Stamp stampOf(HttpServletRequest request) {
        return request.getAttribute(Announced.ATTRIBUTE) instanceof Announced announced
                ? announced.stamp()
                : null;
    }

    /** What is kept of the stamp among the attributes of a request, which anybody may print. */
    private record Announced(Stamp stamp) {

        static final String ATTRIBUTE = StampFilter.class.getName() + ".stamp";

        @Override
        public String toString() {
            return "a stamp";
        }
    }
}
