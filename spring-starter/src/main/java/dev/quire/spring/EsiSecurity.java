package dev.quire.spring;

import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;

/**
 * Adapts Spring Security to pages assembled from fragments. A fragment that the client may not read
 * is answered 401, so that no login page appears inside a page. A fragment is never the target of a
 * redirect after login. The signed variant cookie is written at login, renewed, and removed at
 * logout. The CSRF token is a private fragment of its own.
 *
 * <p>Applies to all filter chains, unless {@code quire.security.enabled} is false; then {@link
 * #fragments} adapts selected chains.
 */
public final class EsiSecurity {

    private final Customizer<HttpSecurity> fragments;

    public EsiSecurity(Customizer<HttpSecurity> fragments) {
        this.fragments = fragments;
    }

    /**
     * Returns the customizer that adapts a filter chain: {@code
     * security.fragments().customize(http)}.
     */
    public Customizer<HttpSecurity> fragments() {
        return fragments;
    }
}
