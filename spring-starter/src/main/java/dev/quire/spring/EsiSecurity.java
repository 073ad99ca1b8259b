package dev.quire.spring;

import dev.quire.spring.internal.assemble.FragmentDenialFilter;
import dev.quire.spring.internal.policy.FragmentRequests;
import dev.quire.spring.internal.security.CsrfFragmentFilter;
import dev.quire.spring.internal.security.FragmentlessLogin;
import dev.quire.spring.internal.variant.VariantCookie;
import dev.quire.spring.internal.variant.VariantLogin;
import dev.quire.spring.internal.variant.VariantRenewalFilter;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfFilter;

/**
 * Adapts Spring Security to pages assembled from fragments. A fragment that the client may not read
 * is answered 401, so that no login page appears inside a page. A fragment is never the target of a
 * redirect after login. The {@link VariantCookie} is written at login, renewed, and removed at
 * logout. The CSRF token is a private fragment of its own.
 *
 * <p>Applies to all filter chains, unless {@code quire.security.enabled} is false; then {@link
 * #fragments} adapts selected chains.
 */
public final class EsiSecurity {

    private final FragmentRequests fragments;
    private final VariantCookie cookie;
    private final CsrfFragmentProperties csrf;

    public EsiSecurity(
            FragmentRequests fragments, VariantCookie cookie, CsrfFragmentProperties csrf) {
        this.fragments = fragments;
        this.cookie = cookie;
        this.csrf = csrf;
    }

    /**
     * Returns the customizer that adapts a filter chain: {@code
     * security.fragments().customize(http)}.
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
