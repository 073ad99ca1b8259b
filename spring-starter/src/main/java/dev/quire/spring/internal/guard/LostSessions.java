package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports private fragments that create a session for a client without one. Its cookie does not
 * pass the page, so every view of the page creates another session. Shared by all requests; its
 * only state is the set of logged handlers.
 */
final class LostSessions {

    private static final Logger log = LoggerFactory.getLogger(LostSessions.class);

    private static final String SET_COOKIE = "Set-Cookie";

    private final boolean isStrict;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /**
     * A reporter.
     *
     * @param isStrict whether such a fragment fails
     */
    LostSessions(boolean isStrict) {
        this.isStrict = isStrict;
    }

    /** Whether a session that the response to {@code request} creates is lost. */
    boolean concerns(GuardedExchange exchange, HttpServletRequest request) {
        return !exchange.hasSessionOfPage()
                && exchange.policy().map(policy -> policy.isPrivate()).orElse(true)
                && (exchange.isPrivateFragment() || FragmentRequests.isForPage(request));
    }

    /**
     * Reports a session that was created past the request of the handler, as for a CSRF token. In
     * strict mode it is removed, with its cookie; other cookies stay.
     *
     * @throws IllegalStateException in strict mode
     */
    void refuse(
            GuardedExchange exchange, HttpServletRequest request, HttpServletResponse response) {
        if (!concerns(exchange, request)) {
            return;
        }
        var session = request.getSession(false);
        if (session == null || !session.isNew()) {
            return;
        }
        if (isStrict) {
            removeCookie(session.getId(), response);
            session.invalidate();
        }
        happened(exchange.handler());
    }

    private static void removeCookie(String session, HttpServletResponse response) {
        var cookies = List.copyOf(response.getHeaders(SET_COOKIE));
        response.setHeader(SET_COOKIE, null);
        for (var cookie : cookies) {
            if (!cookie.contains(session)) {
                response.addHeader(SET_COOKIE, cookie);
            }
        }
    }

    /**
     * Called when a session is lost.
     *
     * @throws IllegalStateException in strict mode
     */
    void happened(String handler) {
        var lost =
                handler
                        + " is a private fragment and creates a session for a client without one."
                        + " The cookie of the session cannot reach the client through a page, so"
                        + " each view of the page creates another session (expected"
                        + " getSession(false) or @SessionAttribute(required = false) in fragments;"
                        + " a page or a form may create the session)";
        if (isStrict) {
            throw new IllegalStateException(lost);
        }
        if (logged.add(handler)) {
            log.warn("{} (logged once)", lost);
        }
    }
}
