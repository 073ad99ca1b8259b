package dev.quire.spring.internal.security;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.SecurityWatch;
import java.io.Serial;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.csrf.CsrfToken;

/**
 * Watches Spring Security's contexts and its CSRF token, all of which are loaded lazily. Each
 * strategy may keep a context of its own, so all of them are watched.
 */
public final class SpringSecurityWatch implements SecurityWatch, SmartInitializingSingleton {

    private final Supplier<Map<String, SecurityContextHolderStrategy>> beans;

    /** All strategies: the beans, found at startup, and the static one, which may be replaced. */
    private volatile List<SecurityContextHolderStrategy> ofBeans = List.of();

    /**
     * A watch.
     *
     * @param beans supplies the strategies that are beans, by name
     */
    public SpringSecurityWatch(Supplier<Map<String, SecurityContextHolderStrategy>> beans) {
        this.beans = beans;
    }

    /**
     * Checks that every strategy can be watched.
     *
     * @throws IllegalStateException if one of them does not return the context that it was given
     */
    @Override
    public void afterSingletonsInstantiated() {
        var found = beans.get();
        found.forEach((name, strategy) -> {
            if (!keepsContexts(strategy)) {
                throw new IllegalStateException(
                        "the guard cannot watch the SecurityContextHolderStrategy '"
                                + name
                                + "' ("
                                + strategy.getClass().getName()
                                + "): it does not return the context passed to setContext"
                                + " (expected a strategy that does, so that reads of the user are"
                                + " seen)");
            }
        });
        ofBeans = List.copyOf(found.values());
    }

    @SuppressWarnings("ReferenceEquality") // A copy would not be watched.
    private static boolean keepsContexts(SecurityContextHolderStrategy strategy) {
        var context = new SecurityContextImpl();
        try {
            strategy.setContext(context);
            return strategy.getContext() == context;
        } finally {
            strategy.clearContext();
        }
    }

    private Set<SecurityContextHolderStrategy> strategies() {
        Set<SecurityContextHolderStrategy> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.add(SecurityContextHolder.getContextHolderStrategy());
        all.addAll(ofBeans);
        return all;
    }

    @Override
    public @Nullable Object watched(@Nullable Object attribute, GuardedExchange exchange) {
        return attribute instanceof CsrfToken token ? new WatchedToken(token, exchange) : attribute;
    }

    @Override
    public void watch(GuardedExchange exchange) {
        for (var strategy : strategies()) {
            var deferred = strategy.getDeferredContext();
            strategy.setDeferredContext(() -> new WatchedContext(actual(deferred.get()), exchange));
        }
    }

    @Override
    public Runnable keep() {
        var kept = new IdentityHashMap<SecurityContextHolderStrategy, Supplier<SecurityContext>>();
        for (var strategy : strategies()) {
            kept.put(strategy, strategy.getDeferredContext());
        }
        return () -> kept.forEach(SecurityContextHolderStrategy::setDeferredContext);
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
