package dev.quire.spring.internal.guard;

import dev.quire.core.policy.SignedVariant;
import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.LanguageReads;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.fields.Charsets;
import dev.quire.spring.internal.response.HeldAsyncContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.DispatcherServlet;

/** The request as handlers see it: it records reads of data that belongs to one user. */
final class GuardedRequest extends HttpServletRequestWrapper {

    private final GuardedExchange exchange;
    private final GuardedResponse response;
    private final SecurityWatch security;
    private final LostSessions lostSessions;
    private final Set<String> personalFields;

    GuardedRequest(
            HttpServletRequest request,
            GuardedExchange exchange,
            GuardedResponse response,
            SecurityWatch security,
            LostSessions lostSessions,
            Set<String> personalFields) {
        super(request);
        this.personalFields = personalFields;
        this.lostSessions = lostSessions;
        this.exchange = exchange;
        this.response = response;
        this.security = security;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        if (name.equals(DispatcherServlet.LOCALE_RESOLVER_ATTRIBUTE)
                && exchange.countsLanguage()
                && SpringReads.isLanguageOfApplication()) {
            exchange.languageAsked("a locale");
        }
        return security.watched(super.getAttribute(name), exchange);
    }

    @Override
    public Locale getLocale() {
        localeRead();
        return super.getLocale();
    }

    @Override
    public Enumeration<Locale> getLocales() {
        localeRead();
        return super.getLocales();
    }

    private void localeRead() {
        if (exchange.countsLanguage() && SpringReads.isLanguageOfApplication()) {
            exchange.languageAsked("the locale of the request", LanguageReads.ACCEPT_LANGUAGE);
        }
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
        if (exchange.isHandling() && SpringReads.isEvent()) {
            // Spring Security's request, inside, reads the watched context
            return exchange.unnoticed(super::getUserPrincipal);
        }
        exchange.principalRead();
        return super.getUserPrincipal();
    }

    @Override
    public @Nullable String getRemoteUser() {
        exchange.principalRead();
        return super.getRemoteUser();
    }

    @Override
    public boolean isUserInRole(String role) {
        exchange.principalRead();
        return super.isUserInRole(role);
    }

    @Override
    public HttpSession getSession() {
        refuseLostSession();
        return watched(super.getSession());
    }

    @Override
    public @Nullable HttpSession getSession(boolean create) {
        if (create) {
            refuseLostSession();
        }
        var session = super.getSession(create);
        return session == null ? absent() : watched(session);
    }

    private void refuseLostSession() {
        if (exchange.isHandling()
                && super.getSession(false) == null
                && lostSessions.concerns(exchange, this)) {
            lostSessions.happened(exchange.handler());
        }
    }

    /** Notes that the handler sees no session: a reader with one may get another response. */
    private @Nullable HttpSession absent() {
        if (exchange.isHandling()) {
            switch (SpringReads.askerOfAbsentSession()) {
                case FRAMEWORK -> {}
                case TEMPLATE_ENGINE -> {
                    return new AbsentSession(super::getSession, exchange);
                }
                case APPLICATION -> exchange.noticed(Demotion.SESSION_READ);
            }
        }
        return null;
    }

    private HttpSession watched(HttpSession session) {
        if (!exchange.isHandling()) {
            return session;
        }
        var policy = exchange.policy().orElse(null);
        if (policy == null) {
            // without a policy the real session is returned, because applications lock sessions.
            // But this handler may forward what it reads to a public one
            sessionRead();
            return session;
        }
        return policy.isPrivate() ? session : new GuardedSession(session, exchange);
    }

    @Override
    public @Nullable String getRequestedSessionId() {
        sessionRead();
        return super.getRequestedSessionId();
    }

    @Override
    public Cookie @Nullable [] getCookies() {
        cookieRead();
        return super.getCookies();
    }

    @Override
    public @Nullable String getHeader(String name) {
        headerRead(name);
        var value = super.getHeader(name);
        return value != null && isAccept(name) ? Charsets.withoutStrange(value) : value;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        headerRead(name);
        var lines = super.getHeaders(name);
        return isAccept(name)
                ? Collections.enumeration(
                        Collections.list(lines).stream().map(Charsets::withoutStrange).toList())
                : lines;
    }

    /** Counts as reading every field that identifies a user, even those that are absent. */
    @Override
    public Enumeration<String> getHeaderNames() {
        if (exchange.isHandling() && !SpringReads.isEnumeration()) {
            exchange.noticed(Demotion.HEADER_READ);
        }
        return super.getHeaderNames();
    }

    @Override
    public int getIntHeader(String name) {
        headerRead(name);
        return super.getIntHeader(name);
    }

    @Override
    public long getDateHeader(String name) {
        headerRead(name);
        return super.getDateHeader(name);
    }

    private static boolean isAccept(String name) {
        return name.equalsIgnoreCase("Accept");
    }

    private void headerRead(String name) {
        boolean isVariant =
                name.equalsIgnoreCase(SignedVariant.FIELD) && exchange.variant().isEmpty();
        // the variant field comes from a cookie, and here the response does not vary by it
        if (isVariant || name.equalsIgnoreCase("Cookie")) {
            cookieRead();
        }
        if (personalFields.contains(name) && exchange.isHandling() && !SpringReads.isOne()) {
            exchange.noticed(Demotion.HEADER_READ);
        }
        if (name.equalsIgnoreCase(LanguageReads.ACCEPT_LANGUAGE)) {
            localeRead();
        }
    }

    private void sessionRead() {
        if (exchange.isHandling() && !SpringReads.isOne()) {
            exchange.noticed(Demotion.SESSION_READ);
        }
    }

    private void cookieRead() {
        if (exchange.isHandling() && !SpringReads.isOne()) {
            exchange.noticed(Demotion.COOKIE_READ);
        }
    }

    /**
     * Delegates with arguments: without them the container's own unguarded response would be used.
     */
    @Override
    public AsyncContext startAsync() {
        return startAsync(this, response);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse wrapped) {
        return held(super.startAsync(request, wrapped));
    }

    @Override
    public @Nullable AsyncContext getAsyncContext() {
        // containers throw without an asynchronous context, Spring's mock returns null
        var context = super.getAsyncContext();
        return context == null ? null : held(context);
    }

    /**
     * Completes with the held bytes. A broken response must not end as a complete one: it is
     * dispatched once more, and the filter fails it.
     */
    private AsyncContext held(AsyncContext context) {
        return new HeldAsyncContext(
                context,
                behind -> {
                    if (response.isBroken()) {
                        context.dispatch();
                    } else {
                        response.finish(behind);
                    }
                });
    }
}
