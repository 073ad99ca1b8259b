package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.savedrequest.RequestCache;
import org.springframework.security.web.savedrequest.SavedRequest;

/** Keeps fragments out of whatever a chain remembers to lead a reader to after the login. */
final class FragmentlessLogin extends AbstractHttpConfigurer<FragmentlessLogin, HttpSecurity> {

    private final FragmentRequests fragments;

    FragmentlessLogin(FragmentRequests fragments) {
        this.fragments = fragments;
    }

    /** Behind the chain's own configurer, which has left its cache here, and before all users. */
    @Override
    public void init(HttpSecurity http) {
        var cache = http.getSharedObject(RequestCache.class);
        if (cache != null) {
            http.setSharedObject(RequestCache.class, new Fragmentless(cache, fragments));
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
