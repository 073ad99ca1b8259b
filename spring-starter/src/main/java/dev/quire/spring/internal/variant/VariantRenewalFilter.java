package dev.quire.spring.internal.variant;

import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Renews the {@link VariantCookie} on page requests: a fragment's cookies do not reach the client.
 * It runs before the handler, so that the guard sees that a cookie is set.
 */
public final class VariantRenewalFilter extends OncePerRequestFilter {

    private final VariantCookie cookie;

    public VariantRenewalFilter(VariantCookie cookie) {
        this.cookie = cookie;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return FragmentRequests.isForPage(request);
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        cookie.renew(request, response);
        chain.doFilter(request, response);
    }
}
