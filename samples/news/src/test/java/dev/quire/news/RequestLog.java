package dev.quire.news;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;

/** What the site's Tomcat was asked for, in order: path and query. Any thread. */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RequestLog extends OncePerRequestFilter {
    private final List<String> targets = new CopyOnWriteArrayList<>();

    /** What it was asked for since the last {@link #forget}. */
    public List<String> targets() {
        return List.copyOf(targets);
    }

    /** Starts anew. */
    public void forget() {
        targets.clear();
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        var query = request.getQueryString();
        targets.add(request.getRequestURI() + (query == null ? "" : "?" + query));
        chain.doFilter(request, response);
    }
}
