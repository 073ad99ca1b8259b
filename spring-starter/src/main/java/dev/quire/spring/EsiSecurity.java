package dev.quire.spring;

import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfFilter;

/**
 * Spring Security for pages that are put together of fragments. A fragment that a reader may not
 * have is answered 401, so that no login page stands in the middle of a page, and is never what a
 * login leads to; the {@link VariantCookie} is written at login, renewed, and removed at logout;
 * the CSRF token is a private fragment of its own.
 *
 * <p>All filter chains are given this, unless {@code quire.security.enabled} is false; then {@link
 * #fragments} gives it to the chains that are wanted.
 */
public final class EsiSecurity {

    private final FragmentRequests fragments;
    private final VariantCookie cookie;
    private final CsrfFragmentProperties csrf;

    EsiSecurity(FragmentRequests fragments, VariantCookie cookie, CsrfFragmentProperties csrf) {
        this.fragments = fragments;
        this.cookie = cookie;
        this.csrf = csrf;
    }

    /**
     * What makes a filter chain fit for fragments: {@code security.fragments().customize(http)}.
     */
    public Customizer<HttpSecurity> fragments() {
        return http -> {
            http.with(new FragmentlessLogin(fragments), Customizer.withDefaults());
            http.addFilterAfter(new FragmentDenialFilter(), ExceptionTranslationFilter.class);
            http.addFilterAfter(new CsrfFragmentFilter(csrf.path()), CsrfFilter.class);
            http.addFilterAfter(
                    new VariantRenewalFilter(cookie), AnonymousAuthenticationFilter.class);
            http.sessionManagement(sessions ->
                    sessions.addSessionAuthenticationStrategy(new VariantLogin(cookie)));
            http.logout(logout ->
                    logout.addLogoutHandler(
                            (request, response, who) -> cookie.clear(request, response)));
        };
    }
}
