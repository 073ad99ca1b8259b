package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.fields.FragmentMark;
import dev.quire.spring.internal.response.LockedHead;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;

/**
 * The part of the guard that is outside every other filter. It locks the head of the response, and
 * fails if the response was broken off: a filter in between may have handled the exception, as
 * Spring Boot's {@code ErrorPageFilter} does in a war, and the container would end an incomplete
 * response as a complete one.
 */
public final class BoundaryFilter implements Filter {

    /** The order of the filter: outside all others. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE;

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest httpRequest
                        && response instanceof HttpServletResponse httpResponse)
                || FragmentMark.isOn(httpRequest)) {
            chain.doFilter(request, response);
            return;
        }
        // A resumed request goes on with the response that it began with.
        boolean isResumed = request.getDispatcherType() == DispatcherType.ASYNC;
        chain.doFilter(request, isResumed ? response : new LockedHead(httpResponse));
        var exchange = GuardedExchange.of(request);
        if (exchange != null && exchange.isBrokenOff() && !request.isAsyncStarted()) {
            throw new IllegalStateException(
                    "the response of %s is broken off after its head had been sent"
                            .formatted(exchange.handler()));
        }
    }
}
