package dev.quire.spring.internal.assemble;

import dev.quire.spring.internal.fields.SurrogateFields;
import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.util.ThrowableAnalyzer;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers 401 to a fragment request whose user would have to log in: no user would see a login
 * page, and it must not appear in the page.
 */
public final class FragmentDenialFilter extends OncePerRequestFilter {

    private final ThrowableAnalyzer causes = new ThrowableAnalyzer();
    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !FragmentRequests.isForPage(request);
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | IOException | RuntimeException thrown) {
            if (!asksForLogin(thrown) || response.isCommitted()) {
                throw thrown;
            }
            response.setHeader("Cache-Control", SurrogateFields.PRIVATE);
            response.sendError(HttpServletResponse.SC_UNAUTHORIZED);
        }
    }

    private boolean asksForLogin(Exception thrown) {
        var chain = causes.determineCauseChain(thrown);
        if (causes.getFirstThrowableOfType(AuthenticationException.class, chain) != null) {
            return true;
        }
        return causes.getFirstThrowableOfType(AccessDeniedException.class, chain) != null
                && !trust.isFullyAuthenticated(
                        SecurityContextHolder.getContext().getAuthentication());
    }
}
