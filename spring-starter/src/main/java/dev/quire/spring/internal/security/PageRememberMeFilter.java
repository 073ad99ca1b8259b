package dev.quire.spring.internal.security;

import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.rememberme.RememberMeAuthenticationFilter;

/**
 * Logs users in by remember-me token when they request a page, never for its fragments. A used
 * token is replaced, and a fragment's cookies do not reach the client: the client would send the
 * old token again, in parallel or with the next page, and it would be taken for stolen.
 */
final class PageRememberMeFilter extends RememberMeAuthenticationFilter {

    private final RememberMeAuthenticationFilter configured;

    PageRememberMeFilter(RememberMeAuthenticationFilter configured) {
        super(PageRememberMeFilter::unused, configured.getRememberMeServices());
        this.configured = configured;
    }

    private static Authentication unused(Authentication asked) {
        throw new IllegalStateException("called instead of the configured filter");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (FragmentRequests.isForPage((HttpServletRequest) request)) {
            chain.doFilter(request, response);
        } else {
            configured.doFilter(request, response, chain);
        }
    }
}
