package dev.quire.spring.internal.security;

import dev.quire.spring.internal.assemble.FragmentDenialFilter;
import dev.quire.spring.internal.handler.FragmentRequests;
import dev.quire.spring.internal.settings.CsrfFragmentProperties;
import dev.quire.spring.internal.variant.VariantCookie;
import dev.quire.spring.internal.variant.VariantLogin;
import dev.quire.spring.internal.variant.VariantRenewalFilter;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfFilter;

/** Adapts a filter chain of Spring Security to pages assembled from fragments. */
public record FragmentChains(
        FragmentRequests fragments, VariantCookie cookie, CsrfFragmentProperties csrf)
        implements Customizer<HttpSecurity> {

    @Override
    public void customize(HttpSecurity http) {
        http.with(new FragmentlessLogin(fragments), Customizer.withDefaults());
        http.addFilterAfter(new FragmentDenialFilter(), ExceptionTranslationFilter.class);
        http.addFilterAfter(new CsrfFragmentFilter(csrf.path()), CsrfFilter.class);
        http.addFilterAfter(new VariantRenewalFilter(cookie), AnonymousAuthenticationFilter.class);
        http.sessionManagement(
                sessions -> sessions.addSessionAuthenticationStrategy(new VariantLogin(cookie)));
        http.logout(logout ->
                logout.addLogoutHandler(
                        (request, response, who) -> cookie.clear(request, response)));
    }
}
