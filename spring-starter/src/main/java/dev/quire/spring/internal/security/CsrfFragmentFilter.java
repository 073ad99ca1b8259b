package dev.quire.spring.internal.security;

import dev.quire.spring.internal.assemble.LogOnce;
import dev.quire.spring.internal.fields.SurrogateFields;
import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.HtmlUtils;

/**
 * Serves the hidden input with the client's CSRF token: a private fragment for forms on public
 * pages. It runs directly after the filter that creates the token. It needs no permission, because
 * each client gets only its own token.
 *
 * <p>A token belongs to a session. The cookie of a session that starts here would not pass a page,
 * so a client without a session gets no input.
 */
public final class CsrfFragmentFilter extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(CsrfFragmentFilter.class);

    private final LogOnce warnings = LogOnce.of(CsrfFragmentFilter.class);
    private final String path;

    public CsrfFragmentFilter(String path) {
        this.path = path;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !request.getRequestURI().equals(request.getContextPath() + path)
                || !request.getMethod().equals("GET");
    }

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.setHeader("Cache-Control", SurrogateFields.PRIVATE);
        response.setContentType("text/html;charset=UTF-8");
        var input = input(request, response).getBytes(StandardCharsets.UTF_8);
        response.setContentLength(input.length);
        response.getOutputStream().write(input);
    }

    private String input(HttpServletRequest request, HttpServletResponse response) {
        if (!(request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token)) {
            log.debug("this filter chain creates no CSRF token");
            return "";
        }
        if (reachesNobody(request) && !hasSession(request)) {
            return none();
        }
        boolean hadSession = request.getSession(false) != null;
        var input =
                "<input type=\"hidden\" name=\"%s\" value=\"%s\"/>"
                        .formatted(
                                HtmlUtils.htmlEscape(token.getParameterName()),
                                HtmlUtils.htmlEscape(token.getToken()));
        var session = request.getSession(false);
        boolean isBegun = !hadSession && session != null;
        if (reachesNobody(request) && (isBegun || response.containsHeader("Set-Cookie"))) {
            if (isBegun) {
                // no client can return to this session
                session.invalidate();
            }
            return none();
        }
        return input;
    }

    private String none() {
        warnings.warn(
                path,
                "no CSRF token for a client without a session: the cookie of a new session cannot reach the client through the page. Put forms for such clients on a private page that writes the token itself");
        return "";
    }

    /**
     * Whether cookies of this response are dropped, by a surrogate or by assembly in the
     * application.
     */
    private static boolean reachesNobody(HttpServletRequest request) {
        return FragmentRequests.isForPage(request);
    }

    /** Whether the request has a session, or a cookie that may hold the token itself. */
    private static boolean hasSession(HttpServletRequest request) {
        return request.getSession(false) != null || request.getCookies() != null;
    }
}
