package dev.quire.spring.internal.security;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.SecurityWatch;
import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;

/** Watches Spring Security's context and its CSRF token, both of which are loaded lazily. */
public final class SpringSecurityWatch implements SecurityWatch {

    @Override
    public @Nullable Object watched(@Nullable Object attribute, GuardedExchange exchange) {
        return attribute instanceof CsrfToken token ? new WatchedToken(token, exchange) : attribute;
    }

    @Override
    public void watch(GuardedExchange exchange) {
        var deferred = SecurityContextHolder.getDeferredContext();
        SecurityContextHolder.setDeferredContext(
                () -> new WatchedContext(actual(deferred.get()), exchange));
    }

    @Override
    public Runnable keep() {
        var deferred = SecurityContextHolder.getDeferredContext();
        return () -> SecurityContextHolder.setDeferredContext(deferred);
    }

    /** Unwraps the context: a handler may have stored ours in the session. */
    private static SecurityContext actual(SecurityContext context) {
        return context instanceof WatchedContext watched ? watched.actual : context;
    }

    private record WatchedToken(CsrfToken token, GuardedExchange exchange) implements CsrfToken {

        @Override
        public String getHeaderName() {
            return token.getHeaderName();
        }

        @Override
        public String getParameterName() {
            return token.getParameterName();
        }

        @Override
        public String getToken() {
            exchange.noticed(Demotion.CSRF_TOKEN);
            return token.getToken();
        }

        @Serial
        private Object writeReplace() {
            return token;
        }
    }

    private static final class WatchedContext implements SecurityContext {

        private final SecurityContext actual;
        private final transient GuardedExchange exchange;

        WatchedContext(SecurityContext actual, GuardedExchange exchange) {
            this.actual = actual;
            this.exchange = exchange;
        }

        @Override
        public @Nullable Authentication getAuthentication() {
            exchange.principalRead();
            return actual.getAuthentication();
        }

        @Override
        public void setAuthentication(@Nullable Authentication authentication) {
            actual.setAuthentication(authentication);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof SecurityContext context && actual.equals(actual(context));
        }

        @Override
        public int hashCode() {
            return actual.hashCode();
        }

        @Serial
        private Object writeReplace() {
            return actual;
        }
    }
}
