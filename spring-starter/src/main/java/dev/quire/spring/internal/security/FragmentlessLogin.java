package dev.quire.spring.internal.security;

import dev.quire.spring.internal.handler.FragmentRequests;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.RememberMeConfigurer;
import org.springframework.security.web.authentication.rememberme.RememberMeAuthenticationFilter;
import org.springframework.security.web.authentication.rememberme.TokenBasedRememberMeServices;
import org.springframework.security.web.savedrequest.RequestCache;
import org.springframework.security.web.savedrequest.SavedRequest;

/** Keeps fragment requests out of the saved requests and remember-me tokens of a filter chain. */
public final class FragmentlessLogin
        extends AbstractHttpConfigurer<FragmentlessLogin, HttpSecurity> {

    private final FragmentRequests fragments;

    public FragmentlessLogin(FragmentRequests fragments) {
        this.fragments = fragments;
    }

    /** Runs after the chain's own configurers, which have set their cache, and before its users. */
    @Override
    @SuppressWarnings("unchecked") // configurers are looked up by raw type
    public void init(HttpSecurity http) {
        var cache = http.getSharedObject(RequestCache.class);
        if (cache != null) {
            http.setSharedObject(RequestCache.class, new Fragmentless(cache, fragments));
        }
        RememberMeConfigurer<HttpSecurity> rememberMe =
                http.getConfigurer(RememberMeConfigurer.class);
        if (rememberMe != null) {
            rememberMe.addObjectPostProcessor(new WithoutRotation());
        }
    }

    /** Not a lambda, because its type is inspected. */
    private static final class WithoutRotation
            implements ObjectPostProcessor<RememberMeAuthenticationFilter> {

        @Override
        @SuppressWarnings("unchecked") // a subclass of what was given
        public <O extends RememberMeAuthenticationFilter> O postProcess(O filter) {
            return filter.getRememberMeServices() instanceof TokenBasedRememberMeServices
                    ? filter
                    : (O) new PageRememberMeFilter(filter);
        }
    }

    private record Fragmentless(RequestCache cache, FragmentRequests fragments)
            implements RequestCache {

        @Override
        public void saveRequest(HttpServletRequest request, HttpServletResponse response) {
            if (!fragments.isForFragment(request)) {
                cache.saveRequest(request, response);
            }
        }

        @Override
        public @Nullable SavedRequest getRequest(
                HttpServletRequest request, HttpServletResponse response) {
            return cache.getRequest(request, response);
        }

        @Override
        public @Nullable HttpServletRequest getMatchingRequest(
                HttpServletRequest request, HttpServletResponse response) {
            return cache.getMatchingRequest(request, response);
        }

        @Override
        public void removeRequest(HttpServletRequest request, HttpServletResponse response) {
            cache.removeRequest(request, response);
        }
    }
}
