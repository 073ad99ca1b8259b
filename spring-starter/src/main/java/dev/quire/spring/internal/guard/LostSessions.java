package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.http.HttpServletRequest;
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
